// SPDX-License-Identifier: MIT
#include "trace/items.h"

#include "trace/attributes.h"
#include "trace/lock.h"
#include "trace/memory.h"

/* The item at a position of a list, or of a tuple; NULL: there are fewer. */
static void *item_at(void *sequence, const void *type, ptrdiff_t i)
{
	struct trace_list_items fields;

	if (type == trace_python.tuple_type)
		return i < trace_python.tuple_size(sequence) ? trace_python.tuple_get(sequence, i)
							     : NULL;
	fields = trace_list_items(sequence);
	return i < fields.n_items ? fields.items[i] : NULL;
}

static bool visit_items(void *sequence, const struct trace_outer_sequence *outer,
	trace_item_visitor visit, void *opaque);

/* The visitor may run Python code, which may modify the list. */
static bool visit_sequence(void *sequence, const void *type,
	const struct trace_outer_sequence *outer, trace_item_visitor visit, void *opaque)
{
	void *item;
	bool goes_on = true;

	for (ptrdiff_t i = 0; goes_on && (item = item_at(sequence, type, i)); i++) {
		const void *const item_type = trace_type_pointer(item);

		trace_python.inc_ref(item);
		if (!trace_is_sequence_type(item_type))
			goes_on = visit(item, item_type, opaque);
		else if (trace_may_enter_sequence(item, outer))
			goes_on = visit_items(item, outer, visit, opaque);
		trace_python.dec_ref(item);
	}
	return goes_on;
}

/* A list whose items are read by functions is copied to a tuple, which no other thread modifies. */
static bool visit_items(void *sequence, const struct trace_outer_sequence *outer,
	trace_item_visitor visit, void *opaque)
{
	const struct trace_outer_sequence this = { sequence, outer, outer ? outer->depth + 1 : 0 };
	const void *const type = trace_type_pointer(sequence);
	void *copy;
	bool goes_on;

	if (type == trace_python.tuple_type || trace_tuple_items_offset)
		return visit_sequence(sequence, type, &this, visit, opaque);
	copy = trace_python.call_one(trace_python.tuple_type, sequence);
	if (!copy) {
		trace_python.err_clear();
		return true;
	}
	goes_on = visit_sequence(copy, trace_python.tuple_type, &this, visit, opaque);
	trace_python.dec_ref(copy);
	return goes_on;
}

void trace_items_visit(void *sequence, trace_item_visitor visit, void *opaque)
{
	visit_items(sequence, NULL, visit, opaque);
}

/* Examining a type may run a finalizer. *last_type: of the item before. */
static bool examine_item(void *item, const void *type, void *last_type)
{
	const void **const last = last_type;

	if (type != *last && type != trace_array_type && !trace_is_scalar_type(type) &&
		!trace_attributes_are_known(item))
		trace_attributes_examine(item);
	*last = type;
	return true;
}

void trace_items_examine(void *sequence)
{
	const void *last_type = NULL;

	if (trace_is_on() && (trace_memory.layers & TRACE_LAYER_ATTRIBUTES) && trace_head_bytes &&
		!trace_python.err_occurred())
		trace_items_visit(sequence, examine_item, &last_type);
}
