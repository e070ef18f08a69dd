// SPDX-License-Identifier: MIT
/* The results of the lines that were tried, as remedies. */
#include "why/copy_causes.h"
#include "why/situation.h"
#include "why/why.h"

#include "base/array_size.h"
#include "base/words.h"
#include "consumers/narrowing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The beginning of notes on results whose elements differ from the object's. */
#define OTHER_ELEMENTS "the result has other elements: "

/* The beginning of what follows another note. */
#define NARROWED "; elements become "

/* Whether the line works only if the memory happens to be aligned: the consumer requires more than
 * the alignment of the elements, which the libraries' allocators do not guarantee. */
static bool is_aligned_by_chance(
	const struct fact_target *target, const struct why_attempt *attempt)
{
	struct situation at = { .target = target };

	for (size_t i = 0; !at.array && i < target->interfaces.n_items; i++)
		if (target->interfaces.items[i].array.present)
			at.array = &target->interfaces.items[i].array;
	return target->why.cause == CAUSE_ALIGNMENT && at.array && !attempt->conversion &&
	       !why_is_misaligned(&at);
}

/* Whether the consumer itself rejects read-only memory, and therefore writes to it. If a method of
 * the object raises the exception (why->step), a protocol cannot describe read-only memory. */
static bool is_written(const struct fact_why *why)
{
	return why->cause == CAUSE_READONLY && why->outcome == TRIAL_RAISED && !why->step;
}

/* Whether the line returns None, as functions that change an array in place do. */
static bool returns_none(const struct fact_why *result)
{
	return fact_text_is(result->type, "NoneType");
}

/* Whether the consumer computes: it accepts the elements of the object, and returns others, or no
 * array. An array of Python objects is NumPy's wrapper of what it cannot read. */
static bool computes(const struct why_attempt *attempt, const struct fact_why *result)
{
	return !attempt->replaces_consumer && result->equal != ANSWER_YES &&
	       result->passed.equal == ANSWER_YES && !fact_text_is(result->result_dtype, "object");
}

/* Whether the line passes NumPy's wrapper of an object that is not an array. */
static bool passes_object(const struct fact_target *target, const struct fact_why *result)
{
	return fact_text_is(result->passed.dtype, "object") && !why_is_read_by_numpy(target);
}

/* Whether the line was not tried, because its array could need too much memory. */
static bool is_too_large(const struct fact_why *result)
{
	return result->passed.obtained == ANSWER_NO &&
	       strstr(fact_text_or(result->error.message, ""), "'" WHY_TOO_LARGE "'");
}

const char *why_line_fails(struct arena *arena, const struct fact_target *target,
	const struct why_attempt *attempt, const struct fact_target *tried)
{
	const struct situation at = why_situation(arena, target);
	const struct fact_why *result = &tried->why;
	const struct fact_error *error = result->error.present ? &result->error : &tried->error;

	if (attempt->skipped)
		return attempt->skipped;
	if (is_too_large(result))
		return WHY_NOT_TRIED "the array would have more than 33,554,432 elements";
	if (tried->status == STATUS_UNAVAILABLE || result->outcome == TRIAL_SKIPPED)
		return WHY_NOT_TRIED "the process was lost with another line";
	if (!result->present || result->outcome != TRIAL_DONE)
		return error->type || error->message
			       ? fact_exception(arena, error->type, error->message)
			       : "no result";
	if (attempt->conversion && fact_text_is(result->type, "suai.Array"))
		return "the consumer returns what it is passed";
	/* The line returns the object itself, which the consumer rejects. */
	if (target->why.verdict != WHY_COPIED && attempt->replaces_consumer &&
		result->is_object == ANSWER_YES)
		return arena_printf(arena, WHY_IS_OBJECT "%s",
			fact_text_is(result->type, "numpy.ndarray")
				? "NumPy array"
				: fact_text_or(result->type, "array"));
	/* NumPy compares arrays without dimensions with numbers, as which they are equal. */
	if (why_is_list_of_arrays(&at, result))
		return WHY_IS_OF_OBJECTS;
	if (target->why.verdict != WHY_COPIED && computes(attempt, result))
		return NULL;
	if (result->equal != ANSWER_YES && result->passed.equal == ANSWER_NO &&
		!attempt->allows_changes)
		return fact_text_or(result->difference, "what it passes has other elements");
	if (result->equal == ANSWER_UNKNOWN && !attempt->allows_changes &&
		passes_object(target, result))
		return "it passes the object itself, or its items, in an array of Python objects";
	if (result->equal == ANSWER_UNKNOWN && !attempt->allows_changes &&
		why_has_null_data(&(struct situation){ .target = target }))
		return "the object declares NULL as the address of its elements";
	if (returns_none(result) && result->passed.equal != ANSWER_YES && !attempt->allows_changes)
		return WHY_PASSED_NOT_COMPARED;
	if (result->equal == ANSWER_NO && !attempt->allows_changes)
		return fact_text_or(result->difference, "the result has other elements");
	if (result->equal == ANSWER_UNKNOWN && !attempt->allows_changes && !returns_none(result))
		return fact_text_is(result->result_dtype, "object") ? WHY_IS_OF_OBJECTS
								    : WHY_NOT_COMPARED;
	if (target->why.verdict == WHY_COPIED && result->shared != ANSWER_YES)
		return "copies as well";
	if (is_written(&target->why) && result->shared == ANSWER_YES)
		return "the consumer writes to memory that the object declares read-only";
	if (is_aligned_by_chance(target, attempt))
		return "the memory is aligned as the consumer requires only by chance";
	return NULL;
}

