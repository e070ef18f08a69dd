// SPDX-License-Identifier: MIT
#include "trace/passed.h"

#include "trace/calls.h"
#include "trace/conversions.h"
#include "trace/direct_readers.h"
#include "trace/events.h"
#include "trace/memory.h"
#include "trace/results.h"
#include "trace/verdict.h"

#include <stddef.h>

/* A library may request a memoryview of an object first, and then the buffer of that, whose type is
 * the interpreter's. A list may contain an object several times. */
bool trace_passed_repeats(uint32_t consumer, uint64_t address, const void *object)
{
	const struct trace_passed *last = trace_passed_last();

	return trace_calls.consumer && last && last->is_buffer && last->consumer == consumer &&
	       last->address == address &&
	       (trace_calls.consumer != &trace_numpy_list_consumer ||
		       trace_type_pointer(object) == trace_python.memoryview_type);
}

static bool is_of_same_elements(const struct trace_passed *a, const struct trace_passed *b)
{
	return a->row == b->row && a->item_bytes == b->item_bytes && a->item_kind == b->item_kind;
}

/* Adds the items of a list that were passed before to those of an exchange that has the same
 * verdict, or counts them as copies of which no more is known. */
static void note_list_items(struct trace_passed *passed)
{
	const struct trace_passed *last = &trace_calls.last;
	struct trace_verdict verdict = { .is_copy = true };

	if (!last->is_set || last->is_known_copy || last->row == TRACE_NONE ||
		!trace_memory_is_library(last->consumer, "numpy")) {
		trace_calls.n_items_before = 0;
		return;
	}
	verdict.n_before = trace_calls.n_items_before;
	verdict.result_bytes = last->n_bytes;
	if (is_of_same_elements(last, passed) && !passed->is_known_copy &&
		trace_calls.n_items_before < UINT16_MAX) {
		trace_event_set_verdict(last->event, &verdict);
		passed->n_bytes += last->n_bytes;
		trace_calls.n_items_before++;
		return;
	}
	/* The buffer to which an attribute refers has the same memory. */
	if (last->address != passed->address || trace_calls.n_items_before)
		trace_verdict_count(last->row, last->event, &verdict);
	trace_calls.n_items_before = 0;
}

void trace_passed_note(const struct trace_passed *passed)
{
	struct trace_passed noted = *passed;

	trace_conversions_note(passed);
	trace_direct_call_note(trace_calls.direct, passed->address);
	if (trace_calls.consumer == &trace_numpy_list_consumer)
		note_list_items(&noted);
	/* The result of the call under way is not that of the list. */
	if (trace_calls.is_unsettled && trace_calls.consumer)
		return;
	/* The ones after the first are constants of the code that JAX compiles. */
	if (!trace_calls.consumer || !trace_calls.consumer->is_nested || !trace_calls.last.is_set ||
		trace_calls.last.row == TRACE_NONE) {
		trace_calls.last = noted;
		trace_calls.last.is_set = true;
	}
}

/* What is recorded is compared with the result of the call, whichever is passed last. */
void trace_passed_note_below(const struct trace_passed *passed)
{
	trace_memory.segment->n_below++;
	trace_direct_call_note(trace_calls.direct, passed->address);
	if (!trace_calls.consumer || trace_calls.last.is_set)
		return;
	trace_calls.last = *passed;
	trace_calls.last.row = TRACE_NONE;
	trace_calls.last.is_set = true;
}

const struct trace_passed *trace_passed_last(void)
{
	return trace_calls.last.is_set ? &trace_calls.last : NULL;
}

void trace_passed_forget(uint32_t tensor)
{
	if (trace_calls.last.is_set && trace_calls.last.tensor == tensor + 1)
		trace_calls.last.is_set = false;
}
