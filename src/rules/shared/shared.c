// SPDX-License-Identifier: MIT
/* Checks of access and containers that several protocols share: keys, tuples, integers, flags. */
#include "rules/shared/shared.h"

#include "base/utf8.h"
#include "model/number.h"
#include "protocols/protocol.h"
#include "protocols/shared.h"

#include <stdio.h>
#include <string.h>

enum { MAX_SHOWN_BYTES = 60 };

static const char *truncate_shown(struct arena *arena, const char *bytes, size_t n_bytes)
{
	size_t n_shown = utf8_truncated(bytes, n_bytes, MAX_SHOWN_BYTES);

	return n_shown == n_bytes ? arena_copy(arena, bytes, n_bytes)
				  : arena_printf(arena, "%.*s...", (int)n_shown, bytes);
}

static const char *show_number(struct arena *arena, const struct value *value)
{
	char number[NUMBER_TEXT_BYTES];
	const char *digits;

	if (value->kind == VALUE_BOOL)
		digits = value->boolean ? "True" : "False";
	else if (value->kind == VALUE_INT)
		digits = arena_printf(arena, "%lld", (long long)value->integer);
	else if (value->kind == VALUE_REAL)
		digits = arena_printf(arena, "%s", number_text(value->real, number));
	else
		digits = truncate_shown(arena, value->bytes, value->n_bytes);
	if (value->type_name)
		return arena_printf(arena, "%s (%s)", digits, value->type_name);
	return value->kind == VALUE_REAL ? arena_printf(arena, "%s (float)", digits) : digits;
}

static const char *show_container(struct arena *arena, const struct value *value)
{
	const char *type = value->kind == VALUE_LIST    ? "list"
			   : value->kind == VALUE_TUPLE ? "tuple"
							: "dict";

	return arena_printf(arena, "a %s of length %zu", value->type_name ? value->type_name : type,
		value->n_items);
}

const char *shared_show(struct arena *arena, const struct value *value)
{
	if (!value)
		return "missing";
	switch (value->kind) {
	case VALUE_NULL:
		return "None";
	case VALUE_BOOL:
	case VALUE_INT:
	case VALUE_WIDE_INT:
	case VALUE_REAL:
		return show_number(arena, value);
	case VALUE_TEXT:
		return arena_printf(arena,
			strlen(value->bytes) < value->n_bytes ? "'%s\\0...'" : "'%s'",
			truncate_shown(arena, value->bytes, strlen(value->bytes)));
	case VALUE_BYTES:
		return arena_printf(arena, "%s of length %zu",
			value->type_name ? value->type_name : "bytes", value->n_bytes);
	case VALUE_OPAQUE:
		return truncate_shown(arena, value->bytes, value->n_bytes);
	default:
		return show_container(arena, value);
	}
}

const char *shared_show_mask(struct arena *arena, const struct value *mask)
{
	if (!value_is(mask, VALUE_MAP))
		return shared_show(arena, mask);
	return mask->type_name ? arena_printf(arena, "<%s>", mask->type_name) : "an object";
}

void shared_fail_raised(const struct subject *subject, struct report *report, const char *step,
	const struct fact_error *error)
{
	if (error->type)
		rule_fail(report, NULL, "%s raised %s", step,
			fact_exception(subject->arena, error->type, error->message));
	else
		rule_fail(report, NULL, "%s failed without an exception", step);
	rule_set_traceback(report, error->traceback);
}

void shared_fail_read(const struct subject *subject, struct report *report, const char *doing)
{
	shared_fail_raised(subject, report, doing, &subject->interface->error);
	if (subject->protocol->attribute)
		rule_set_read_error(
			report, subject->protocol->attribute, &subject->interface->error);
}

void shared_check_access(
	const struct subject *subject, struct report *report, const char *doing, bool refusals)
{
	const struct fact_interface *interface = subject->interface;

	if (!interface_was_read(interface) && (refusals || interface->status != INTERFACE_REFUSED))
		shared_fail_read(subject, report, doing);
}

