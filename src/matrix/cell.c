// SPDX-License-Identifier: MIT
#include "matrix/cell.h"

#include "base/array_size.h"
#include "base/text.h"
#include "consumers/narrowing.h"
#include "model/escape.h"
#include "model/job.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_REASON_BYTES = 300,
	MIN_ADDRESS_DIGITS = 6,
	MAX_NUMBER_DIGITS = 15,
	MAX_WORD_DISTANCE = 16
};

/* The addresses of position-independent programs and of mappings on 64-bit Linux. */
static const uint64_t MIN_ADDRESS = 1ULL << 46, MAX_ADDRESS = 1ULL << 48;

static const struct {
	const char *name, *meaning;
} states[] = {
	[CELL_CRASH] = { "CRASH", "the process crashes" },
	[CELL_HANG] = { "HANG", "the consumer does not return" },
	[CELL_LEFT] = { "left", "the consumer ends the process" },
	[CELL_WRONG] = { "WRONG", "the elements differ, without an exception" },
	[CELL_WRONG_ORDER] = { "wrong order",
		"the elements are read before the work that writes them" },
	[CELL_RESHAPED] = { "reshaped", "the result has another shape" },
	[CELL_NARROWED] = { "narrowed", "the element type becomes one of fewer values" },
	[CELL_UNKNOWN] = { "unknown", "the result proves nothing" },
	[CELL_REFUSED] = { "refused", "the consumer raises an exception" },
	[CELL_COPIED] = { "copied", "equal elements, in other memory" },
	[CELL_SHARED] = { "shared", "equal elements, in the same memory" },
	[CELL_ABSENT] = { "absent", "not installed, or the producer has no such array" },
};

const char *cell_state_name(enum cell_state state)
{
	return states[state].name;
}

enum cell_state cell_state_from_name(const char *name)
{
	enum cell_state state = 0;

	while (state < CELL_N_STATES && strcmp(states[state].name, name) != 0)
		state++;
	return state;
}

const char *cell_state_meaning(enum cell_state state)
{
	return states[state].meaning;
}

bool cell_needs_proof(enum cell_state state)
{
	return state <= CELL_WRONG_ORDER;
}

/* --- reasons --- */

/* Whether the end of a line announces an address: "Tensor(", "data pointer ". */
static bool announces_address(const struct text *line)
{
	static const char *const words[] = { "address", "pointer", "ptr", "data", " at " };
	size_t n_bytes = line->n_bytes < MAX_WORD_DISTANCE ? line->n_bytes : MAX_WORD_DISTANCE;
	char end[MAX_WORD_DISTANCE + 1];

	memcpy(end, line->bytes + line->n_bytes - n_bytes, n_bytes);
	end[n_bytes] = 0;
	if (n_bytes && strchr("(<", end[n_bytes - 1]))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strstr(end, words[i]))
			return true;
	return false;
}

/* The length of a number such as 94334478256800 that can be an address of this machine, which
 * differs between runs; 0: it is none. */
static size_t decimal_address_length(const struct text *line, const char *text)
{
	size_t n_digits = strspn(text, "0123456789");
	uint64_t number = n_digits >= MIN_ADDRESS_DIGITS && n_digits <= MAX_NUMBER_DIGITS
				  ? strtoull(text, NULL, 10)
				  : 0;

	return number >= MIN_ADDRESS && number < MAX_ADDRESS && announces_address(line) ? n_digits
											: 0;
}

/* The length of "0x7f12..." at text, which follows the line; 0: it is no address. */
static size_t address_length(const struct text *line, const char *text)
{
	size_t n_digits = 0;

	if (text[0] != '0' || text[1] != 'x')
		return decimal_address_length(line, text);
	while (isxdigit((unsigned char)text[2 + n_digits]))
		n_digits++;
	return n_digits >= MIN_ADDRESS_DIGITS ? 2 + n_digits : 0;
}

