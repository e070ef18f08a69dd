// SPDX-License-Identifier: MIT
/* The interfaces of an object, gathered by what they say; where they differ, who says what. */
#include "rules/cross/agreement.h"

#include "protocols/protocol.h"
#include "rules/dlpack/dlpack.h"

#include <string.h>

static bool is_protocol(const struct subject *subject, const char *name)
{
	return value_is_text(value_get(subject->interface, "protocol"), name);
}

/* A DLPack export that was asked to be, or says that it is, other memory than the object's. */
static bool is_copied_export(const struct subject *subject)
{
	const struct value *arguments;

	if (!is_protocol(subject, "dlpack"))
		return false;
	arguments = value_get(dlpack_shown_call(subject), "arguments");
	return dlpack_flags(subject) & DLPACK_IS_COPIED ||
	       value_bool_or(value_get(arguments, "copy"), false) ||
	       !value_is_null(value_get(arguments, "dl_device"));
}

static void add_statement(struct agreement *agreement, const struct subject *subject)
{
	const char *name = value_text_or(value_get(subject->interface, "protocol"), "");
	const struct protocol *protocol = protocol_find(name);
	struct statement *statement;

	if (!protocol || (is_protocol(subject, "dlpack") && dlpack_is_long(subject)) ||
		!shared_was_read(subject->interface) ||
		agreement->n_statements == AGREEMENT_MAX_STATEMENTS)
		return;
	statement = &agreement->statements[agreement->n_statements++];
	statement->by = protocol->attribute;
	statement->subject = subject;
	statement->array = subject->array;
	statement->is_copy = is_copied_export(subject);
	statement->is_packed = is_protocol(subject, "dlpack") && dlpack_is_packed(subject);
}

/* False where there are no two; what cannot be described is a skip where there was something to
 * compare. */
static bool drop_undescribed(struct agreement *agreement)
{
	size_t n_read = agreement->n_statements;

	agreement->n_statements = 0;
	for (size_t i = 0; i < n_read; i++) {
		const struct statement *statement = &agreement->statements[i];

		if (statement->array)
			agreement->statements[agreement->n_statements++] = *statement;
		else if (n_read > 1)
			rule_skip(agreement->report, "%s of the object cannot be compared: %s",
				statement->by, statement->subject->array_error);
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

/* Whether bytes holds all that an index of array reaches. */
static bool covers(const struct array *bytes, const struct array *array)
{
	uint64_t low, high, bytes_low, bytes_high;
	struct err ignored;

	return !array_extent(bytes, &bytes_low, &bytes_high, &ignored) &&
	       !array_extent(array, &low, &high, &ignored) && bytes_low <= low &&
	       high <= bytes_high;
}

/* A buffer of the plain bytes of what the others describe, such as PyAV's planes have, is another
 * view of the same memory and no other array. Not beside another flat array of bytes: there the
 * two lengths differ. */
static void mark_bytes(struct agreement *agreement)
{
	for (size_t i = 0; i < agreement->n_statements; i++) {
		struct statement *bytes = &agreement->statements[i];

		bytes->is_bytes =
			is_protocol(bytes->subject, "buffer") && is_flat_bytes(bytes->array);
		for (size_t k = 0; bytes->is_bytes && k < agreement->n_statements; k++) {
			const struct statement *other = &agreement->statements[k];

			bytes->is_bytes = k == i || other->is_copy ||
					  (!is_flat_bytes(other->array) &&
						  covers(bytes->array, other->array));
		}
	}
}

static bool takes_part(const struct subject *subject, const char *chosen)
{
	struct rule rule = { .protocols = chosen };

	return !chosen ||
	       rule_judges(&rule, value_text_or(value_get(subject->interface, "protocol"), ""));
}

bool agreement_start(struct agreement *agreement, const struct subject *subject,
	struct report *report, const char *chosen)
{
	*agreement = (struct agreement){ .subject = subject, .report = report };
	if (value_bool_or(value_at(subject->target, "own.scalar"), false)) {
		rule_skip(report, "a NumPy scalar is copied elsewhere at each read");
		return false;
	}
	if (subject->interface)
		add_statement(agreement, subject);
	for (size_t i = 0; i < subject->n_interfaces; i++)
		if (subject->interfaces[i].interface != subject->interface &&
			takes_part(&subject->interfaces[i], chosen))
			add_statement(agreement, &subject->interfaces[i]);
	if (!drop_undescribed(agreement) || (subject->interface && !subject->array))
		return false;
	mark_bytes(agreement);
	return true;
}

/* Those that say the same; the first of them speaks for the others. */
struct group {
	const struct array *array;
	const char *by; /* "__dlpack__ and buffer" */
};

static struct group *find_group(const struct aspect *aspect, struct group *groups, size_t n_groups,
	const struct statement *statement)
{
	for (size_t i = 0; i < n_groups; i++)
		if (aspect->agrees(groups[i].array, statement->array))
			return &groups[i];
	return NULL;
}

/* Statements that are vague come last, lest they hide that others differ, and speak for none. */
static size_t gather(
	const struct agreement *agreement, const struct aspect *aspect, struct group *groups)
{
	struct arena *arena = agreement->subject->arena;
	size_t n_groups = 0;

	for (int vague = 0; vague < 2; vague++)
		for (size_t i = 0; i < agreement->n_statements; i++) {
			const struct statement *statement = &agreement->statements[i];
			struct group *group;

			if ((aspect->is_vague && aspect->is_vague(statement->array)) !=
					(vague == 1) ||
				!aspect->tells(agreement, statement))
				continue;
			group = find_group(aspect, groups, n_groups, statement);
			if (group && vague)
				continue;
			if (group)
				group->by =
					arena_printf(arena, "%s and %s", group->by, statement->by);
			else
				groups[n_groups++] =
					(struct group){ statement->array, statement->by };
		}
	return n_groups;
}

bool agreement_check(
	const struct agreement *agreement, const struct aspect *aspect, const char *field)
{
	struct group groups[AGREEMENT_MAX_STATEMENTS];
	size_t n_groups = gather(agreement, aspect, groups);
	struct arena *arena = agreement->subject->arena;
	const char *told = "";

	if (n_groups < 2)
		return true;
	for (size_t i = 0; i < n_groups; i++)
		told = arena_printf(arena, "%s%s%s by %s", told,
			i == 0              ? ""
			: i + 1 == n_groups ? ", and "
					    : ", ",
			aspect->show(arena, groups[i].array), groups[i].by);
	rule_fail(agreement->report, field, "%s %s", aspect->says, told);
	return false;
}
