// SPDX-License-Identifier: MIT
#include "trace/order.h"

#include "trace/python.h"
#include "trace/streams.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* bool sycl::queue::ext_oneapi_empty() const, of the runtime that the program loaded: the only one
 * that was tested with queues in and out of order. */
#define SYCL_RUNTIME "libsycl.so.9"
#define SYCL_QUEUE_IS_EMPTY "_ZNK4sycl3_V15queue16ext_oneapi_emptyEv"

/* The sycl::queue of a dpctl.SyclQueue, which owns it: a function that dpctl exports to C. */
#define QUEUE_MODULE "dpctl._sycl_queue"
#define QUEUE_FUNCTION "SyclQueue_GetQueueRef"
#define QUEUE_SIGNATURE "DPCTLSyclQueueRef (struct PySyclQueueObject *)"

static struct {
	void *queue_type; /* dpctl.SyclQueue, referenced */
	const void *(*get_queue)(void *object);
	bool (*is_empty)(const void *queue);
} sycl;

static bool find_emptiness(void)
{
	void *runtime = dlopen(SYCL_RUNTIME, RTLD_NOLOAD | RTLD_LAZY);
	void *function = runtime ? dlsym(runtime, SYCL_QUEUE_IS_EMPTY) : NULL;

	memcpy(&sycl.is_empty, &function, sizeof(function));
	if (runtime)
		dlclose(runtime); /* the program keeps it loaded */
	return function != NULL;
}

static bool find_queue_function(void *module)
{
	void *table = trace_module_attribute(module, "__pyx_capi__");
	void *capsule = table ? trace_python.dict_get(table, QUEUE_FUNCTION) : NULL;
	void *function =
		capsule ? trace_python.capsule_get_pointer(capsule, QUEUE_SIGNATURE) : NULL;

	memcpy(&sycl.get_queue, &function, sizeof(function));
	trace_python.dec_ref(table);
	return function != NULL;
}

/* Finds the functions for queues. Repeated at each call until dpctl is imported. */
static bool find_sycl_queue(void)
{
	void *module;

	if (sycl.queue_type)
		return true;
	module = find_emptiness() ? trace_python_module(QUEUE_MODULE) : NULL;
	if (module && find_queue_function(module))
		sycl.queue_type = trace_module_attribute(module, "SyclQueue");
	trace_python.dec_ref(module);
	return sycl.queue_type != NULL;
}

bool trace_order_is_pending(void *dictionary)
{
	void *object = trace_python.dict_get(dictionary, "syclobj");
	const void *queue = NULL;

	if (object && find_sycl_queue() && trace_is_instance(object, sycl.queue_type))
		queue = sycl.get_queue(object);
	if (trace_python.err_occurred())
		trace_python.err_clear();
	return queue && !sycl.is_empty(queue);
}

bool trace_order_is_cuda_pending(
	void *dictionary, uint32_t producer, uint64_t address, uint64_t n_bytes)
{
	void *stream;

	if (!trace_streams_exist())
		return false;
	stream = trace_python.dict_get(dictionary, "stream");
	return (!stream || stream == trace_python.none) &&
	       trace_streams_are_pending(producer, address, n_bytes);
}

static bool is_frame_of(void *frame, const char *function)
{
	void *code = trace_python.frame_get_code(frame);
	void *name = code ? trace_python.get_attribute(code, "co_name") : NULL;
	const char *text = name ? trace_utf8(name, NULL) : NULL;
	bool is = text && !strcmp(text, function);

	trace_python.dec_ref(name);
	trace_python.dec_ref(code);
	return is;
}

enum trace_stream_request trace_order_request(void)
{
	enum trace_stream_request request = STREAM_IS_UNSEEN;
	void *frame = trace_python.err_occurred() ? NULL : trace_python.eval_get_frame();
	void *locals, *stream;

	if (frame && is_frame_of(frame, "__dlpack__")) {
		locals = trace_python.frame_get_locals(frame);
		stream = locals ? trace_python.mapping_get(locals, "stream") : NULL;
		request = stream && stream != trace_python.none &&
					  trace_python.integer_as_size(stream) == -1 &&
					  !trace_python.err_occurred()
				  ? STREAM_IS_EXCLUDED
				  : STREAM_IS_GIVEN;
		trace_python.dec_ref(stream);
		trace_python.dec_ref(locals);
	}
	if (frame && trace_python.err_occurred())
		trace_python.err_clear();
	return request;
}

bool trace_order_requests_copy(void)
{
	void *frame = trace_python.err_occurred() ? NULL : trace_python.eval_get_frame();
	void *locals = frame && is_frame_of(frame, "__dlpack__")
			       ? trace_python.frame_get_locals(frame)
			       : NULL;
	void *copy = locals ? trace_python.mapping_get(locals, "copy") : NULL;
	bool is = copy && copy != trace_python.none && trace_python.integer_as_size(copy) == 1;

	trace_python.dec_ref(copy);
	trace_python.dec_ref(locals);
	if (frame && trace_python.err_occurred())
		trace_python.err_clear();
	return is;
}