/* The first line that is not empty, which ends with "..." if it was longer. */
static const char *first_line(struct arena *arena, const char *text, bool has_addresses)
{
	struct text line = { 0 };
	const char *stable;
	char previous = ' ';

	text_add(&line, "");
	text += text ? strspn(text, " \t\r\n") : 0;
	while (text && *text && *text != '\n' && line.n_bytes < MAX_REASON_BYTES) {
		bool is_in_number = isalnum((unsigned char)previous) || previous == '-';
		size_t n_address = has_addresses && !is_in_number ? address_length(&line, text) : 0;
		size_t n_bytes = n_address ? n_address : escape_utf8_length(text, strlen(text));

		if (n_address)
			text_add(&line, "0x...");
		else
			text_add_bytes(&line, text, n_bytes ? n_bytes : 1);
		text += n_bytes ? n_bytes : 1;
		previous = line.bytes[line.n_bytes - 1];
	}
	if (text && *text && *text != '\n')
		text_add(&line, "...");
	stable = arena_copy(arena, line.bytes, line.n_bytes);
	text_free(&line);
	return stable;
}

const char *cell_stable_line(struct arena *arena, const char *text)
{
	return first_line(arena, text, true);
}

/* The line of a message of suai about elements, whose numbers are not addresses. */
static const char *line_of_elements(struct arena *arena, const char *text)
{
	return first_line(arena, text, false);
}

/* "" of what suai itself states. */
static const char *type_of_error(const struct fact_error *error)
{
	const char *type = fact_text_or(error->type, "");

	return !strncmp(type, "builtins.", strlen("builtins.")) ? type + strlen("builtins.") : type;
}

const char *cell_error_line(
	struct arena *arena, const struct fact_error *error, const char *fallback)
{
	const char *message = cell_stable_line(arena, error->message);
	const char *type = type_of_error(error);

	return *message ? message : *type ? type : fallback;
}

static const char *show_exception(struct arena *arena, const struct fact_error *error)
{
	const char *type = type_of_error(error);
	/* Without a type, it is what suai states of the producer's object. */
	const char *message = first_line(arena, error->message, *type);
	const char *separator = *type && *message ? ": " : "";

	return arena_printf(arena, "%s%s%s", type, separator, message);
}

/* --- states --- */

static struct cell_outcome judge_loss(
	struct arena *arena, const struct fact_consumption *consumption)
{
	const char *step = fact_text_or(consumption->step, PASS_STEP_CALL);
	const char *why = cell_stable_line(arena, fact_text_or(consumption->error.message, "?"));
	const char *reason = arena_printf(arena, "%s: %s", step, why);

	if (!strcmp(step, PASS_STEP_PRODUCE))
		return (struct cell_outcome){ CELL_ABSENT, reason };
	if (consumption->outcome == TRIAL_HUNG)
		return (struct cell_outcome){ CELL_HANG, reason };
	return (struct cell_outcome){ consumption->outcome == TRIAL_LEFT ? CELL_LEFT : CELL_CRASH,
		reason };
}

static bool is_reshaped(const struct fact_consumption *consumption)
{
	const struct fact_ints *from = &consumption->shape, *to = &consumption->result_shape;

	return from->known && to->known &&
	       (from->n_items != to->n_items ||
		       (from->n_items && memcmp(from->items, to->items,
						 from->n_items * sizeof(*from->items)) != 0));
}

/* The elements differ in all readings that could be taken. */
static struct cell_outcome judge_difference(struct arena *arena,
	const struct fact_consumption *consumption, const struct fact_reading *reading)
{
	const char *difference =
		line_of_elements(arena, fact_text_or(reading->difference, "they differ"));
	const char *from = consumption->dtype, *to = consumption->result_dtype;
	bool is_other_type = from && to && strcmp(from, to) != 0;

	if (consumption->pending == ANSWER_YES)
		return (struct cell_outcome){ CELL_WRONG_ORDER, difference };
	if (is_reshaped(consumption))
		return (struct cell_outcome){ CELL_RESHAPED,
			is_other_type
				? arena_printf(arena, "%s, and %s becomes %s", difference, from, to)
				: difference };
	if (is_other_type && (dtype_name_is_narrower(from, to) || reading->rounded == ANSWER_YES))
		return (struct cell_outcome){ CELL_NARROWED,
			arena_printf(arena, "%s becomes %s", from, to) };
	if (is_other_type)
		difference = arena_printf(arena, "%s becomes %s: %s", from, to, difference);
	else if (consumption->read_as)
		difference =
			arena_printf(arena, "%s is ignored: %s", consumption->read_as, difference);
	return (struct cell_outcome){ CELL_WRONG, difference };
}

