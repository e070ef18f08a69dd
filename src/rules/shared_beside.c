// SPDX-License-Identifier: MIT
/* Checks of what an object says through one interface against what it says through another. */
#include "rules/shared.h"

#include "protocols/protocol.h"

#include <string.h>

enum { FLAG_IS_COPIED = 2 }; /* dlpack.h 1.3, DLPACK_FLAG_BITMASK_IS_COPIED */

const struct value *shared_beside(const struct subject *subject, const char *protocol)
{
	const struct value *interfaces = value_get(subject->target, "interfaces");

	for (size_t i = 0; value_is_sequence(interfaces) && i < interfaces->n_items; i++) {
		const struct value *status = value_get(interfaces->items[i], "status");

		if (value_is_text(value_get(interfaces->items[i], "protocol"), protocol) &&
			(value_is_null(status) || value_is_text(status, "ok")))
			return interfaces->items[i];
	}
	return NULL;
}

const struct array *shared_array_beside(
	const struct subject *subject, struct report *report, const char *protocol)
{
	const struct value *interface = shared_beside(subject, protocol);
	struct array *array;
	struct err err;

	if (!interface)
		return NULL;
	array = arena_alloc(subject->arena, sizeof(*array));
	if (!protocol_find(protocol)->describe(interface, array, &err))
		return array;
	rule_skip(report, "%s of the object cannot be compared: %s", protocol, err.message);
	return NULL;
}

static const char *show_integers(struct arena *arena, const int64_t *items, int n_items)
{
	const char *text = "";

	for (int i = 0; i < n_items; i++)
		text = arena_printf(arena, "%s%s%lld", text, i ? ", " : "", (long long)items[i]);
	return arena_printf(arena, "(%s%s)", text, n_items == 1 ? "," : "");
}

static bool same_shape(const struct array *a, const struct array *b)
{
	return a->n_dims == b->n_dims &&
	       !memcmp(a->shape, b->shape, (size_t)a->n_dims * sizeof(*a->shape));
}

/* The strides of dimensions of one element lead nowhere. */
static bool same_strides(const struct array *a, const struct array *b)
{
	for (int i = 0; i < a->n_dims; i++)
		if (a->shape[i] > 1 && a->stride_bytes[i] != b->stride_bytes[i])
			return false;
	return true;
}

static void compare_layouts(const struct subject *subject, struct report *report,
	const struct array *mine, const struct array *other, const char *name, bool given_alone)
{
	struct arena *arena = subject->arena;

	if (!same_shape(mine, other))
		rule_fail(report, "shape", "shape is %s, and %s by %s",
			show_integers(arena, mine->shape, mine->n_dims),
			show_integers(arena, other->shape, other->n_dims), name);
	else if (array_elements(mine) > 0 && (mine->strides_given || !given_alone) &&
		 !same_strides(mine, other))
		rule_fail(report, "strides", "strides are %s bytes, and %s bytes by %s",
			show_integers(arena, mine->stride_bytes, mine->n_dims),
			show_integers(arena, other->stride_bytes, other->n_dims), name);
}

/* Types that NumPy's vocabulary lacks cannot agree with any. */
static bool is_comparable(const struct dtype *dtype)
{
	char typestr[40];
	struct err ignored;

	return !dtype_to_typestr(dtype, typestr, &ignored);
}

static bool same_type(const struct dtype *a, const struct dtype *b)
{
	return a->kind == b->kind && a->bits == b->bits && a->lanes == b->lanes &&
	       a->foreign_order == b->foreign_order;
}

void shared_check_agreement(const struct subject *subject, struct report *report,
	const char *protocol, bool given_strides_alone)
{
	const struct array *mine = shared_array(subject, report), *other;
	const struct value *interface = shared_beside(subject, protocol);
	const char *name = protocol_find(protocol)->attribute;
	bool is_copy = value_int_or(value_at(interface, "declared.flags"), 0) & FLAG_IS_COPIED;

	if (value_bool_or(value_at(subject->target, "own.scalar"), false)) {
		rule_skip(report, "a NumPy scalar is copied elsewhere at each read");
		return;
	}
	other = mine ? shared_array_beside(subject, report, protocol) : NULL;
	if (!other)
		return;
	compare_layouts(subject, report, mine, other, name, given_strides_alone);
	if (is_comparable(&mine->dtype) && is_comparable(&other->dtype) &&
		!same_type(&mine->dtype, &other->dtype))
		rule_fail(report, "typestr", "the element type is %s, and %s by %s",
			mine->dtype.name, other->dtype.name, name);
	if (mine->pointer != other->pointer && array_elements(mine) > 0 && !is_copy)
		rule_fail(report, "data[0]", "the first element is at 0x%llx, and at 0x%llx by %s",
			(unsigned long long)mine->pointer, (unsigned long long)other->pointer,
			name);
}
