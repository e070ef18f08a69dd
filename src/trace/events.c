// SPDX-License-Identifier: MIT
#include "trace/events.h"

#include "trace/memory.h"

#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* For each tensor the index of its event plus one; 0: none. NULL: no event was added yet. */
static uint32_t *events_of_tensors;

/* Reserves address space for events_of_tensors, of which only written pages use memory. */
static bool reserve_events_of_tensors(void)
{
	void *memory;

	if (events_of_tensors)
		return true;
	memory = mmap(NULL, TRACE_MAX_TENSORS * sizeof(*events_of_tensors), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory != MAP_FAILED)
		events_of_tensors = memory;
	return memory != MAP_FAILED;
}

static uint32_t add_event(const struct trace_event *event)
{
	struct trace_segment *segment = trace_memory.segment;
	uint32_t i = segment->n_events;

	if (i >= trace_memory.max_events || !reserve_events_of_tensors()) {
		segment->n_dropped_events++;
		return TRACE_NONE;
	}
	trace_memory.events[i] = *event;
	trace_memory.events[i].at_ns = trace_now_ns();
	trace_memory.events[i].thread = (uint32_t)syscall(SYS_gettid);
	segment->n_events = i + 1;
	return i;
}

uint32_t trace_event_add(uint32_t row, uint64_t address, uint64_t n_bytes, uint32_t flags)
{
	if (!trace_memory.max_events)
		return TRACE_NONE;
	return add_event(&(struct trace_event){ .address = address,
		.n_bytes = n_bytes,
		.row = row,
		.flags = flags,
		.copy_causes = flags & EVENT_FLAGGED ? TRACE_COPY_FLAGGED : 0,
		.n_exchanges = 1 });
}

void trace_event_add_transfers(uint32_t row, uint64_t n_exchanges, uint64_t n_bytes)
{
	if (trace_memory.max_events)
		add_event(&(struct trace_event){
			.n_bytes = n_bytes, .row = row, .n_exchanges = (uint32_t)n_exchanges });
}

void trace_event_set_verdict(uint32_t i, const struct trace_verdict *verdict)
{
	struct trace_event *event;

	if (i >= trace_memory.max_events)
		return;
	event = &trace_memory.events[i];
	if (verdict->is_copy) {
		event->copy_causes |= verdict->causes;
		event->flags &= ~EVENT_SHARED;
	}
	if (!(event->flags & EVENT_COPIED))
		event->flags |= verdict->is_copy ? EVENT_COPIED : EVENT_SHARED;
	if (verdict->is_narrowed)
		event->flags |= EVENT_NARROWED;
}

void trace_event_hold(uint32_t event, uint32_t tensor)
{
	if (!events_of_tensors)
		return;
	events_of_tensors[tensor] = event + 1; /* TRACE_NONE: 0 */
	if (event < trace_memory.max_events)
		trace_memory.events[event].flags |= EVENT_HELD;
}

/* The index of the event whose memory a tensor has; not below max_events: none. */
static uint32_t event_of_tensor(uint32_t tensor)
{
	return events_of_tensors ? events_of_tensors[tensor] - 1 : TRACE_NONE;
}

void trace_event_cancel(uint32_t tensor)
{
	uint32_t i = event_of_tensor(tensor);

	if (i >= trace_memory.max_events)
		return;
	events_of_tensors[tensor] = 0;
	trace_memory.events[i].row = TRACE_NONE;
}

void trace_event_release(uint32_t tensor, bool is_at_end)
{
	uint32_t i = event_of_tensor(tensor);

	if (i >= trace_memory.max_events)
		return;
	events_of_tensors[tensor] = 0;
	trace_memory.events[i].released_ns = trace_now_ns();
	trace_memory.events[i].flags |= EVENT_RELEASED | (is_at_end ? EVENT_AT_END : 0);
}
