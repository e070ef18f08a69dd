// SPDX-License-Identifier: MIT
/*
 * Compares the declarations of the interfaces of one object, property by property; if they differ,
 * one failure lists each value and the interfaces that declare it.
 */
#include "rules/shared/agreement.h"

#include "base/plural.h"
#include "base/text.h"
#include "base/words.h"
#include "protocols/protocol.h"
#include "rules/shared/dlpack_facts.h"

#include <inttypes.h>
#include <string.h>

/* A DLPack export that was requested as a copy, or is flagged as one. */
static bool is_copied_export(const struct subject *subject)
{
	const struct fact_call *call;
	const struct value *arguments;

	if (subject->protocol != &dlpack_protocol)
		return false;
	call = dlpack_capsule_call(subject);
	arguments = call ? call->arguments : NULL;
	return dlpack_flags(subject) & DLPACK_IS_COPIED ||
	       value_bool_or(value_get(arguments, "copy"), false) ||
	       !value_is_null(value_get(arguments, "dl_device"));
}

static void add_statement(struct agreement *agreement, const struct subject *subject)
{
	bool is_dlpack = subject->protocol == &dlpack_protocol;
	struct statement *statement;

	if (!subject->protocol || (is_dlpack && dlpack_exceeds_max_dims(subject)) ||
		!interface_was_read(subject->interface) ||
		agreement->n_statements == AGREEMENT_MAX_STATEMENTS)
		return;
	statement = &agreement->statements[agreement->n_statements++];
	statement->attribute = subject->protocol->attribute;
	statement->subject = subject;
	statement->array = subject->array;
	statement->is_copy = is_copied_export(subject);
	statement->is_packed = is_dlpack && dlpack_is_packed(subject);
}

/* False if fewer than two remain. Skips the rule if one that could be compared is dropped. */
static bool drop_undescribed(struct agreement *agreement)
{
	size_t n_read = agreement->n_statements;

	agreement->n_statements = 0;
	for (size_t i = 0; i < n_read; i++) {
		const struct statement *statement = &agreement->statements[i];

		if (statement->array)
			agreement->statements[agreement->n_statements++] = *statement;
		else if (n_read > 1)
			rule_skip(agreement->report, "the object's %s could not be compared: %s",
				statement->attribute, statement->subject->array_error);
	}
	return agreement->n_statements > 1;
}

/* One dimension of single bytes without gaps. */
static bool is_flat_bytes(const struct array *array)
{
	const struct dtype *dtype = &array->dtype;
	bool is_byte = dtype->kind == DTYPE_UINT || dtype->kind == DTYPE_INT ||
		       dtype->kind == DTYPE_BYTES || dtype->kind == DTYPE_VOID;

	return array->n_dims == 1 && is_byte && dtype_itemsize(dtype) == 1 &&
	       array_is_c_contiguous(array);
}

/* Whether bytes contains every byte that an index of array reaches. */
static bool covers(const struct array *bytes, const struct array *array)
{
	uint64_t low, high, bytes_low, bytes_high;
	struct err ignored;

	return !array_extent(bytes, &bytes_low, &bytes_high, &ignored) &&
	       !array_extent(array, &low, &high, &ignored) && bytes_low <= low &&
	       high <= bytes_high;
}

/* A buffer of the plain bytes of the array, such as that of a plane in PyAV, is another view of the
 * same memory, not another array. Next to another flat array of bytes it is an array like any
 * other: there the lengths must agree. */
static void mark_bytes(struct agreement *agreement)
{
	for (size_t i = 0; i < agreement->n_statements; i++) {
		struct statement *bytes = &agreement->statements[i];

		bytes->is_bytes =
			bytes->subject->protocol == &buffer_protocol && is_flat_bytes(bytes->array);
		for (size_t k = 0; bytes->is_bytes && k < agreement->n_statements; k++) {
			const struct statement *other = &agreement->statements[k];

			bytes->is_bytes = k == i || other->is_copy ||
					  (!is_flat_bytes(other->array) &&
						  covers(bytes->array, other->array));
		}
	}
}

bool agreement_start(struct agreement *agreement, const struct subject *subject,
	struct report *report, const char *chosen)
{
	*agreement = (struct agreement){ .subject = subject, .report = report };
	if (subject->target->own.scalar == ANSWER_YES) {
		rule_skip(report, "NumPy copies a scalar to a new address on each read");
		return false;
	}
	if (subject->interface)
		add_statement(agreement, subject);
	for (size_t i = 0; i < subject->n_interfaces; i++) {
		const struct subject *other = &subject->interfaces[i];
		const char *protocol = other->protocol ? other->protocol->name : "";

		if (other->interface != subject->interface &&
			(!chosen || text_lists_word(chosen, protocol)))
			add_statement(agreement, other);
	}
	if (!drop_undescribed(agreement) || (subject->interface && !subject->array))
		return false;
	mark_bytes(agreement);
	return true;
}

