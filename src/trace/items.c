// SPDX-License-Identifier: MIT
#include "trace/items.h"

#include "trace/attributes.h"
#include "trace/lock.h"
#include "trace/memory.h"

/* Types without interfaces that lists often consist of. */
static bool is_plain_type(const void *type)
{
	return type == trace_python.float_type || type == trace_python.integer_type ||
	       type == trace_python.bool_type || type == trace_python.complex_type ||
	       type == trace_python.text_type || type == trace_python.bytes_type ||
	       type == trace_array_type;
}

static void examine_items(void *sequence, int depth);

static void examine_item(void *item, const void *type, int depth)
{
	if (is_plain_type(type) || (trace_is_sequence_type(type) && depth == TRACE_MAX_LIST_DEPTH))
		return;
	/* Examining a type may run a finalizer, which may modify the list. */
	trace_python.inc_ref(item);
	if (trace_is_sequence_type(type))
		examine_items(item, depth + 1);
	else if (!trace_attributes_are_known(item))
		trace_attributes_examine(item);
	trace_python.dec_ref(item);
}

static void examine_list(const void *list, int depth)
{
	const void *last_type = NULL;
	struct trace_list_items fields;

	for (ptrdiff_t i = 0; fields = trace_list_items(list, GIL_HEAD_BYTES), i < fields.n_items;
		i++) {
		void *const item = fields.items[i];
		const void *const type = trace_type_pointer(item);

		if (type != last_type)
			examine_item(item, type, depth);
		last_type = type;
	}
}

static void examine_tuple(void *tuple, int depth)
{
	const ptrdiff_t n_items = trace_python.tuple_size(tuple);
	const void *last_type = NULL;

	for (ptrdiff_t i = 0; i < n_items; i++) {
		void *const item = trace_python.tuple_get(tuple, i);
		const void *const type = trace_type_pointer(item);

		if (type != last_type)
			examine_item(item, type, depth);
		last_type = type;
	}
}

/* Without a GIL, a list is copied to a tuple, which no other thread modifies. */
static void examine_items(void *sequence, int depth)
{
	void *copy;

	if (trace_type_pointer(sequence) == trace_python.tuple_type) {
		examine_tuple(sequence, depth);
		return;
	}
	if (trace_numpy_api_head_bytes() == GIL_HEAD_BYTES) {
		examine_list(sequence, depth);
		return;
	}
	copy = trace_python.call_one(trace_python.tuple_type, sequence);
	if (copy)
		examine_tuple(copy, depth);
	else
		trace_python.err_clear();
	trace_python.dec_ref(copy);
}

void trace_items_examine(void *sequence)
{
	if (trace_is_on && (trace_memory.layers & TRACE_LAYER_ATTRIBUTES) &&
		trace_numpy_api_head_bytes() && !trace_python.err_occurred())
		examine_items(sequence, 0);
}
