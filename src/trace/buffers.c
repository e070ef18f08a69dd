// SPDX-License-Identifier: MIT
#include "trace/buffers.h"

#include "trace/lock.h"
#include "trace/memory.h"
#include "trace/objects.h"
#include "trace/results.h"
#include "trace/site.h"

enum { SLOT_GET_BUFFER = 1 }; /* Py_bf_getbuffer of typeslots.h */

/* The function of an object's type that fills views. */
static const void *find_exporter(void *object)
{
	void *type = trace_python.type_of(object);
	const void *function = type ? trace_python.type_get_slot(type, SLOT_GET_BUFFER) : NULL;

	if (type)
		trace_python.dec_ref(type);
	return function;
}

static void record_buffer(
	uint32_t producer, uint32_t consumer, uint32_t site, uint64_t address, uint64_t n_bytes)
{
	uint32_t i = trace_memory_row(TRACE_BUFFER, producer, consumer, site);

	if (i == TRACE_NONE) {
		trace_memory.segment->n_lost++;
		return;
	}
	trace_memory.rows[i].n_exchanges++;
	trace_memory.rows[i].n_bytes += n_bytes;
	trace_results_note(i, consumer, address, n_bytes, false);
}

int trace_get_buffer(void *object, struct trace_py_buffer *view, int flags)
{
	const void *caller = __builtin_return_address(0), *exporter;
	int status = trace_python.get_buffer(object, view, flags);
	uint32_t producer, consumer, site;
	uint64_t n_bytes;
	bool is_exchange;

	if (status || !trace_is_on || !view || view->len < 0)
		return status;
	n_bytes = (uint64_t)view->len;
	exporter = find_exporter(object);
	trace_lock();
	producer = trace_objects_library(exporter);
	consumer = trace_objects_library(caller);
	is_exchange = producer != consumer;
	if (is_exchange && n_bytes < trace_memory.min_bytes) {
		is_exchange = false;
		trace_memory.segment->n_below++;
		trace_memory.segment->n_below_bytes += n_bytes;
	}
	trace_unlock();
	if (!is_exchange)
		return status;
	site = trace_site_find();
	trace_lock();
	record_buffer(producer, consumer, site, (uint64_t)(uintptr_t)view->buf, n_bytes);
	trace_unlock();
	return status;
}
