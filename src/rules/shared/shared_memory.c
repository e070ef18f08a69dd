// SPDX-License-Identifier: MIT
/* Checks of the memory of an array, as reported by the kernel or a driver. */
#include "base/plural.h"
#include "base/words.h"
#include "rules/shared/shared.h"

#include <string.h>

/* The memory if the array has elements at an address; otherwise NULL, which is a pass or a skip. */
static const struct memory *memory_to_check(const struct subject *subject, struct report *report)
{
	const struct array *array = shared_array(subject, report);

	return array && array->pointer && array_nbytes(array) > 0 ? subject->memory : NULL;
}

/* "the mapping [heap]", "the mapping of '/tmp/x'", "the anonymous mapping", "the allocation". */
static const char *show_location(const struct subject *subject)
{
	const struct memory *memory = subject->memory;

	if (memory->mapping[0] == '/')
		return arena_printf(subject->arena, "the mapping of '%s'", memory->mapping);
	if (!strcmp(memory->mapping, "anonymous"))
		return "the anonymous mapping";
	if (memory->mapping[0])
		return arena_printf(subject->arena, "the mapping %s", memory->mapping);
	return "the allocation";
}

static bool is_mapped(const struct memory *memory)
{
	return memory->size || memory->host_accessible != ANSWER_NO;
}

/* Whether indices are outside the allocation; false if base and size are unknown. */
static bool exceeds_allocation(const struct memory *memory)
{
	return memory->size && (memory->asked_low < memory->base ||
				       memory->asked_high - memory->base > memory->size);
}

bool shared_leaves_memory(const struct subject *subject)
{
	const struct memory *memory = subject->memory;

	return memory && (exceeds_allocation(memory) || !is_mapped(memory) ||
				 memory->low_inside == ANSWER_NO ||
				 memory->high_inside == ANSWER_NO || memory->readable == ANSWER_NO);
}

bool shared_memory_contains(const struct memory *memory, const struct array *array)
{
	uint64_t low, high;
	struct err ignored;

	return !array_extent(array, &low, &high, &ignored) && low >= memory->base &&
	       high - memory->base <= memory->size;
}

/* The field that is the cause: without it, or with strides of a compact array, the array would be
 * inside the allocation. */
static const char *extent_failing_field(const struct subject *subject, int64_t offset_bytes)
{
	struct array other = *subject->array;

	if (!subject->memory->size)
		return "shape";
	other.pointer -= (uint64_t)offset_bytes;
	if (offset_bytes && shared_memory_contains(subject->memory, &other))
		return "byte_offset";
	other = *subject->array;
	array_set_compact_strides(&other, 'C');
	return other.strides_given && shared_memory_contains(subject->memory, &other) ? "strides"
										      : "shape";
}

static void fail_extent(const struct subject *subject, struct report *report, const char *field)
{
	const struct memory *memory = subject->memory;
	bool is_below = memory->asked_low < memory->base;
	uint64_t n_bytes = is_below ? memory->base - memory->asked_low
				    : memory->asked_high - memory->base - memory->size;

	rule_fail(report, field,
		"the %s byte of the elements, at 0x%llx, is %llu byte%s %s %s, which has %llu byte%s at 0x%llx",
		is_below ? "lowest" : "highest",
		(unsigned long long)(is_below ? memory->asked_low : memory->asked_high - 1),
		(unsigned long long)n_bytes, plural(n_bytes),
		is_below ? "below" : "past the last byte of", show_location(subject),
		(unsigned long long)memory->size, plural(memory->size),
		(unsigned long long)memory->base);
}

void shared_check_extent(const struct subject *subject, struct report *report, int64_t offset_bytes)
{
	const struct memory *memory = memory_to_check(subject, report);

	if (!memory)
		return;
	if (!shared_is_in_address_space(subject->array)) {
		/* the rule size-overflow */
		rule_skip(report, "some elements are outside the address space");
		return;
	}
	if (exceeds_allocation(memory))
		fail_extent(subject, report, extent_failing_field(subject, offset_bytes));
	else if (memory->low_inside == ANSWER_NO || memory->high_inside == ANSWER_NO)
		rule_fail(report, "shape",
			"the %s byte of the elements, at 0x%llx, is outside the allocation that contains 0x%llx",
			memory->low_inside == ANSWER_NO ? "lowest" : "highest",
			(unsigned long long)(memory->low_inside == ANSWER_NO
						     ? memory->asked_low
						     : memory->asked_high - 1),
			(unsigned long long)subject->array->pointer);
	else if (!is_mapped(memory) && memory->asked_low != subject->array->pointer)
		rule_fail(report, "strides",
			"the lowest byte of the elements, at 0x%llx, is not mapped",
			(unsigned long long)memory->asked_low);
}

void shared_check_permission(const struct subject *subject, struct report *report,
	const char *pointer_field, const char *flag_field)
{
	const struct memory *memory = memory_to_check(subject, report);

	if (!memory || exceeds_allocation(memory))
		return;
	if (shared_exceeds_by_address(subject->array)) {
		/* the rule size-overflow */
		rule_skip(report, "some elements are outside the address space");
		return;
	}
	if (!is_mapped(memory)) {
		if (memory->asked_low == subject->array->pointer)
			rule_fail(report, pointer_field, "the address 0x%llx is not mapped",
				(unsigned long long)memory->asked_low);
	} else if (memory->readable == ANSWER_NO)
		rule_fail(report, pointer_field, "%s readable (%s%s)",
			words_not_all_bytes(subject->arena, memory->asked_low, memory->asked_high),
			show_location(subject),
			memory->mapping[0] == '/' ? ", which may be longer than the file" : "");
	else if (memory->writable == ANSWER_NO && subject->array->readonly == READONLY_NO)
		rule_fail(report, flag_field,
			"%s writable (%s), but the array is not declared read-only",
			words_not_all_bytes(subject->arena, memory->asked_low, memory->asked_high),
			show_location(subject));
}

void shared_check_host_memory(
	const struct subject *subject, struct report *report, const char *field)
{
	const struct memory *memory = memory_to_check(subject, report);
	bool by_maps = memory && memory->by && !strcmp(memory->by, "maps");

	if (!memory || memory->readable == ANSWER_YES)
		return;
	if (by_maps)
		rule_skip(report,
			"the memory is not readable from the host, and no driver was queried");
	else if (memory->host_accessible == ANSWER_NO)
		rule_fail(report, field,
			"0x%llx is in %s memory, which is not accessible from the host",
			(unsigned long long)subject->array->pointer,
			memory_kind_name(memory->kind));
}
