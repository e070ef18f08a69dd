// SPDX-License-Identifier: MIT
/* Lists and tuples that a library converts: their items may be objects with interfaces. */
#ifndef TRACE_ITEMS_H
#define TRACE_ITEMS_H

#include "trace/numpy_api.h"
#include "trace/python.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { TRACE_MAX_LIST_DEPTH = 64 }; /* as the dimensions of NumPy's arrays */

static inline bool trace_is_sequence_type(const void *type)
{
	return type == trace_python.list_type || type == trace_python.tuple_type;
}

static inline bool trace_is_number_type(const void *type)
{
	return type == trace_python.float_type || type == trace_python.integer_type;
}

/* The items of a list or a tuple, which may be modified or freed as soon as Python code runs. */
struct trace_list_items {
	ptrdiff_t n_items;
	void *const *items;
};

/* Requires trace_tuple_items_offset. */
static inline struct trace_list_items trace_list_items(const void *list)
{
	struct trace_list_items fields;

	memcpy(&fields, (const char *)list + GIL_HEAD_BYTES, sizeof(fields));
	return fields;
}

/* The same of a tuple, which contains the items. */
static inline struct trace_list_items trace_tuple_items(const void *tuple)
{
	struct trace_list_items fields;

	memcpy(&fields.n_items, (const char *)tuple + GIL_HEAD_BYTES, sizeof(fields.n_items));
	fields.items = (const void *)((const char *)tuple + trace_tuple_items_offset);
	return fields;
}

/* The same of a list or a tuple, which has this type. */
static inline struct trace_list_items trace_sequence_items(const void *sequence, const void *type)
{
	return type == trace_python.tuple_type ? trace_tuple_items(sequence)
					       : trace_list_items(sequence);
}

/* Whether a list begins with a number, or with a list that does: it is then assumed to consist of
 * numbers. False if its items are read by functions. */
static inline bool trace_list_begins_with_numbers(const void *list)
{
	struct trace_list_items fields;
	const void *type;

	if (!trace_tuple_items_offset)
		return false;
	fields = trace_list_items(list);
	if (!fields.n_items)
		return false;
	type = trace_type_pointer_after(fields.items[0], GIL_HEAD_BYTES);
	if (type == trace_python.list_type) {
		fields = trace_list_items(fields.items[0]);
		if (!fields.n_items)
			return false;
		type = trace_type_pointer_after(fields.items[0], GIL_HEAD_BYTES);
	}
	return trace_is_number_type(type);
}

/* A list or a tuple whose items are being visited, and what contains it, which may be itself. */
struct trace_outer_sequence {
	const void *sequence;
	const struct trace_outer_sequence *outer; /* NULL: none */
	int depth;                                /* how many there are around it */
};

/* Whether a list or a tuple within others is neither one of them nor too deep. */
static inline bool trace_may_enter_sequence(
	const void *sequence, const struct trace_outer_sequence *outer)
{
	if (outer->depth == TRACE_MAX_LIST_DEPTH)
		return false;
	for (; outer; outer = outer->outer)
		if (outer->sequence == sequence)
			return false;
	return true;
}

/* False: no further item is visited. */
typedef bool (*trace_item_visitor)(void *item, const void *type, void *opaque);

/* Visits the items of a list or a tuple, and those of the lists and tuples among them instead of
 * these. Call with the GIL and without the lock, once the head of objects is known. */
void trace_items_visit(void *sequence, trace_item_visitor visit, void *opaque);

/* trace_attributes_examine() for these items: of several in a row that have the same type, only the
 * first. Call with the GIL and without the lock. */
void trace_items_examine(void *sequence);

#endif