/* The consumer returned an object. */
static struct cell_outcome judge_result(
	struct arena *arena, const struct fact_consumption *consumption)
{
	const struct fact_reading *equal = NULL, *different = NULL, *unread = NULL;
	bool is_empty = false;

	for (size_t i = 0; i < consumption->readings.n_items; i++) {
		const struct fact_reading *reading = &consumption->readings.items[i];

		if (reading->equal == ANSWER_YES)
			equal = reading;
		else if (reading->equal == ANSWER_NO && !different)
			different = reading;
		else if (reading->equal == ANSWER_UNKNOWN && !unread)
			unread = reading;
	}
	for (size_t i = 0; i < consumption->shape.n_items; i++)
		is_empty |= consumption->shape.items[i] == 0;
	if (fact_text_is(consumption->result_dtype, "object"))
		return (struct cell_outcome){ CELL_UNKNOWN,
			"the result is an array of Python objects" };
	if (equal && different)
		return (struct cell_outcome){ CELL_UNKNOWN,
			arena_printf(arena, "equal elements by %s, but not by %s",
				fact_text_or(equal->how, "?"), fact_text_or(different->how, "?")) };
	if (different)
		return judge_difference(arena, consumption, different);
	if (!equal)
		return (struct cell_outcome){ CELL_UNKNOWN,
			unread ? line_of_elements(
					 arena, fact_text_or(unread->reason, "it cannot be read"))
			       : arena_printf(arena, "the result, %s, exposes no elements",
					 fact_text_or(consumption->type, "?")) };
	if (consumption->dtype && consumption->result_dtype &&
		dtype_name_is_narrower(consumption->dtype, consumption->result_dtype))
		return (struct cell_outcome){ CELL_NARROWED,
			arena_printf(arena, "%s becomes %s", consumption->dtype,
				consumption->result_dtype) };
	if (consumption->shared == ANSWER_YES || is_empty)
		return (struct cell_outcome){ CELL_SHARED, NULL };
	if (consumption->shared == ANSWER_NO)
		return (struct cell_outcome){ CELL_COPIED, NULL };
	return (struct cell_outcome){ CELL_UNKNOWN, "equal elements, whose address is unknown" };
}

struct cell_outcome cell_judge(
	struct arena *arena, const struct fact_target *target, bool is_own_array)
{
	const struct fact_consumption *consumption = &target->consumption;

	if (!consumption->present || target->status != STATUS_OK)
		return (struct cell_outcome){ CELL_UNKNOWN,
			cell_error_line(arena, &target->error, "there is no result") };
	switch (consumption->outcome) {
	case TRIAL_CRASHED:
	case TRIAL_HUNG:
	case TRIAL_LEFT:
		return judge_loss(arena, consumption);
	case TRIAL_RAISED:
		return (struct cell_outcome){ CELL_REFUSED,
			show_exception(arena, &consumption->error) };
	case TRIAL_DONE:
		break;
	default:
		return (struct cell_outcome){ CELL_ABSENT,
			show_exception(arena, &consumption->producer_error) };
	}
	if (consumption->same_object == ANSWER_YES && is_own_array)
		return (struct cell_outcome){ CELL_SHARED, NULL };
	if (consumption->same_object == ANSWER_YES)
		return (struct cell_outcome){ CELL_UNKNOWN,
			"the consumer returns the object that it was passed" };
	return judge_result(arena, consumption);
}