const char *why_replaced_null(const char *difference)
{
	return strstr(difference, " is nan,")   ? "NaN"
	       : strstr(difference, " is NaT,") ? "NaT"
						: "values";
}

static bool is_untried(const char *reason)
{
	return reason && !strncmp(reason, WHY_NOT_TRIED, strlen(WHY_NOT_TRIED));
}

bool why_is_unproven(const char *reason)
{
	return reason &&
	       (!strcmp(reason, WHY_NOT_COMPARED) || !strcmp(reason, WHY_PASSED_NOT_COMPARED));
}

/* Whether the line could be a remedy: the object has the method that it uses, and the consumer has
 * the argument. */
static bool is_applicable(const struct fact_why *result)
{
	const char *type = fact_text_or(result->exception, ""),
		   *message = fact_text_or(result->error.message, "");

	if (result->outcome != TRIAL_RAISED || is_too_large(result))
		return true;
	if (result->passed.obtained == ANSWER_NO)
		return strcmp(type, "AttributeError") != 0 && strcmp(type, "TypeError") != 0 &&
		       strcmp(type, "ModuleNotFoundError") != 0;
	return strcmp(type, "TypeError") != 0 || !strstr(message, "unexpected keyword argument");
}

/* Whether the object exposes its elements only as bytes of a buffer, because the interface that
 * describes their type cannot be read. */
static bool has_only_bytes(const struct fact_target *target)
{
	bool has_bytes = false, is_refused = false;

	for (size_t i = 0; i < target->interfaces.n_items; i++) {
		const struct fact_interface *interface = &target->interfaces.items[i];
		const struct fact_array *array = &interface->array;

		is_refused |= interface->status != INTERFACE_OK;
		has_bytes |= array->present && array->shape.n_items == 1 &&
			     fact_text_is(array->dtype, "uint8");
		if (array->present && !fact_text_is(array->dtype, "uint8"))
			return false;
	}
	return has_bytes && is_refused;
}

bool why_is_shape(const char *difference)
{
	return !strncmp(difference, "its shape is ", strlen("its shape is "));
}

/* Whether elements of `type` cannot represent all values of `source`, or are of a kind that
 * consumers treat differently: objects, booleans, complex numbers. */
static bool is_unlike(const char *source, const char *type)
{
	bool is_integer = !strncmp(source, "int", 3) || !strncmp(source, "uint", 4);
	long n_bits = is_integer ? strtol(source + strcspn(source, "0123456789"), NULL, 10) : 0;
	long n_exact = !strcmp(type, "float16")   ? 11
		       : !strcmp(type, "float32") ? 24
		       : !strcmp(type, "float64") ? 53
						  : n_bits;

	return (!strcmp(type, "object") && strcmp(source, "object") != 0) ||
	       dtype_name_is_narrower(source, type) || n_bits > n_exact ||
	       (!strcmp(type, "bool") && strcmp(source, "bool") != 0) ||
	       (!strncmp(type, "complex", 7) && strncmp(source, "complex", 7) != 0);
}

/* The element type of what is passed, or of the result, if is_unlike() the object's, although these
 * elements are equal; otherwise NULL. */
static const char *narrowed_type(
	struct arena *arena, const struct fact_target *target, const struct fact_why *result)
{
	const struct situation at = why_situation(arena, target);
	const char *source = why_element_type(&at);
	const char *const types[] = { result->passed.dtype, result->result_dtype };
	/* The result of a consumer that computes may have any type. */
	size_t n_types = result->equal == ANSWER_YES ? ARRAY_SIZE(types) : 1;

