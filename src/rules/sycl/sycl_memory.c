// SPDX-License-Identifier: MIT
/*
 * The memory of __sycl_usm_array_interface__, its kind in the context of syclobj and its extent, as
 * reported by the USM runtime.
 */
#include "base/plural.h"
#include "rules/sycl/sycl.h"

#include <string.h>

/* The array and its memory, as reported by the runtime. */
struct usm {
	const struct array *array;
	const struct memory *memory;
	int64_t itemsize;
};

/* Reads the facts of an allocation. False, which passes the rule, if there are no elements or
 * SUAI304 reports the address. */
static bool usm_read(const struct subject *subject, struct usm *usm)
{
	usm->array = subject->array;
	usm->memory = subject->memory;
	usm->itemsize = dtype_itemsize(&usm->array->dtype);
	return array_elements(usm->array) > 0 && !shared_exceeds_by_address(usm->array);
}

/* usm_read() that skips the rule, and returns false, if the runtime does not know the
 * allocation. */
static bool usm_read_known(const struct subject *subject, struct report *report, struct usm *usm)
{
	if (!usm_read(subject, usm))
		return false;
	if (usm->memory->kind == MEMORY_UNKNOWN)
		rule_skip(report, "the USM runtime does not recognize the memory at data[0]");
	return usm->memory->kind != MEMORY_UNKNOWN;
}

static bool is_exact(const struct usm *usm)
{
	return usm->memory->size > 0;
}

static bool usm_contains_at(const struct usm *usm, const struct array *array, uint64_t pointer)
{
	struct array moved = *array;

	moved.pointer = pointer;
	return shared_memory_contains(usm->memory, &moved);
}

/* The array as if strides were in bytes; false if that cannot be meant. */
static bool read_as_bytes(const struct usm *usm, struct array *array)
{
	*array = *usm->array;
	for (int i = 0; i < array->n_dims; i++) {
		array->stride_bytes[i] /= usm->itemsize;
		if (array->shape[i] > 1 && array->stride_bytes[i] % usm->itemsize)
			return false;
	}
	return array->strides_given;
}

static void suai_check_stride_unit(const struct subject *subject, struct report *report)
{
	uint64_t data, offset_bytes;
	struct array as_bytes;
	bool is_inside;
	struct usm usm;

	if (!usm_read_known(subject, report, &usm) || !is_exact(&usm) ||
		shared_memory_contains(usm.memory, usm.array) || !read_as_bytes(&usm, &as_bytes) ||
		!value_to_uint64(value_at(subject->declared, "data[0]"), &data))
		return;
	offset_bytes = (usm.array->pointer - data) / (uint64_t)usm.itemsize;
	is_inside = shared_memory_contains(usm.memory, &as_bytes);
	if (is_inside || usm_contains_at(&usm, &as_bytes, data + offset_bytes))
		rule_fail(report, "strides",
			"the array exceeds the allocation of %llu byte%s, but would be inside it if %s were in bytes",
			(unsigned long long)usm.memory->size, plural(usm.memory->size),
			is_inside ? "strides" : "strides and offset");
}

/* The key that is the cause: without it, or with strides of a compact array, the array would be
 * inside the allocation. */
static const char *usm_failing_field(const struct subject *subject, const struct usm *usm)
{
	struct array compact = *usm->array;
	uint64_t data;

	if (!is_exact(usm) || !value_to_uint64(value_at(subject->declared, "data[0]"), &data))
		return "shape";
	if (usm->array->pointer != data && usm_contains_at(usm, usm->array, data))
		return "offset";
	array_set_compact_strides(&compact, 'C');
	return usm->array->strides_given && shared_memory_contains(usm->memory, &compact)
		       ? "strides"
		       : "shape";
}

static const char *show_allocation(const struct subject *subject, const struct usm *usm)
{
	if (!is_exact(usm))
		return "the allocation of data[0], whose size is unknown (only the first and the last byte of the array were queried)";
	return arena_printf(subject->arena, "the allocation of %llu byte%s at 0x%llx",
		(unsigned long long)usm->memory->size, plural(usm->memory->size),
		(unsigned long long)usm->memory->base);
}

