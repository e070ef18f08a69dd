// SPDX-License-Identifier: MIT
#include "trace/buffers.h"

#include "trace/calls.h"
#include "trace/conversions.h"
#include "trace/events.h"
#include "trace/lock.h"
#include "trace/memory.h"
#include "trace/modules.h"
#include "trace/numpy_api.h"
#include "trace/objects.h"
#include "trace/passed.h"
#include "trace/reader.h"
#include "trace/site.h"
#include "trace/views.h"

#include <stddef.h>
#include <string.h>

/* The function of an object's type that fills views. */
static const void *find_exporter(void *object)
{
	void *type = trace_python.type_of(object);
	const void *function = type ? trace_python.type_get_slot(type, Py_bf_getbuffer) : NULL;

	trace_python.dec_ref(type);
	return function;
}

/* NULL: unknown. */
static const void *type_of_exporter(const void *object)
{
	return object && trace_head_bytes ? trace_type_pointer(object) : NULL;
}

/* What caller received of an object. */
struct observed_buffer {
	const void *caller;
	void *object;
	const struct trace_py_buffer *view;
	const char *format; /* NULL: not requested; the exporter may leave anything in the view */
	bool is_kept;       /* until the view is released */
};

/* The kind of a format of one character, of the struct module or of PEP 3118; 0: another format, or
 * none, which is that of raw bytes. */
static char kind_of_format(const char *format)
{
	static const struct {
		char kind;
		const char *codes;
	} kinds[] = { { 'b', "?" }, { 'i', "bhilqn" }, { 'u', "BHILQN" }, { 'f', "efdg" } };
	bool is_complex;

	if (!format)
		return 0;
	format += strspn(format, "@=<>!^");
	is_complex = *format == 'Z';
	format += is_complex;
	if (!*format || format[1])
		return 0;
	if (is_complex)
		return 'c';
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strchr(kinds[i].codes, *format))
			return kinds[i].kind;
	return 0;
}

/* The view that this thread acquired last: a library that exports the buffer of another object
 * requests it for the struct of its own caller, which releases both at once. */
static _Thread_local struct {
	const struct trace_py_buffer *address;
	void *buf, *obj;
} acquired __attribute__((tls_model("initial-exec")));

/* Whether the library requests buffers only of arrays that it has just created, to export its own
 * memory. */
static bool exports_new_arrays(uint32_t library)
{
	return trace_memory_is_library(library, "tensorflow");
}

static void record_buffer(const struct observed_buffer *buffer, uint32_t producer, uint32_t site,
	bool is_importing, struct trace_passed *passed)
{
	passed->row = trace_memory_row(TRACE_BUFFER, producer, passed->consumer, site);
	if (passed->row == TRACE_NONE) {
		trace_memory.segment->n_lost++;
		return;
	}
	trace_memory.rows[passed->row].n_exchanges++;
	trace_memory.rows[passed->row].n_bytes += passed->n_bytes;
	passed->event = trace_event_add(passed->row, passed->address, passed->n_bytes, 0);
	trace_passed_note(passed);
	if (!buffer->is_kept || !(trace_memory.layers & TRACE_LAYER_DELETERS))
		return;
	trace_view_acquired(
		buffer->view, passed->row, passed->event, is_importing ? TENSOR_OF_MODULE : 0);
	acquired.address = buffer->view;
	acquired.buf = buffer->view->buf;
	acquired.obj = buffer->view->obj;
}

static void observe_buffer(const struct observed_buffer *buffer)
{
	const void *exporter = find_exporter(buffer->object);
	struct trace_passed passed = { .address = (uint64_t)(uintptr_t)buffer->view->buf,
		.n_bytes = (uint64_t)buffer->view->len,
		.item_bytes = (uint32_t)buffer->view->item_bytes,
		.item_kind = kind_of_format(buffer->format),
		.is_buffer = true };
	uint32_t producer, consumer, site;
	bool is_exchange, is_importing = false;

	trace_lock();
	producer = trace_objects_library(exporter);
	consumer = trace_objects_library(buffer->caller);
	if (consumer == TRACE_NONE) {
		trace_unlock();
		consumer = trace_reader_of_generated_code();
		trace_lock();
	}
	is_exchange = producer != consumer && !exports_new_arrays(consumer);
	if (producer == consumer)
		trace_objects_note_internal(buffer->caller, type_of_exporter(buffer->object));
	trace_unlock();
	if (!is_exchange)
		return;
	trace_calls_update();
	passed.consumer = consumer;
	if (trace_passed_repeats(consumer, passed.address, buffer->object))
		return;
	if (passed.n_bytes < trace_memory.min_bytes) {
		trace_lock();
		trace_passed_note_below(&passed);
		trace_unlock();
		return;
	}
	/* Not the exchange of an attribute or a capsule, whose verdict stays unknown. */
	trace_calls.is_unsettled = false;
	site = trace_site_find_importing(&is_importing);
	trace_lock();
	record_buffer(buffer, producer, site, is_importing, &passed);
	trace_unlock();
	trace_conversions_settle(&passed);
}

