// SPDX-License-Identifier: MIT
#include "trace/layout.h"

#include "trace/numpy_api.h"
#include "trace/python.h"
#include "trace/tensor_facts.h"

#include <string.h>

enum { N_ITEMS = 3, N_OTHER_ITEMS = 2 };

size_t trace_head_bytes, trace_tuple_items_offset;
bool trace_has_dictionary_size;

/* Whether an object, which may be NULL, has a type, and a value in the first field after its head.
 * All that are read have at least that field. */
static bool has_first_field(
	const void *object, size_t head_bytes, const void *type, uintptr_t expected)
{
	uintptr_t field;

	if (!object)
		return false;
	memcpy(&field, (const char *)object + head_bytes, sizeof(field));
	return trace_type_pointer_after(object, head_bytes) == type && field == expected;
}

static bool has_mapping_field(size_t head_bytes)
{
	void *dictionary = trace_python.build_value("{}");
	void *proxy =
		dictionary ? trace_python.call_one(trace_python.proxy_type, dictionary) : NULL;
	const bool has =
		has_first_field(proxy, head_bytes, trace_python.proxy_type, (uintptr_t)dictionary);

	trace_python.dec_ref(proxy);
	trace_python.dec_ref(dictionary);
	return has;
}

static bool has_referent_field(size_t head_bytes)
{
	void *const type = trace_python.object_type;
	void *reference = trace_python.new_weak_reference(type, NULL);
	void *reference_type = reference ? trace_python.type_of(reference) : NULL;
	const bool has = has_first_field(reference, head_bytes, reference_type, (uintptr_t)type);

	trace_python.dec_ref(reference_type);
	trace_python.dec_ref(reference);
	return has;
}

static bool has_definition_field(size_t head_bytes)
{
	/* Of a function that is never called. */
	static struct trace_method_definition definition = { .name = "suai", .flags = METH_O };
	void *function = trace_python.function_new(&definition, NULL, NULL);
	void *type = function ? trace_python.type_of(function) : NULL;
	const bool has = has_first_field(function, head_bytes, type, (uintptr_t)&definition);

	trace_python.dec_ref(type);
	trace_python.dec_ref(function);
	return has;
}

static bool has_size_field(size_t head_bytes)
{
	void *const value = trace_python.none;
	void *dictionary = trace_python.build_value("{sOsOsO}", "a", value, "b", value, "c", value);
	const bool has = has_first_field(dictionary, head_bytes, trace_python.dict_type, N_ITEMS);

	trace_python.dec_ref(dictionary);
	return has;
}

/* --- lists and tuples --- */

/* What the lists and tuples that are created contain. */
static void set_known_items(const void *items[N_ITEMS])
{
	items[0] = trace_python.none;
	items[1] = trace_python.object_type;
	items[2] = trace_python.type_type;
}

static void *create_sequence(const char *format)
{
	const void *items[N_ITEMS];

	set_known_items(items);
	return trace_python.build_value(format, items[0], items[1], items[2]);
}

static bool are_known_items(const void *fields, size_t n_items)
{
	const void *items[N_ITEMS];

	set_known_items(items);
	return !memcmp(fields, items, n_items * sizeof(items[0]));
}

/* The items of a tuple are at its end. */
static bool has_tuple_items(void *tuple, size_t head_bytes, size_t n_items, size_t offset)
{
	return has_first_field(tuple, head_bytes, trace_python.tuple_type, n_items) &&
	       are_known_items((const char *)tuple + offset, n_items);
}

static bool are_tuple_items_at(size_t offset, size_t head_bytes)
{
	void *tuple = create_sequence("(OOO)"), *other = create_sequence("(OO)");
	const bool are = has_tuple_items(tuple, head_bytes, N_ITEMS, offset) &&
			 has_tuple_items(other, head_bytes, N_OTHER_ITEMS, offset);

	trace_python.dec_ref(other);
	trace_python.dec_ref(tuple);
	return are;
}

/* Whether the number of items and their address are the first fields of a list. */
static bool has_list_fields(size_t head_bytes)
{
	void *list = create_sequence("[OOO]"), *items;
	bool has = false;

	if (has_first_field(list, head_bytes, trace_python.list_type, N_ITEMS)) {
		memcpy(&items, (const char *)list + head_bytes + sizeof(void *), sizeof(items));
		has = trace_struct_access(items, N_ITEMS * sizeof(void *), false) ==
			      TRACE_CAN_READ &&
		      are_known_items(items, N_ITEMS);
	}
	trace_python.dec_ref(list);
	return has;
}

/* A tuple without items ends where the items of others begin. */
static size_t find_tuple_items(size_t head_bytes)
{
	const ptrdiff_t offset = trace_integer_attribute(trace_python.tuple_type, "__basicsize__");

	return offset > (ptrdiff_t)head_bytes && are_tuple_items_at((size_t)offset, head_bytes)
		       ? (size_t)offset
		       : 0;
}

static bool has_expected_fields(size_t head_bytes)
{
	return has_mapping_field(head_bytes) && has_referent_field(head_bytes) &&
	       has_definition_field(head_bytes);
}

__attribute__((cold)) void trace_layout_find(void)
{
	static bool is_done;
	ptrdiff_t head_bytes;

	if (is_done)
		return;
	is_done = true;
	head_bytes = trace_integer_attribute(trace_python.object_type, "__basicsize__");
	if (head_bytes >= GIL_HEAD_BYTES && has_expected_fields((size_t)head_bytes)) {
		trace_has_dictionary_size = has_size_field((size_t)head_bytes);
		if (head_bytes == GIL_HEAD_BYTES && has_list_fields(GIL_HEAD_BYTES))
			trace_tuple_items_offset = find_tuple_items(GIL_HEAD_BYTES);
		trace_head_bytes = (size_t)head_bytes;
	}
	if (trace_python.err_occurred())
		trace_python.err_clear();
}