/* data[0] is in the allocation, so what is outside and below data[0] is below the allocation. */
static void suai_check_lowest(const struct subject *subject, struct report *report)
{
	uint64_t low = subject->memory->asked_low, data;
	struct usm usm;

	if (!usm_read_known(subject, report, &usm) || usm.memory->low_inside != ANSWER_NO ||
		!value_to_uint64(value_at(subject->declared, "data[0]"), &data) || low >= data)
		return;
	rule_fail(report, usm_failing_field(subject, &usm),
		"the element with the lowest address is at 0x%llx, %llu byte%s below data[0] and below %s",
		(unsigned long long)low, (unsigned long long)(data - low), plural(data - low),
		show_allocation(subject, &usm));
}

static void suai_check_highest(const struct subject *subject, struct report *report)
{
	uint64_t high = subject->memory->asked_high, data;
	struct usm usm;

	if (!usm_read_known(subject, report, &usm) ||
		!value_to_uint64(value_at(subject->declared, "data[0]"), &data))
		return;
	if (usm.memory->high_inside != ANSWER_NO || high <= data)
		return;
	if (is_exact(&usm))
		rule_fail(report, usm_failing_field(subject, &usm),
			"the elements end at 0x%llx, %llu byte%s past the end of %s",
			(unsigned long long)high,
			(unsigned long long)(high - usm.memory->base - usm.memory->size),
			plural(high - usm.memory->base - usm.memory->size),
			show_allocation(subject, &usm));
	else
		rule_fail(report, "shape", "the last byte, at 0x%llx, is not in %s",
			(unsigned long long)(high - 1), show_allocation(subject, &usm));
}

static bool is_filter(const struct subject *subject)
{
	return value_is_text(value_at(subject->details, "syclobj.form"), "filter");
}

/* A filter string names the default context: SUAI503 reports memory of another one. */
static void suai_check_usm(const struct subject *subject, struct report *report)
{
	const struct value *elsewhere = value_at(subject->details, "syclobj.elsewhere");
	const struct memory *memory = subject->memory;
	uint64_t address = 0;
	struct usm usm;

	if (!usm_read(subject, &usm) || memory->kind != MEMORY_UNKNOWN)
		return;
	if (!value_to_uint64(value_at(subject->declared, "data[0]"), &address))
		rule_skip(report, "data[0] is not an address");
	else if (value_is(elsewhere, VALUE_MAP) && !is_filter(subject))
		rule_fail(report, "syclobj",
			"data[0] points to %s memory in the default context of %s, but syclobj identifies another context",
			value_text_or(value_get(elsewhere, "kind"), "USM"),
			value_text_or(value_get(elsewhere, "name"), "another device"));
	else if (!memory->mapping[0] && value_is_null(elsewhere) && memory->asked_low == address)
		rule_fail(report, "data[0]",
			"data[0] is 0x%llx, which the USM runtime does not recognize and which is not mapped",
			(unsigned long long)address);
	else if (!memory->mapping[0] && value_is_null(elsewhere))
		rule_fail(report, usm.array->pointer == address ? "strides" : "offset",
			"data[0] is 0x%llx, which the USM runtime does not recognize, and the element with the lowest address is at "
			"0x%llx, which is not mapped",
			(unsigned long long)address, (unsigned long long)memory->asked_low);
}

static void suai_check_host_memory(const struct subject *subject, struct report *report)
{
	const struct memory *memory = subject->memory;
	struct usm usm;

	if (usm_read(subject, &usm) && memory->kind == MEMORY_UNKNOWN && memory->mapping[0] &&
		value_is_null(value_at(subject->details, "syclobj.elsewhere")) &&
		!is_filter(subject))
		rule_fail(report, "data[0]",
			"data[0] points to host memory (%s), which the USM runtime does not recognize",
			memory->mapping);
}

static void suai_check_base(const struct subject *subject, struct report *report)
{
	uint64_t data;
	struct usm usm;

	if (!usm_read_known(subject, report, &usm) ||
		!value_to_uint64(value_at(subject->declared, "data[0]"), &data))
		return;
	if (!is_exact(&usm))
		rule_skip(report, "the runtime did not report where the allocation begins");
	else if (data != usm.memory->base)
		rule_fail(report, "data[0]", "data[0] is %llu byte%s after the start of %s",
			(unsigned long long)(data - usm.memory->base),
			plural(data - usm.memory->base), show_allocation(subject, &usm));
}