/* Statements that agree; the first represents the others. */
struct group {
	const struct array *array;
	const char *attributes[AGREEMENT_MAX_STATEMENTS]; /* "__dlpack__" */
	size_t n_attributes;
};

static struct group *find_group(const struct compared_property *property, struct group *groups,
	size_t n_groups, const struct statement *statement)
{
	for (size_t i = 0; i < n_groups; i++)
		if (property->agrees(groups[i].array, statement->array))
			return &groups[i];
	return NULL;
}

/* Vague statements come last, so that they do not hide that others differ, and represent none. */
static size_t group_statements(const struct agreement *agreement,
	const struct compared_property *property, struct group *groups)
{
	size_t n_groups = 0;

	for (int vague = 0; vague < 2; vague++)
		for (size_t i = 0; i < agreement->n_statements; i++) {
			const struct statement *statement = &agreement->statements[i];
			struct group *group;

			if ((property->is_vague && property->is_vague(statement->array)) !=
					(vague == 1) ||
				!property->is_declared(agreement, statement))
				continue;
			group = find_group(property, groups, n_groups, statement);
			if (group && vague)
				continue;
			if (!group) {
				group = &groups[n_groups++];
				*group = (struct group){ .array = statement->array };
			}
			group->attributes[group->n_attributes++] = statement->attribute;
		}
	return n_groups;
}

static bool are_implied(
	const struct compared_property *property, const struct group *groups, size_t n_groups)
{
	for (size_t i = 1; property->is_implied && i < n_groups; i++)
		if (!property->is_implied(groups[0].array, groups[i].array))
			return false;
	return property->is_implied != NULL;
}

bool agreement_check(const struct agreement *agreement, const struct compared_property *property,
	const char *field)
{
	struct group groups[AGREEMENT_MAX_STATEMENTS];
	size_t n_groups = group_statements(agreement, property, groups);
	struct arena *arena = agreement->subject->arena;
	const char *values = "";

	if (n_groups < 2 || are_implied(property, groups, n_groups))
		return true;
	for (size_t i = 0; i < n_groups; i++)
		values = arena_printf(arena, "%s%s%s in %s", values,
			i == 0              ? ""
			: n_groups == 2     ? " but "
			: i + 1 == n_groups ? ", and "
					    : ", ",
			property->show(arena, groups[i].array),
			words_enumerate(arena, groups[i].attributes, groups[i].n_attributes));
	rule_fail(agreement->report, field, "%s %s", property->label, values);
	return false;
}

/* Without elements, addresses and strides are arbitrary. Plain bytes begin with the lowest element,
 * which need not be the first. */
static bool declares_address(const struct agreement *agreement, const struct statement *statement)
{
	(void)agreement;
	return !statement->is_copy && !statement->is_bytes && statement->array->pointer &&
	       array_elements(statement->array) > 0;
}

static bool agrees_on_address(const struct array *a, const struct array *b)
{
	return a->pointer == b->pointer;
}

static const char *show_address(struct arena *arena, const struct array *array)
{
	return arena_printf(arena, "0x%" PRIx64, array->pointer);
}

const struct compared_property compared_address = { .label = "the first element is at",
	.is_declared = declares_address,
	.agrees = agrees_on_address,
	.show = show_address };

static bool declares_type(const struct agreement *agreement, const struct statement *statement)
{
	const struct dtype *dtype = &statement->array->dtype;
	char typestr[DTYPE_TEXT_BYTES];
	struct err ignored;

	return !statement->is_bytes &&
	       (!agreement->only_named_types || !dtype_to_typestr(dtype, typestr, &ignored));
}

/* Raw bytes: a structure, or a type that has no typestr. */
static bool is_raw_bytes(const struct array *array)
{
	return array->dtype.kind == DTYPE_VOID || array->dtype.kind == DTYPE_OPAQUE;
}

static bool agrees_on_type(const struct array *a, const struct array *b)
{
	const struct dtype *x = &a->dtype, *y = &b->dtype;

	if (is_raw_bytes(a) || is_raw_bytes(b))
		return dtype_itemsize(x) == dtype_itemsize(y);
	return x->kind == y->kind && x->bits == y->bits && x->lanes == y->lanes &&
	       (x->foreign_order == y->foreign_order || x->bits <= 8) &&
	       (x->kind != DTYPE_FLOAT8 || !strcmp(x->name, y->name));
}

static const char *show_type(struct arena *arena, const struct array *array)
{
	const struct dtype *dtype = &array->dtype;
	const char *swapped = dtype->foreign_order ? "byte-swapped " : "";

	if (dtype->lanes > 1)
		return arena_printf(arena, "%s%s x %" PRId64, swapped, dtype->name, dtype->lanes);
	if (is_raw_bytes(array))
		return arena_printf(arena, "%" PRId64 " raw byte%s", dtype_itemsize(dtype),
			plural(dtype_itemsize(dtype)));
	return arena_printf(arena, "%s%s", swapped, dtype->name);
}