/* ", not EXPECTED"; "" if the value is of that type and shows why it was not read. */
static const char *show_expected(
	struct arena *arena, const struct value *value, const char *expected)
{
	const char *type = strchr(expected, ' ') + 1;
	size_t n_chars = strlen(type);

	if (value_is(value, VALUE_OPAQUE) && !strncmp(value->bytes + 1, type, n_chars) &&
		value->bytes[n_chars + 1] == ':')
		return "";
	return arena_printf(arena, ", not %s", expected);
}

void shared_check_dictionary(const struct subject *subject, struct report *report)
{
	if (value_is(subject->declared, VALUE_OPAQUE) && value_exceeds_limit(subject->declared))
		rule_skip(
			report, "%s is %s", subject->protocol->attribute, subject->declared->bytes);
	else if (!value_is(subject->declared, VALUE_MAP))
		rule_fail(report, NULL, "%s is %s%s", subject->protocol->attribute,
			shared_show(subject->arena, subject->declared),
			show_expected(subject->arena, subject->declared, "a dict"));
}

void shared_check_keys(const struct subject *subject, struct report *report)
{
	const char *const *known = subject->protocol->keys;
	const struct value *declared = subject->declared;

	for (size_t i = 0; i < declared->n_items; i++) {
		const char *key = declared->keys[i];
		size_t k = 0, n_bytes = strlen(key);

		while (known[k] && strcmp(known[k], key) != 0)
			k++;
		if (!known[k])
			rule_fail(report, key,
				value_key_is_typed(key, n_bytes) ? "unknown key %s"
								 : "unknown key '%s'",
				truncate_shown(subject->arena, key, n_bytes));
	}
}

void shared_check_present(const struct subject *subject, struct report *report, const char *key)
{
	if (!value_get(subject->declared, key))
		rule_fail(report, key, "%s is missing", key);
}

void shared_check_typestr_text(const struct subject *subject, struct report *report)
{
	const struct value *value = value_get(subject->declared, "typestr");

	if (!value)
		shared_check_present(subject, report, "typestr");
	else if (!value_is(value, VALUE_TEXT))
		rule_fail(report, "typestr", "typestr is %s, not a str",
			shared_show(subject->arena, value));
}

void shared_check_tuple(
	const struct subject *subject, struct report *report, const char *key, int n_items)
{
	const struct value *value = value_get(subject->declared, key);

	if (!value)
		rule_fail(report, key, "%s is missing", key);
	else if (!value_is(value, VALUE_TUPLE))
		rule_fail(report, key, "%s is %s%s", key, shared_show(subject->arena, value),
			show_expected(subject->arena, value, "a tuple"));
	else if (n_items >= 0 && value->n_items != (size_t)n_items)
		rule_fail(report, key, "%s has %zu %s, expected %d", key, value->n_items,
			value->n_items == 1 ? "entry" : "entries", n_items);
}

void shared_check_integer(
	struct report *report, struct arena *arena, const struct value *value, const char *field)
{
	if (!value)
		rule_fail(report, field, "%s is missing", field);
	else if (!value_is_integer(value))
		rule_fail(report, field, "%s is %s%s", field, shared_show(arena, value),
			show_expected(arena, value, "an int"));
}

void shared_check_version(const struct subject *subject, struct report *report)
{
	const struct value *version = value_get(subject->declared, "version");

	shared_check_integer(report, subject->arena, version, "version");
	if (value_is_integer(version) && protocol_is_negative(version))
		rule_fail(report, "version", "version is %s, expected 0 or more",
			shared_show(subject->arena, version));
}

void shared_check_integers(const struct subject *subject, struct report *report, const char *key)
{
	const struct value *sequence = value_get(subject->declared, key);

	for (size_t i = 0; value_is_sequence(sequence) && i < sequence->n_items; i++)
		if (!value_is_integer(sequence->items[i]))
			shared_check_integer(report, subject->arena, sequence->items[i],
				arena_printf(subject->arena, "%s[%zu]", key, i));
}

