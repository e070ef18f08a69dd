// SPDX-License-Identifier: MIT
/* What the consumer did, and why: accepted objects. Refusals are in refusals.c. */
#include "base/array_size.h"
#include "base/python_code.h"
#include "why/situation.h"
#include "why/why.h"

#include "model/job.h"

#include <stdio.h>
#include <string.h>

/* --- accepted objects --- */

/* Splits "float64" into the length of its kind ("float") and its number of bits (64). */
static int64_t split_type(const char *name, size_t *n_chars)
{
	long long bits = 0;

	*n_chars = strcspn(name, "0123456789");
	sscanf(name + *n_chars, "%lld", &bits);
	return bits;
}

static bool has_fewer_bits(const char *result, const char *source)
{
	size_t n_result, n_source;
	int64_t result_bits = split_type(result, &n_result);
	int64_t source_bits = split_type(source, &n_source);

	return n_result == n_source && !strncmp(result, source, n_source) &&
	       result_bits < source_bits;
}

/* Whether NumPy wrapped the object, which it cannot read, in an array of one Python object. It does
 * so with a released memoryview, and with an object that has only an interface for other
 * libraries. */
static bool is_wrapped(const struct situation *at, const struct fact_why *why)
{
	const struct fact_interface_list *interfaces = &at->target->interfaces;
	bool has_others = at->array && at->array->dtype &&
			  strcmp(at->array->dtype, "object") != 0 &&
			  fact_int_or(at->array->ndim, 0) > 0;

	for (size_t i = 0; at->array && !has_others && i < interfaces->n_items; i++)
		if (interfaces->items[i].status == INTERFACE_OK)
			return false;
	return at->target->own.scalar != ANSWER_YES && fact_text_is(why->result_dtype, "object") &&
	       why->result_shape.known && !why->result_shape.n_items;
}

/* Dates and durations, as their libraries name their types. */
static const struct {
	const char *prefix; /* before the unit */
	bool is_duration;
} time_types[] = {
	{ "datetime64[", false },
	{ "timestamp[", false },
	{ "Datetime(time_unit='", false },
	{ "timedelta64[", true },
	{ "duration[", true },
	{ "Duration(time_unit='", true },
};

/* The unit in the name of a type, such as "us" of "datetime64[us, UTC]"; NULL: of another type. */
static const char *time_unit_of(const char *type, size_t *n_chars, bool *is_duration)
{
	for (size_t i = 0; i < ARRAY_SIZE(time_types); i++) {
		const char *unit = type + strlen(time_types[i].prefix);

		if (strncmp(type, time_types[i].prefix, strlen(time_types[i].prefix)) != 0)
			continue;
		*n_chars = strcspn(unit, ",]')");
		*is_duration = time_types[i].is_duration;
		return unit;
	}
	return NULL;
}

/* Whether both types are those of dates, whatever their time zone is, or of durations. Sets
 * *same_unit. */
static bool are_times(const char *source, const char *result, bool *same_unit)
{
	bool is_duration, is_other;
	size_t n_source, n_result;
	const char *unit = time_unit_of(source, &n_source, &is_duration);
	const char *other = time_unit_of(result, &n_result, &is_other);

	if (!unit || !other || is_duration != is_other)
		return false;
	*same_unit = n_source == n_result && !strncmp(unit, other, n_source);
	return true;
}

/* Whether the types, which may be NULL, are those of dates or durations of different units. */
static bool has_other_unit(const char *source, const char *result)
{
	bool same_unit;

	return source && result && are_times(source, result, &same_unit) && !same_unit;
}

/* Whether a type of the object is that of the result. */
static bool is_same_type(struct arena *arena, const char *source, const char *result)
{
	bool same_unit;

	return !strcmp(why_number_name(arena, source), result) ||
	       !strcmp(why_type_name(source), result) ||
	       (are_times(source, result, &same_unit) && same_unit);
}

/* The verdict on a call that succeeded. source: the element type of the object if the result has
 * another one; otherwise NULL. */
static enum why_verdict verdict_of_accepted(
	const struct situation *at, const struct fact_why *why, const char *source)
{
	/* The memory of a lazily negated or conjugated tensor does not contain its values. */
	if (why_is_lazy(at) && why->equal == ANSWER_NO)
		return WHY_WRONG;
	/* Dates, and durations, of different units are compared as such. */
	if (why->equal == ANSWER_NO && has_other_unit(source, why->result_dtype))
		return WHY_WRONG;
	if (why->shared == ANSWER_YES && (source || why->equal != ANSWER_NO))
		return WHY_SHARED;
	if (source)
		return has_fewer_bits(why->result_dtype, source) ? WHY_NARROWED : WHY_CONVERTED;
	if (why->equal == ANSWER_NO)
		return WHY_WRONG;
	return why->shared == ANSWER_NO ? WHY_COPIED : WHY_ACCEPTED;
}