const struct rule sycl_memory_rules[] = {
	{
		SYCL_MEMORY_RULE("SUAI303", "strides-unit", ERROR, MUST),
		.requires = { "SUAI304", "SUAI401", "SUAI111" },
		.clause = CLAUSE_SYCL_PAGE "strides (\"number of array elements needed to jump\")",
		.summary = "strides are in elements, not bytes",
		.why = "in the interfaces of CUDA and NumPy, strides are in bytes: if they are exported unchanged, kernels access memory outside the allocation",
		.fix = "divide each stride by the element size: strides=tuple(stride // itemsize for stride in strides); likewise offset, if it is in bytes",
		.check = suai_check_stride_unit,
	},
	{
		SYCL_MEMORY_RULE("SUAI305", "lowest-element", ERROR, MUST),
		.requires = { "SUAI303" },
		.clause = CLAUSE_SYCL_PAGE
		"strides; offset (\"to the array element with zero indices\")",
		.summary = "no element is below the start of the USM allocation of data[0]",
		.why = "dpctl rejects the array only if the lowest address is not USM: if it is in another allocation, kernels access the memory of that allocation",
		.fix = "correct strides, or set offset to the position of the element with zero indices, relative to data[0]: n - 1 for a reversed vector of n elements",
		.check = suai_check_lowest,
	},
	{
		SYCL_MEMORY_RULE("SUAI306", "highest-element", ERROR, MUST),
		.requires = { "SUAI303" },
		.clause = CLAUSE_SYCL_PAGE "shape; strides; offset",
		.summary = "no element extends past the end of the USM allocation of data[0]",
		.why = "dpctl does not compare the extent with the allocation: it accepts shape (10**6,) for an allocation of 96 bytes, and kernels access memory beyond its end",
		.fix = "correct shape, strides or offset, or allocate as many bytes as the array spans",
		.check = suai_check_highest,
	},
	{
		SYCL_MEMORY_RULE("SUAI402", "usm-pointer", ERROR, MUST),
		.requires = { "SUAI114", "SUAI401" },
		.clause = CLAUSE_SYCL_PAGE
		"data (\"USM pointer value\"); syclobj; " CLAUSE_SYCL
		"Kinds of unified shared memory (\"must use the same context\")",
		.summary =
			"data[0] points to USM in the context of syclobj if the array has elements",
		.why = "using memory of another context, or freed memory, is undefined behaviour: dpctl reports that the pointer is not bound to a SyclContext, or the process crashes",
		.fix = "set data[0] to the address of USM that lives as long as the object, and syclobj to the queue used to allocate it",
		.check = suai_check_usm,
	},
	{
		SYCL_MEMORY_RULE("SUAI403", "host-memory", ERROR, MUST),
		.requires = { "SUAI114", "SUAI401" },
		.clause = CLAUSE_SYCL_PAGE
		"introduction (\"USM allocations\"); data (\"USM pointer value\")",
		.summary =
			"if the array has elements, data[0] points to USM, not to other host memory",
		.why = "dpctl reports that the pointer is not bound to a SyclContext, or the process crashes; only a device that supports USM system allocations can access memory allocated by malloc, NumPy or ctypes",
		.fix = "copy the elements into a dpctl.memory.MemoryUSMShared, or export the host array through __array_interface__ and __dlpack__; if the memory was allocated as USM, set syclobj to its queue, and keep the memory alive as long as the object",
		.check = suai_check_host_memory,
	},
	{
		SYCL_MEMORY_RULE("SUAI405", "allocation-base", NOTE, HAZARD),
		.requires = { "SUAI402", "SUAI403" },
		.clause = "derived from " CLAUSE_SYCL_PAGE "data; offset",
		.summary = "data[0] is the start of a USM allocation if the array has elements",
		.why = "consumers that free, resize or share an allocation by its address require its start; dpnp exports the start in data[0] and the position of the first element in offset",
		.fix = "set data[0] to the start of the allocation, and offset to the position of the element with zero indices, in elements",
		.check = suai_check_base,
	},
	{ .id = NULL },
};