/* The caller now owns the view. */
static void pass_on_acquired(void)
{
	const struct trace_py_buffer view = { .buf = acquired.buf, .obj = acquired.obj };

	trace_lock();
	trace_view_released(&view, acquired.address, NULL);
	trace_unlock();
	acquired.address = NULL;
}

static __attribute__((noinline)) int get_observed_buffer(
	void *object, struct trace_py_buffer *view, int flags, const void *caller)
{
	int status;

	if (trace_is_on())
		trace_modules_update_changed();
	acquired.address = NULL;
	status = trace_python.get_buffer(object, view, flags);
	if (view && acquired.address == view)
		pass_on_acquired();
	if (!status && trace_is_on() && view && view->len >= 0)
		observe_buffer(&(struct observed_buffer){
			caller, object, view, flags & PyBUF_FORMAT ? view->format : NULL, true });
	return status;
}

/* Ends in a tail call, since most buffers are passed within one library. */
static inline __attribute__((always_inline)) int get_buffer_for(
	void *object, struct trace_py_buffer *view, int flags, const void *caller)
{
	if (trace_objects_is_internal(caller, type_of_exporter(object)) &&
		trace_considered.n_modules != TRACE_MODULES_DUE)
		return trace_python.get_buffer(object, view, flags);
	return get_observed_buffer(object, view, flags, caller);
}

int trace_get_buffer(void *object, struct trace_py_buffer *view, int flags)
{
	return get_buffer_for(object, view, flags, __builtin_return_address(0));
}

static inline bool is_bytes(const void *object)
{
	return object &&
	       trace_type_pointer_after(object, GIL_HEAD_BYTES) == trace_bytes_type_with_gil;
}

int trace_get_buffer_in_python(void *object, struct trace_py_buffer *view, int flags)
{
	return is_bytes(object) ? trace_python.get_buffer(object, view, flags)
				: get_buffer_for(object, view, flags, __builtin_return_address(0));
}

static __attribute__((noinline)) void release_observed_buffer(
	struct trace_py_buffer *view, const void *caller)
{
	if (acquired.address == view)
		acquired.address = NULL;
	if (trace_is_on() && view && view->obj && trace_view_may_be_acquired(view)) {
		trace_lock();
		trace_view_released(view, view, caller);
		trace_unlock();
	}
	trace_python.release_buffer(view);
}

static inline __attribute__((always_inline)) void release_buffer_for(
	struct trace_py_buffer *view, const void *caller)
{
	if (trace_views_exist())
		release_observed_buffer(view, caller);
	else
		trace_python.release_buffer(view);
}

void trace_release_buffer(struct trace_py_buffer *view)
{
	release_buffer_for(view, __builtin_return_address(0));
}

void trace_release_buffer_in_python(struct trace_py_buffer *view)
{
	if (is_bytes(view->obj))
		trace_python.release_buffer(view);
	else
		release_buffer_for(view, __builtin_return_address(0));
}

/* Whether a function of a type ended with the call, as that of numpy.ndarray.data does: the program
 * asked for the memoryview, or code that looks for an attribute `data`. */
static bool is_of_getter(const void *caller)
{
	bool is_interpreter;

	trace_lock();
	is_interpreter = trace_objects_is_interpreter(caller);
	trace_unlock();
	return is_interpreter;
}

void *trace_memoryview_from(void *object)
{
	const void *caller = __builtin_return_address(0);
	void *memoryview;
	union trace_buffer view;

	acquired.address = NULL;
	memoryview = trace_python.memoryview_from(object);
	if (acquired.address) /* for the struct of the memoryview */
		pass_on_acquired();
	if (!memoryview || !trace_is_on() ||
		trace_objects_is_internal(caller, type_of_exporter(object)) ||
		trace_python.err_occurred())
		return memoryview;
	if (is_of_getter(caller))
		return memoryview;
	if (trace_python.get_buffer(memoryview, &view.head, PyBUF_FULL_RO)) {
		trace_python.err_clear();
		return memoryview;
	}
	if (view.head.len >= 0)
		observe_buffer(&(struct observed_buffer){
			caller, object, &view.head, view.head.format, false });
	trace_python.release_buffer(&view.head);
	return memoryview;
}