static void explain_wrapped(const struct situation *at, struct fact_why *why)
{
	why->verdict = WHY_WRONG;
	why->step = PASS_STEP_CALL;
	why->cause = CAUSE_NO_PROTOCOL;
	why->message = arena_printf(at->arena,
		why->result_shape.n_items
			? "%s, and the result is an array of Python objects, which are of its type"
			: "%s, and the result is an array of one Python object, which is the object itself",
		!at->target->interfaces.n_items ? "the object exposes no array interface"
		: at->array
			? arena_printf(at->arena,
				  "the consumer reads no interface of the object, which exposes %s",
				  why_detail_exposed(at))
			: "no interface of the object can be read");
}

/* NumPy allocates memory for an array whose address is NULL, and does not initialize it. */
static void explain_null_data(const struct situation *at, struct fact_why *why)
{
	if (why->verdict != WHY_WRONG)
		why->verdict = WHY_ACCEPTED;
	why->step = PASS_STEP_CALL;
	why->cause = CAUSE_PRODUCER_ERROR;
	why->message = arena_printf(at->arena,
		"the object declares NULL as the address of its elements, so that those of the result are undefined%s%s",
		why->difference ? ": " : "", fact_text_or(why->difference, ""));
}

/* The elements in memory are not the values of the object, with which those of the result were
 * compared. */
static void explain_lazy(const struct situation *at, struct fact_why *why)
{
	why->cause = CAUSE_PENDING_OPERATION;
	if (why->equal == ANSWER_NO) {
		why->step = PASS_STEP_CALL;
		why->message = arena_printf(at->arena,
			"the consumer ignores the operation that is pending on the elements (%s): %s",
			why_detail_pending(at), fact_text_or(why->difference, "?"));
	} else {
		why->message = arena_printf(at->arena,
			"the result has the values of the object, on whose elements an operation is pending (%s)",
			why_detail_pending(at));
	}
}

/* The elements in memory are not the values of the object. */
static void explain_pending(const struct situation *at, struct fact_why *why)
{
	if (why->verdict == WHY_WRONG)
		why->verdict = why->shared == ANSWER_NO ? WHY_COPIED : WHY_ACCEPTED;
	why->cause = CAUSE_PENDING_OPERATION;
	if (why_is_masked(at)) {
		why->message =
			why->equal == ANSWER_NO
				? "elements of the object are masked, and the result differs from its memory"
				: "the consumer accepts the memory of the object, which does not contain its mask";
		return;
	}
	why->message = arena_printf(at->arena,
		why->equal == ANSWER_NO
			? "an operation is pending on the elements (%s), and the result differs from the memory of the object"
			: "the consumer accepts the memory of the object, in which an operation is pending (%s)",
		why_detail_pending(at));
}

static void explain_wrong(const struct situation *at, struct fact_why *why)
{
	const char *difference = fact_text_or(why->difference, "?");

	if (strstr(difference, "expected None")) {
		why->cause = CAUSE_NULLS;
		why->message = arena_printf(
			at->arena, "the consumer replaces nulls by values: %s", difference);
	} else if (!strncmp(difference, PASS_UNREADABLE, strlen(PASS_UNREADABLE))) {
		why->cause = CAUSE_DEVICE;
		why->message = arena_printf(at->arena,
			"the consumer reads an interface for host memory: %s; an access to it ends the process",
			difference);
	} else if (why->shared == ANSWER_YES && why_has_foreign_order(at)) {
		why->cause = CAUSE_BYTE_ORDER;
		why->message = arena_printf(at->arena,
			"the consumer ignores the byte order of the elements: %s", difference);
	} else if (has_other_unit(why_element_type(at), why->result_dtype)) {
		why->cause = CAUSE_ELEMENT_TYPE;
		why->message =
			arena_printf(at->arena, "the consumer does not convert the unit of %s: %s",
				why_element_type(at), difference);
	} else {
		why->message = arena_printf(
			at->arena, "the result has other elements than the object: %s", difference);
	}
}

/* The result has another element type than the object. */
static void explain_element_type(
	const struct situation *at, struct fact_why *why, const char *source)
{
	if (at->target->own.scalar == ANSWER_YES && !strcmp(why->result_dtype, "object")) {
		why->cause = CAUSE_DIMENSIONS;
		why->message = "the consumer treats the scalar as a Python object, not as an array";
	} else if (!strcmp(why->result_dtype, "object") && !why_is_read_by_numpy(at->target)) {
		why->cause = CAUSE_NO_PROTOCOL;
		why->message =
			"the object exposes no array interface, and the result is an array of Python objects";
	} else {
		why->cause = CAUSE_ELEMENT_TYPE;
		why->message = arena_printf(at->arena,
			"the consumer makes %s of %s; no memory can be shared between types",
			why->result_dtype, source);
	}
}

static struct device device_of_result(const struct fact_why *why)
{
	const struct fact_device_number *found = &why->result_at;

	return (struct device){ found->type, found->id.known ? found->id.value : -1 };
}

