// SPDX-License-Identifier: MIT
#include "trace/array_methods.h"

#include "trace/calls.h"
#include "trace/function_proxy.h"
#include "trace/lock.h"
#include "trace/memory.h"
#include "trace/numpy_api.h"
#include "trace/objects.h"
#include "trace/python.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* TensorFlow's Tensor.numpy(), which copies what Tensor._numpy() returns. */
static void *tensorflow_numpy;

/* Whether the text of an attribute ends so. */
static bool attribute_ends_with(void *object, const char *name, const char *end)
{
	void *value = trace_python.get_attribute(object, name);
	const char *text = value && trace_is_exactly(value, trace_python.text_type)
				   ? trace_utf8(value, NULL)
				   : NULL;
	const bool does = text && strlen(text) >= strlen(end) &&
			  !strcmp(text + strlen(text) - strlen(end), end);

	trace_python.dec_ref(value);
	return does;
}

/* The address of a tensor's memory, which is its buffer; 0: it has none, as one of strings. The
 * buffer of a tensor on another device would be a copy. */
static uint64_t tensor_address(void *tensor)
{
	union trace_buffer view;
	uint64_t address = 0;

	if (attribute_ends_with(tensor, "backing_device", "/device:CPU:0") &&
		!trace_python.get_buffer(tensor, &view.head, PyBUF_FULL_RO)) {
		address = (uint64_t)(uintptr_t)view.head.buf;
		trace_python.release_buffer(&view.head);
	}
	if (trace_python.err_occurred())
		trace_python.err_clear();
	return address;
}

static void count_tensor_array(void *tensor, void *array)
{
	const uint64_t address = tensor_address(tensor);
	uint32_t library;

	if (!address)
		return;
	trace_lock();
	library = trace_memory_library("tensorflow", "");
	trace_unlock();
	trace_array_exported(library, address, array, TRACE_COPY_REQUESTED);
}

static void *call_tensorflow_numpy(void *const *arguments, size_t n_arguments, void *names)
{
	void *array = trace_python.vectorcall(tensorflow_numpy, arguments, n_arguments, names);

	if (array && trace_is_on() && (ptrdiff_t)n_arguments && trace_numpy_api_address(array))
		count_tensor_array(arguments[0], array);
	return array;
}

void trace_array_methods_update(void)
{
	void *module, *type, *method = NULL, *proxy = NULL;

	if (tensorflow_numpy)
		return;
	module = trace_python_module("tensorflow.python.framework.ops");
	type = trace_module_attribute(module, "_EagerTensorBase");
	if (type && trace_is_instance(type, trace_python.type_type))
		method = trace_python.get_attribute(type, "numpy");
	if (method)
		proxy = trace_function_proxy_new(method, call_tensorflow_numpy);
	if (proxy) {
		/* Before another thread can call the proxy, which is kept with the method. */
		tensorflow_numpy = method;
		trace_python.set_attribute(type, "numpy", proxy);
	} else {
		trace_python.dec_ref(method);
	}
	trace_python.dec_ref(type);
	trace_python.dec_ref(module);
	if (trace_python.err_occurred())
		trace_python.err_clear();
}
