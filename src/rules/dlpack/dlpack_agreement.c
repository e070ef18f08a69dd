// SPDX-License-Identifier: MIT
/*
 * Compares the capsules that __dlpack__ returned with and without max_version. The rules on the
 * struct and on memory check each capsule; here both are valid, but differ.
 */
#include "rules/dlpack/dlpack.h"
#include "rules/shared/agreement.h"

#include <inttypes.h>
#include <string.h>

/* Reports both values: "the element type is float32 in the versioned capsule of ..., but int32
 * in the legacy capsule of ...". */
static void fail_differ(const struct subject *subject, struct report *report, const char *field,
	const char *what, const char *first, const char *second)
{
	rule_fail(report, field, "%s %s in %s, but %s in %s", what, first, subject->capsule_name,
		second, subject->other_capsule->capsule_name);
}

/* Whether another interface agrees only with the other capsule: the rules that compare
 * interfaces then report the capsule that they check. */
static bool is_reported_by_comparison(
	const struct subject *subject, const struct compared_property *property)
{
	const struct array *beside;
	const char *protocol;
	size_t next = 0;

	while ((beside = dlpack_next_other_interface(subject, &next, &protocol)))
		if (property->agrees(beside, subject->other_capsule->array) &&
			!property->agrees(beside, subject->array))
			return true;
	return false;
}

static const char *show_capsule_type(struct arena *arena, const struct dtype *type)
{
	return type->lanes == 1 ? type->name
				: arena_printf(arena, "%s x %" PRId64, type->name, type->lanes);
}

static void compare_capsule_types(const struct subject *subject, struct report *report)
{
	const struct subject *other = subject->other_capsule;
	struct dtype first, second, own;

	if (!dlpack_read_type(subject, &first) || !dlpack_read_type(other, &second) ||
		(first.kind == second.kind && first.bits == second.bits &&
			first.lanes == second.lanes && !strcmp(first.name, second.name)))
		return;
	if (subject->array && other->array && dlpack_self_reported_type(subject, &own))
		rule_skip(report, "DLP209 compares each type with the object's own dtype");
	else if (subject->array && other->array &&
		 is_reported_by_comparison(subject, &compared_type))
		rule_skip(report,
			"a comparison with another interface shows which of the two types is wrong");
	else
		fail_differ(subject, report, "dl_tensor.dtype", "the element type is",
			show_capsule_type(subject->arena, &first),
			show_capsule_type(subject->arena, &second));
}

/* If __dlpack_device__ returned a device, DLP501 compares each capsule with it. */
static void compare_capsule_devices(const struct subject *subject, struct report *report)
{
	struct dlpack_device declared, first, second;

	if (!dlpack_declared_device(subject, &declared) && dlpack_tensor_device(subject, &first) &&
		dlpack_tensor_device(subject->other_capsule, &second) &&
		(first.type != second.type || first.id != second.id))
		fail_differ(subject, report, "dl_tensor.device", "the device is",
			arena_printf(
				subject->arena, "(%" PRId64 ", %" PRId64 ")", first.type, first.id),
			arena_printf(subject->arena, "(%" PRId64 ", %" PRId64 ")", second.type,
				second.id));
}

/* A copy has another address, and may have other strides. A legacy capsule cannot mark one, for
 * example if a producer protects read-only memory by a copy. */
static bool may_be_elsewhere(const struct subject *subject)
{
	const uint64_t flags = dlpack_flags(subject) | dlpack_flags(subject->other_capsule);
	bool is_versioned = dlpack_read_version(subject).is_versioned ||
			    dlpack_read_version(subject->other_capsule).is_versioned;

	return flags & (DLPACK_IS_COPIED | DLPACK_READ_ONLY) || !is_versioned ||
	       subject->target->own.readonly == ANSWER_YES;
}

/* In elements, so that a different element type does not imply different strides. */
static bool have_same_strides(const struct array *a, const struct array *b)
{
	const __int128 a_itemsize = dtype_itemsize(&a->dtype),
		       b_itemsize = dtype_itemsize(&b->dtype);

	for (int i = 0; i < a->n_dims; i++)
		if (a->shape[i] > 1 &&
			a->stride_bytes[i] * b_itemsize != b->stride_bytes[i] * a_itemsize)
			return false;
	return true;
}

static void compare_capsule_elements(const struct subject *subject, struct report *report)
{
	const struct array *first = subject->array, *second = subject->other_capsule->array;
	struct arena *arena = subject->arena;

	if (array_elements(first) <= 0 || !first->pointer || !second->pointer)
		return;
	if (!compared_address.agrees(first, second)) {
		if (!may_be_elsewhere(subject) &&
			!is_reported_by_comparison(subject, &compared_address))
			fail_differ(subject, report, "dl_tensor.data", "the first element is at",
				compared_address.show(arena, first),
				compared_address.show(arena, second));
	} else if (!have_same_strides(first, second) && !dlpack_is_packed(subject) &&
		   !dlpack_counts_bytes(subject) && !dlpack_counts_bytes(subject->other_capsule) &&
		   !is_reported_by_comparison(subject, &compared_strides)) {
		fail_differ(subject, report, "dl_tensor.strides", "strides are",
			compared_strides.show(arena, first), compared_strides.show(arena, second));
	}
}

static void dlp_check_agreement(const struct subject *subject, struct report *report)
{
	const struct array *first = subject->array;
	const struct array *second = subject->other_capsule ? subject->other_capsule->array : NULL;
	const struct fact_texts *changes = &subject->interface->again.differs;

	if (!subject->other_capsule)
		return;
	if (fact_texts_have(changes, "dl_tensor.dtype") ||
		fact_texts_have(changes, "dl_tensor.shape")) {
		rule_skip(report, "exports in capsules of one kind differ, too");
		return;
	}
	compare_capsule_types(subject, report);
	compare_capsule_devices(subject, report);
	if (dlpack_exceeds_max_dims(subject) != dlpack_exceeds_max_dims(subject->other_capsule))
		rule_skip(
			report, "one of the capsules has more than %d dimensions", ARRAY_MAX_DIMS);
	else if (!first || !second)
		rule_skip(report, "one of the capsules cannot be compared: %s",
			first ? subject->other_capsule->array_error : subject->array_error);
	else if (shared_leaves_memory(subject) != shared_leaves_memory(subject->other_capsule))
		rule_skip(report,
			"in one of the capsules, some elements are outside the allocation or cannot be read");
	else if (compared_shape.agrees(first, second))
		compare_capsule_elements(subject, report);
	else if (!is_reported_by_comparison(subject, &compared_shape))
		fail_differ(subject, report, "dl_tensor.shape", "the shape is",
			compared_shape.show(subject->arena, first),
			compared_shape.show(subject->arena, second));
}

const struct rule dlpack_agreement_rules[] = {
	{
		DLPACK_RULE("DLP901", "capsules-agree", ERROR, LOGIC),
		.optional_facts = FACT_MEMORY,
		.clause =
			"derived from " CLAUSE_ARRAY_API
			"array.__dlpack__ max_version; " CLAUSE_SUAI "Agreement between interfaces",
		.summary =
			"the capsules that __dlpack__ returns with and without max_version describe the same device, element type and shape, "
			"and, unless one of them may be a copy, the same address and strides",
		.why = "tvm-ffi and older releases of other libraries call __dlpack__ without max_version, while NumPy and PyTorch pass it, "
		       "so two libraries may compute with different elements of the same object",
		.fix = "fill in the DLTensor of both structs with one function",
		.check = dlp_check_agreement,
	},
	{ .id = NULL },
};