static void explain_copy(const struct situation *at, struct fact_why *why)
{
	if (why->equal == ANSWER_YES && why->difference && !why_is_shape(why->difference)) {
		why->cause = CAUSE_NULLS;
		why->message = arena_printf(at->arena, "the consumer replaces nulls by %s: %s",
			why_replaced_null(why->difference), why->difference);
	} else if (at->array && why->result_device && why->shared == ANSWER_NO &&
		   device_differs(device_of_result(why), why_device(at))) {
		why->cause = CAUSE_DEVICE;
		why->message = arena_printf(at->arena,
			"the elements are on device %s, and the consumer copies them to device %s",
			why_detail_device(at), why->result_device);
	} else if (at->target->own.scalar == ANSWER_YES) {
		why->cause = CAUSE_DIMENSIONS;
		why->message = "the object is a scalar, whose memory consumers do not share";
	} else if (why_has_foreign_order(at) && why->result_swapped == ANSWER_NO) {
		why->cause = CAUSE_BYTE_ORDER;
		why->message = "the consumer copies to change the byte order of the elements";
	}
}

static void explain_accepted(const struct situation *at, struct fact_why *why)
{
	const char *source = why_element_type(at);

	if (source && (!why->result_dtype || is_same_type(at->arena, source, why->result_dtype)))
		source = NULL;
	why->verdict = verdict_of_accepted(at, why, source);
	if (why->verdict == WHY_SHARED && source)
		why->message = arena_printf(at->arena,
			"the result views the memory of the %s elements as %s", source,
			why->result_dtype);
	if (is_wrapped(at, why) || why_is_list_of_arrays(at, why)) {
		explain_wrapped(at, why);
	} else if (why->equal != ANSWER_YES && why_has_null_data(at)) {
		explain_null_data(at, why);
	} else if (why_is_lazy(at) && why->equal != ANSWER_UNKNOWN) {
		explain_lazy(at, why);
	} else if (why_has_pending_operation(at)) {
		explain_pending(at, why);
	} else if (why->verdict != WHY_SHARED && why->verdict != WHY_ACCEPTED) {
		why->step = PASS_STEP_CALL;
		if (why->verdict == WHY_WRONG)
			explain_wrong(at, why);
		else if (source)
			explain_element_type(at, why, source);
		else
			explain_copy(at, why);
	}
}

void why_explain(struct arena *arena, struct fact_target *target, const struct why_names *names)
{
	struct fact_why *why = &target->why;
	const struct situation at = why_situation(arena, target);
	const char *malformed = why->outcome == TRIAL_CRASHED ? why_detail_malformed(&at) : NULL;

	if (why->result_at.type)
		why->result_device = device_text(arena, device_of_result(why));
	if (why->outcome == TRIAL_DONE) {
		explain_accepted(&at, why);
	} else if (why->outcome == TRIAL_RAISED) {
		why->verdict = WHY_REFUSED;
		why_explain_refusal(&at, why);
	} else if (why_is_producer_lost(&at)) {
		why->verdict = WHY_LOST;
		why->cause = CAUSE_PRODUCER_LOST;
		why->message = arena_printf(arena,
			"the process does not survive %s of the object, without the consumer either: %s",
			target->step, fact_text_or(target->error.message, "?"));
		if (!strncmp(target->step, "__", 2))
			why->step = arena_printf(arena, "_.%s", target->step);
	} else if (malformed && !why_has_sound(&at)) {
		why->verdict = WHY_LOST;
		why->cause = CAUSE_PRODUCER_ERROR;
		why->message = arena_printf(arena,
			"an interface of the object is malformed, which the consumer does not check: %s",
			malformed);
	} else {
		why->verdict = WHY_LOST;
		why->cause = CAUSE_CONSUMER_LOST;
		why->message = arena_printf(arena,
			"the process did not survive the consumer: %s%s%s", why_detail_error(&at),
			malformed ? "; an interface of the object is malformed: " : "",
			malformed ? malformed : "");
	}
	if (why->step)
		why->step = expression_replace_name(
			arena, why->step, "_", expression_as_primary(arena, names->object));
}

bool why_is_doubtful(struct arena *arena, const struct fact_target *target)
{
	const struct situation at = why_situation(arena, target);

	if (target->why.verdict == WHY_REFUSED)
		return why_is_refusal_doubtful(&at);
	return target->why.cause == CAUSE_ELEMENT_TYPE && why_may_have_nulls(target);
}

bool why_is_unconfirmed(struct arena *arena, const struct fact_target *target)
{
	const struct fact_why *why = &target->why;

	if (why->verdict != WHY_REFUSED || !why->cause || why_is_doubtful(arena, target) ||
		!why_is_among(why->cause,
			WHY_BIT(CAUSE_STRIDES) | WHY_BIT(CAUSE_READONLY) |
				WHY_BIT(CAUSE_BYTE_ORDER) | WHY_BIT(CAUSE_ALIGNMENT) |
				WHY_BIT(CAUSE_ELEMENT_TYPE) | WHY_BIT(CAUSE_PENDING_OPERATION)))
		return false;
	for (size_t i = 0; i < why->remedies.n_items; i++)
		if (why->remedies.items[i].works == ANSWER_YES ||
			!strncmp(fact_text_or(why->remedies.items[i].reason, ""), WHY_IS_OBJECT,
				strlen(WHY_IS_OBJECT)))
			return false;
	return true;
}
