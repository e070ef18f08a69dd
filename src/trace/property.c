// SPDX-License-Identifier: MIT
#include "trace/property.h"

#include "trace/numpy_api.h"
#include "trace/python.h"

#include <stddef.h>
#include <string.h>

/* The fields of a property: its functions, its documentation, in some versions its name, and a
 * small number. */
enum { FIELD_GET, FIELD_SET, FIELD_DELETE, FIELD_DOC, MIN_FIELDS, MAX_FIELDS = 6 };
enum { MAX_NUMBER = 0xffff };

/* What follows the fields of a property; zero in those that the program creates of a subclass. */
struct property_tail {
	trace_property_read observe;
	struct trace_interface interface;
};

typedef void *(*new_function)(void *type, void *arguments, void *keywords);

static void *traced_type;
static ptrdiff_t property_bytes;
static trace_property_function read_property;
static new_function new_property;

static struct property_tail *tail_of(void *property)
{
	return (struct property_tail *)((char *)property + property_bytes);
}

static void *read_traced_property(void *property, void *object, void *type)
{
	const struct property_tail *tail = tail_of(property);

	if (!object || object == trace_python.none || !tail->observe)
		return read_property(property, object, type);
	return tail->observe(read_property, property, object, type, tail->interface);
}

/* Methods such as setter() create a property of the same type, which is a plain one then. */
static void *new_plain_property(void *type, void *arguments, void *keywords)
{
	if (type == traced_type)
		return trace_python.call(trace_python.property_type, arguments, keywords);
	return new_property(type, arguments, keywords);
}

static void *field_of(const void *property, int i)
{
	void *field;

	memcpy(&field, (const char *)property + trace_head_bytes + (size_t)i * sizeof(field),
		sizeof(field));
	return field;
}

/* Whether the field is what the attribute returns, for which None stands if it is NULL. */
static bool is_attribute_field(void *property, int i, const char *name)
{
	void *value = trace_python.get_attribute(property, name), *field = field_of(property, i);
	bool is = value && value == (field ? field : trace_python.none);

	trace_python.dec_ref(value);
	return is;
}

static bool has_known_fields(void *property)
{
	static const char *const names[] = { "fget", "fset", "fdel", "__doc__" };

	for (int i = FIELD_GET; i < MIN_FIELDS; i++)
		if (!is_attribute_field(property, i, names[i]))
			return false;
	return true;
}

/* Sets the name of the type without the module, which the name in the specification has to
 * contain. */
static void set_type_name(void)
{
	void *name = trace_python.text_from_utf8("property");

	if (!name || trace_python.set_attribute(traced_type, "__name__", name))
		trace_python.err_clear();
	trace_python.dec_ref(name);
}

static void create_traced_type(void)
{
	/* Otherwise a type has its own, which hides that of its objects. */
	static struct trace_member_definition members[] = {
		{ "__doc__", T_OBJECT, 0, 0, NULL },
		{ NULL, 0, 0, 0, NULL },
	};
	static struct trace_type_slot slots[] = {
		{ Py_tp_descr_get, (void *)read_traced_property },
		{ Py_tp_new, (void *)new_plain_property },
		{ Py_tp_members, members },
		{ 0, NULL },
	};
	const size_t head_bytes = trace_head_bytes;
	struct trace_type_spec spec = { "builtins.property", 0, 0, Py_TPFLAGS_BASETYPE, slots };
	void *read, *new, *bases;

	property_bytes = trace_integer_attribute(trace_python.property_type, "__basicsize__");
	if (property_bytes < (ptrdiff_t)(head_bytes + (MIN_FIELDS + 1) * sizeof(void *)) ||
		property_bytes > (ptrdiff_t)(head_bytes + MAX_FIELDS * sizeof(void *)))
		return;
	read = trace_python.type_get_slot(trace_python.property_type, Py_tp_descr_get);
	new = trace_python.type_get_slot(trace_python.property_type, Py_tp_new);
	bases = trace_python.build_value("(O)", trace_python.property_type);
	memcpy(&read_property, &read, sizeof(read));
	memcpy(&new_property, &new, sizeof(new));
	spec.n_bytes = (int)(property_bytes + (ptrdiff_t)sizeof(struct property_tail));
	members[0].offset = (ptrdiff_t)(head_bytes + FIELD_DOC * sizeof(void *));
	if (bases && read && new)
		traced_type = trace_python.type_from_spec_with_bases(&spec, bases);
	trace_python.dec_ref(bases);
	if (traced_type)
		set_type_name();
}

/* The copy refers to what the original refers to. */
static void copy_fields(void *copy, const void *original)
{
	const size_t head_bytes = trace_head_bytes;
	const int n_fields = (int)(((size_t)property_bytes - head_bytes) / sizeof(void *));

	for (int i = 0; i < n_fields; i++) {
		void *field = field_of(original, i);

		if ((uintptr_t)field > MAX_NUMBER)
			trace_python.inc_ref(field);
	}
	memcpy((char *)copy + head_bytes, (const char *)original + head_bytes,
		(size_t)property_bytes - head_bytes);
}

void *trace_property_new(
	void *original, struct trace_interface interface, trace_property_read observe)
{
	void *copy = NULL;

	if (!traced_type)
		create_traced_type();
	if (traced_type && has_known_fields(original))
		copy = trace_python.type_allocate(traced_type, 0);
	if (!copy) {
		trace_python.err_clear();
		return NULL;
	}
	copy_fields(copy, original);
	*tail_of(copy) = (struct property_tail){ observe, interface };
	return copy;
}

bool trace_property_is_traced(void *object)
{
	return traced_type && trace_is_exactly(object, traced_type);
}