	if (source && !strncmp(source, "<class", strlen("<class")))
		source = NULL; /* what QuTiP's dtype returns is the type of the storage */
	for (size_t i = 0; source && i < n_types; i++)
		if (types[i] && is_unlike(why_number_name(arena, source), types[i]))
			return types[i];
	return NULL;
}

/* "nulls become NaN: element (1,) is nan, expected a null", from the difference where a null
 * was. */
static const char *nulls_note(struct arena *arena, const char *difference)
{
	return arena_printf(
		arena, "nulls become %s: %s", why_replaced_null(difference), difference);
}

/* How the result differs from the object; NULL: it does not. */
static const char *result_note(struct arena *arena, const struct fact_target *target,
	const struct why_attempt *attempt, const struct fact_why *result)
{
	if (returns_none(result))
		return is_written(&target->why)
			       ? "returns None; the copy is changed, not the object"
			       : "returns None";
	if (result->difference && strstr(result->difference, "is nan, expected None"))
		return nulls_note(arena, result->difference);
	if (computes(attempt, result))
		return result->difference
			       ? arena_printf(arena, OTHER_ELEMENTS "%s", result->difference)
			       : arena_printf(arena, "returns %s, which was not compared",
					 fact_text_or(result->type, "an object"));
	if (result->difference && !why_is_shape(result->difference))
		return nulls_note(arena, result->difference);
	return result->difference ? arena_printf(arena, "the result has the shape %s",
					    words_tuple(arena, result->result_shape.items,
						    (int)result->result_shape.n_items))
				  : NULL;
}

/* Whether the result has a narrower type of the same kind than what was passed: float32 of float64.
 */
static bool loses_digits(const struct fact_why *result)
{
	const char *passed = result->passed.dtype, *type = result->result_dtype;

	return passed && type && !strncmp(passed, type, strcspn(passed, "0123456789")) &&
	       dtype_name_is_narrower(passed, type);
}

/* Whether the object is masked and the result has its elements, but is no masked array. */
static bool loses_mask(
	struct arena *arena, const struct fact_target *target, const struct fact_why *result)
{
	const struct situation at = why_situation(arena, target);

	return why_is_masked(&at) && result->equal == ANSWER_YES &&
	       !strstr(fact_text_or(result->type, ""), "Masked");
}

/* What the user must know about a line that works; NULL: nothing. */
static const char *note_of(struct arena *arena, const struct fact_target *target,
	const struct why_attempt *attempt, const struct fact_why *result)
{
	const char *note = result_note(arena, target, attempt, result),
		   *narrowed = narrowed_type(arena, target, result);

	if (!note && loses_mask(arena, target, result))
		note = "ignores the mask";
	if (attempt->note)
		return loses_digits(result) ? arena_printf(arena, "%s" NARROWED "%s", attempt->note,
						      result->result_dtype)
					    : attempt->note;
	if (result->equal == ANSWER_YES && has_only_bytes(target) &&
		fact_text_is(result->result_dtype, "uint8"))
		return "bytes, without the type and the shape of the elements";
	if (!narrowed)
		return note;
	if (!strcmp(narrowed, "object"))
		narrowed = "Python objects";
	return note ? arena_printf(arena, "%s" NARROWED "%s", note, narrowed)
		    : arena_printf(arena, "elements become %s", narrowed);
}

void why_take(struct arena *arena, struct fact_target *target, const struct why_attempt *attempt,
	const struct fact_target *tried)
{
	const struct fact_why *result = &tried->why;
	struct fact_remedy *remedy;
	const char *reason;

	if (attempt->tests) {
		why_take_copy_experiment(arena, target, attempt->tests, result);
		return;
	}
	if (!is_applicable(result))
		return;
	reason = why_line_fails(arena, target, attempt, tried);
	if (!reason && !target->why.cause && attempt->into_library) {
		target->why.cause = CAUSE_NO_PROTOCOL;
		target->why.message =
			"the consumer takes arrays of its own library; it accepts one with the same elements";
	}
	remedy = FACT_LIST_ADD(arena, &target->why.remedies);
	*remedy = (struct fact_remedy){ .present = true,
		.line = attempt->line,
		.works = why_is_unproven(reason) || is_untried(reason) ? ANSWER_UNKNOWN
								       : answer_of(!reason),
		.shared = reason ? ANSWER_UNKNOWN : result->shared,
		.type = result->type,
		.dtype = result->result_dtype,
		.note = reason ? attempt->note : note_of(arena, target, attempt, result),
		.reason = reason };
}

