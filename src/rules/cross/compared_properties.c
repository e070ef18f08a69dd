// SPDX-License-Identifier: MIT
/* The things that interfaces say of an array: who tells them, when two agree, and their words. */
#include "rules/cross/agreement.h"

#include <inttypes.h>
#include <string.h>

static const char *show_integers(struct arena *arena, const int64_t *items, int n_items)
{
	const char *text = "";

	for (int i = 0; i < n_items; i++)
		text = arena_printf(arena, "%s%s%" PRId64, text, i ? ", " : "", items[i]);
	return arena_printf(arena, "(%s%s)", text, n_items == 1 ? "," : "");
}

/* Without elements there is nothing at an address, and strides lead nowhere. Plain bytes begin with
 * the lowest element, which need not be the first. */
static bool tells_address(const struct agreement *agreement, const struct statement *statement)
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

const struct aspect aspect_address = { .says = "the first element is at",
	.tells = tells_address,
	.agrees = agrees_on_address,
	.show = show_address };

static bool dtype_has_typestr(const struct dtype *dtype)
{
	char typestr[40];
	struct err ignored;

	return !dtype_to_typestr(dtype, typestr, &ignored);
}

static bool tells_type(const struct agreement *agreement, const struct statement *statement)
{
	return !statement->is_bytes &&
	       (!agreement->named_types_alone || dtype_has_typestr(&statement->array->dtype));
}

/* Raw bytes: a structure, or a type that NumPy has no word for. */
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
		return arena_printf(arena, "%" PRId64 " raw bytes", dtype_itemsize(dtype));
	return arena_printf(arena, "%s%s", swapped, dtype->name);
}

const struct aspect aspect_type = { .says = "the element type is",
	.tells = tells_type,
	.agrees = agrees_on_type,
	.show = show_type,
	.is_vague = is_raw_bytes };

static bool tells_shape(const struct agreement *agreement, const struct statement *statement)
{
	(void)agreement;
	return !statement->is_bytes;
}

static bool agrees_on_shape(const struct array *a, const struct array *b)
{
	if (!array_elements(a) && !array_elements(b))
		return true;
	return a->n_dims == b->n_dims &&
	       !memcmp(a->shape, b->shape, (size_t)a->n_dims * sizeof(*a->shape));
}

static const char *show_shape(struct arena *arena, const struct array *array)
{
	return show_integers(arena, array->shape, array->n_dims);
}

const struct aspect aspect_shape = {
	.says = "the shape is", .tells = tells_shape, .agrees = agrees_on_shape, .show = show_shape
};

static bool tells_strides(const struct agreement *agreement, const struct statement *statement)
{
	return !statement->is_copy && !statement->is_packed && !statement->is_bytes &&
	       array_elements(statement->array) > 0 &&
	       (statement->array->strides_given || !agreement->given_strides_alone);
}

/* Shapes that differ are another finding; the strides of dimensions of one element lead nowhere. */
static bool agrees_on_strides(const struct array *a, const struct array *b)
{
	if (!agrees_on_shape(a, b))
		return true;
	for (int i = 0; i < a->n_dims; i++)
		if (a->shape[i] > 1 && a->stride_bytes[i] != b->stride_bytes[i])
			return false;
	return true;
}

static const char *show_strides(struct arena *arena, const struct array *array)
{
	return arena_printf(
		arena, "%s bytes", show_integers(arena, array->stride_bytes, array->n_dims));
}

const struct aspect aspect_strides = { .says = "strides are",
	.tells = tells_strides,
	.agrees = agrees_on_strides,
	.show = show_strides };

static bool tells_unit_strides(const struct agreement *agreement, const struct statement *statement)
{
	return statement->array->strides_given && tells_strides(agreement, statement);
}

/* Where strides differ that lead somewhere, that is the finding. */
static bool agrees_on_unit_strides(const struct array *a, const struct array *b)
{
	if (!agrees_on_shape(a, b) || !agrees_on_strides(a, b))
		return true;
	for (int i = 0; i < a->n_dims; i++)
		if (a->shape[i] == 1 && a->stride_bytes[i] != b->stride_bytes[i])
			return false;
	return true;
}

const struct aspect aspect_unit_strides = { .says = "strides are",
	.tells = tells_unit_strides,
	.agrees = agrees_on_unit_strides,
	.show = show_strides };

/* What stands in for a flag that cannot be read tells nothing, nor does a copy. */
static bool tells_access(const struct agreement *agreement, const struct statement *statement)
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

const struct aspect aspect_access = { .says = "the array is",
	.tells = tells_access,
	.agrees = agrees_on_access,
	.show = show_access };

/* Of oneAPI alone two interfaces tell a number. */
static bool tells_device(const struct agreement *agreement, const struct statement *statement)
{
	const struct device *device = &statement->array->device;

	(void)agreement;
	return !statement->is_copy && device->type && !strcmp(device->type, "oneapi") &&
	       device->id >= 0;
}

static bool agrees_on_device(const struct array *a, const struct array *b)
{
	return a->device.id == b->device.id;
}

static const char *show_device(struct arena *arena, const struct array *array)
{
	return arena_printf(arena, "%s:%" PRId64, array->device.type, array->device.id);
}

const struct aspect aspect_device = { .says = "the device is",
	.tells = tells_device,
	.agrees = agrees_on_device,
	.show = show_device };