void shared_check_shape_integers(const struct subject *subject, struct report *report)
{
	shared_check_integers(subject, report, "shape");
}

void shared_check_pointer(const struct subject *subject, struct report *report, const char *field)
{
	const struct value *pointer = value_at(subject->declared, field);
	uint64_t address;

	if (!value_is_integer(pointer))
		shared_check_integer(report, subject->arena, pointer, field);
	else if (!value_to_uint64(pointer, &address))
		rule_fail(report, field, "%s is %s, which is not a 64-bit address", field,
			shared_show(subject->arena, pointer));
}

void shared_check_bool(const struct subject *subject, struct report *report, const char *field)
{
	const struct value *flag = value_at(subject->declared, field);

	if (!value_is(flag, VALUE_BOOL) || flag->type_name)
		rule_fail(report, field, "%s is %s, not a bool", field,
			shared_show(subject->arena, flag));
}

static bool is_numpy_integer(const struct value *value)
{
	return value_is_integer(value) && value->type_name &&
	       !strncmp(value->type_name, "numpy.", strlen("numpy."));
}

void shared_check_builtin_address(
	const struct subject *subject, struct report *report, bool allows_numpy)
{
	const struct value *pointer = value_at(subject->declared, "data[0]");
	bool is_numpy = is_numpy_integer(pointer);
	bool is_int = value_bool_or(value_at(subject->details, "data.is_int"), !is_numpy);

	if (value_is_integer(pointer) && !is_int && !(is_numpy && allows_numpy))
		rule_fail(report, "data[0]", "data[0] is %s%s, not an int",
			pointer->type_name ? "a " : "",
			pointer->type_name ? pointer->type_name : "an object with __index__");
}

/* Whether the integer is NumPy's, or another object with __index__, as the worker reports it. */
static bool is_foreign_integer(
	const struct subject *subject, const struct value *value, const char *field)
{
	return is_numpy_integer(value) ||
	       (value_is_integer(value) && value->type_name &&
		       value_lists_text(value_get(subject->details, "by_index"), field));
}

void shared_check_builtin_integers(
	const struct subject *subject, struct report *report, const char *const *fields)
{
	struct arena *arena = subject->arena;

	for (size_t f = 0; fields[f]; f++) {
		const struct value *value = value_at(subject->declared, fields[f]);

		if (is_foreign_integer(subject, value, fields[f]))
			rule_fail(report, fields[f], "%s is a %s, not an int", fields[f],
				value->type_name);
		for (size_t i = 0; value_is_sequence(value) && i < value->n_items; i++) {
			const char *item = arena_printf(arena, "%s[%zu]", fields[f], i);

			if (is_foreign_integer(subject, value->items[i], item))
				rule_fail(report, item, "%s is a %s, not an int", item,
					value->items[i]->type_name);
		}
	}
}

const struct subject *shared_subject_of(const struct subject *subject, const char *protocol)
{
	for (size_t i = 0; i < subject->n_interfaces; i++) {
		const struct fact_interface *interface = subject->interfaces[i].interface;

		if (fact_text_is(interface->protocol, protocol) && interface_was_read(interface))
			return &subject->interfaces[i];
	}
	return NULL;
}

const struct fact_interface *shared_interface_of(
	const struct subject *subject, const char *protocol)
{
	static const struct fact_interface none = { .present = false };
	const struct subject *found = shared_subject_of(subject, protocol);

	return found ? found->interface : &none;
}

const struct array *shared_array_of(
	const struct subject *subject, struct report *report, const char *protocol)
{
	const struct subject *found = shared_subject_of(subject, protocol);

	if (found && found->array_error)
		rule_skip(report, "the object's %s could not be compared: %s",
			found->protocol->attribute, found->array_error);
	return found && !found->array_error ? found->array : NULL;
}