static bool is_computed(const struct fact_remedy *remedy)
{
	return remedy->note && !strncmp(remedy->note, OTHER_ELEMENTS, strlen(OTHER_ELEMENTS));
}

static int rank_of(const struct fact_remedy *remedy)
{
	if (remedy->works != ANSWER_YES)
		return remedy->works == ANSWER_UNKNOWN && !is_untried(remedy->reason) ? 4 : 5;
	return (remedy->shared == ANSWER_YES              ? 0
		       : remedy->shared == ANSWER_UNKNOWN ? 1
							  : 2) +
	       (remedy->note != NULL);
}

/* The difference in a note of OTHER_ELEMENTS, without NARROWED. */
static const char *computed_difference(struct arena *arena, const struct fact_remedy *remedy)
{
	const char *difference = remedy->note + strlen(OTHER_ELEMENTS),
		   *end = strstr(difference, NARROWED);

	return end ? arena_copy(arena, difference, (size_t)(end - difference)) : difference;
}

/* Whether two differences such as "element (0,) is 6.5, expected 1" state almost the same number:
 * sums that are computed in another order differ in the last digits. */
static bool is_same_difference(const char *a, const char *b)
{
	const char *of_a = strstr(a, " is "), *of_b = strstr(b, " is ");
	char *end_a, *end_b;
	double x, y, larger;

	if (!strcmp(a, b))
		return true;
	if (!of_a || !of_b || of_a - a != of_b - b || strncmp(a, b, (size_t)(of_a - a)) != 0)
		return false;
	x = strtod(of_a + 4, &end_a);
	y = strtod(of_b + 4, &end_b);
	larger = fabs(x) > fabs(y) ? fabs(x) : fabs(y);
	return end_a != of_a + 4 && !strcmp(end_a, end_b) && fabs(x - y) <= 1e-4 * larger;
}

/* A function that computes returns the same result for each line that passes the object's elements
 * with their type. If results differ, or one line returns the object's elements, lines with other
 * results are rejected. */
static void reject_unlike_results(struct arena *arena, struct fact_why *why)
{
	const bool may_differ = why->cause == CAUSE_ELEMENT_TYPE;
	const char *first = NULL;
	bool is_alike = true;

	for (size_t i = 0; i < why->remedies.n_items; i++) {
		const struct fact_remedy *item = &why->remedies.items[i];
		const char *difference =
			is_computed(item) ? computed_difference(arena, item) : NULL;

		if (item->works != ANSWER_YES || (item->note && !difference))
			continue;
		is_alike = is_alike && difference &&
			   (!first || may_differ || is_same_difference(first, difference));
		first = difference;
	}
	for (size_t i = 0; !is_alike && i < why->remedies.n_items; i++) {
		struct fact_remedy *item = &why->remedies.items[i];

		if (item->works != ANSWER_YES || !is_computed(item))
			continue;
		item->works = ANSWER_NO;
		item->reason = computed_difference(arena, item);
		item->note = NULL;
	}
}

void why_finish(struct arena *arena, struct fact_target *target)
{
	struct fact_why *why = &target->why;
	struct fact_remedy *items = why->remedies.items;

	why->remedies.known = true;
	/* The consumer copies because of a property of the object, so a line that shares memory of
	 * this object may copy the next one. */
	for (size_t i = 0; i < why->remedies.n_items; i++)
		if (why->verdict == WHY_COPIED && items[i].works == ANSWER_YES &&
			why->cause != CAUSE_CONSUMER_COPIES && why->cause != CAUSE_NO_PROTOCOL) {
			items[i].works = ANSWER_NO;
			items[i].reason = "shares the memory of some arrays only";
		}
	reject_unlike_results(arena, why);
	/* The sort is stable, since the rows are in the order of preference. */
	for (size_t i = 1; i < why->remedies.n_items; i++)
		for (size_t j = i; j > 0 && rank_of(&items[j - 1]) > rank_of(&items[j]); j--) {
			const struct fact_remedy item = items[j];

			items[j] = items[j - 1];
			items[j - 1] = item;
		}
	if (why->verdict == WHY_COPIED && !why->cause)
		why->message =
			why_object_bytes(target) > WHY_MAX_COPIED_BYTES
				? arena_printf(arena,
					  "the cause of the copy of %s was not determined; only small arrays were compared with it",
					  why_size(arena, why_object_bytes(target)))
				: "the cause of the copy is unknown";
}