const struct compared_property compared_type = { .label = "the element type is",
	.is_declared = declares_type,
	.agrees = agrees_on_type,
	.show = show_type,
	.is_vague = is_raw_bytes };

static bool declares_shape(const struct agreement *agreement, const struct statement *statement)
{
	(void)agreement;
	return !statement->is_bytes;
}

static bool agrees_on_shape(const struct array *a, const struct array *b)
{
	if (!array_elements(a) && !array_elements(b))
		return true;
	return array_same_shape(a, b);
}

static const char *show_shape(struct arena *arena, const struct array *array)
{
	return words_tuple(arena, array->shape, array->n_dims);
}

const struct compared_property compared_shape = { .label = "the shape is",
	.is_declared = declares_shape,
	.agrees = agrees_on_shape,
	.show = show_shape };

static bool declares_strides(const struct agreement *agreement, const struct statement *statement)
{
	return !statement->is_copy && !statement->is_packed && !statement->is_bytes &&
	       array_elements(statement->array) > 0 &&
	       (statement->array->strides_given || !agreement->only_given_strides);
}

/* Different shapes are another finding; strides of dimensions of one element are arbitrary. */
static bool agrees_on_strides(const struct array *a, const struct array *b)
{
	if (!agrees_on_shape(a, b))
		return true;
	for (int i = 0; i < a->n_dims; i++)
		if (a->shape[i] > 1 && a->stride_bytes[i] != b->stride_bytes[i])
			return false;
	return true;
}

/* Whether strides differ because the sizes of an element do, which is a finding about the type. */
static bool agrees_in_elements(const struct array *a, const struct array *b)
{
	__int128 a_bytes = dtype_itemsize(&a->dtype), b_bytes = dtype_itemsize(&b->dtype);

	if (a_bytes == b_bytes || !agrees_on_shape(a, b))
		return false;
	for (int i = 0; i < a->n_dims; i++)
		if (a->shape[i] > 1 && a->stride_bytes[i] * b_bytes != b->stride_bytes[i] * a_bytes)
			return false;
	return true;
}

static const char *show_strides(struct arena *arena, const struct array *array)
{
	return arena_printf(
		arena, "%s bytes", words_tuple(arena, array->stride_bytes, array->n_dims));
}

const struct compared_property compared_strides = { .label = "the strides are",
	.is_declared = declares_strides,
	.agrees = agrees_on_strides,
	.is_implied = agrees_in_elements,
	.show = show_strides };

static bool declares_unit_strides(
	const struct agreement *agreement, const struct statement *statement)
{
	return statement->array->strides_given && declares_strides(agreement, statement);
}

/* Different strides of other dimensions are another finding. */
static bool agrees_on_unit_strides(const struct array *a, const struct array *b)
{
	if (!agrees_on_shape(a, b) || !agrees_on_strides(a, b))
		return true;
	for (int i = 0; i < a->n_dims; i++)
		if (a->shape[i] == 1 && a->stride_bytes[i] != b->stride_bytes[i])
			return false;
	return true;
}

const struct compared_property compared_unit_strides = { .label = "the strides are",
	.is_declared = declares_unit_strides,
	.agrees = agrees_on_unit_strides,
	.show = show_strides };

/* A copy, and the substitute for a flag that cannot be read, declare nothing. */
static bool declares_access(const struct agreement *agreement, const struct statement *statement)
{
	(void)agreement;
	return !statement->is_copy && !statement->subject->is_repaired &&
	       statement->array->readonly != READONLY_UNKNOWN;
}

static bool agrees_on_access(const struct array *a, const struct array *b)
{
	return a->readonly == b->readonly;
}

static const char *show_access(struct arena *arena, const struct array *array)
{
	(void)arena;
	return array->readonly == READONLY_YES ? "read-only" : "writable";
}

const struct compared_property compared_access = { .label = "the array is",
	.is_declared = declares_access,
	.agrees = agrees_on_access,
	.show = show_access };

/* Only for oneAPI do two interfaces declare a device number. */
static bool declares_device(const struct agreement *agreement, const struct statement *statement)
{
	const struct device *device = &statement->array->device;

	(void)agreement;
	return !statement->is_copy && device->type && !strcmp(device->type, DEVICE_ONEAPI) &&
	       device->id >= 0;
}

static bool agrees_on_device(const struct array *a, const struct array *b)
{
	return a->device.id == b->device.id;
}

static const char *show_device(struct arena *arena, const struct array *array)
{
	return device_text(arena, array->device);
}

const struct compared_property compared_device = { .label = "the device is",
	.is_declared = declares_device,
	.agrees = agrees_on_device,
	.show = show_device };
