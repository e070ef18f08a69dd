// SPDX-License-Identifier: MIT
/* What the results of experiments show about the cause of a refusal. */
#include "why/conclusions.h"

#include "base/array_size.h"
#include "base/words.h"
#include "protocols/protocol.h"
#include "why/experiments.h"
#include "why/situation.h"

#include <stdlib.h>
#include <string.h>

enum { MANY_TYPES = 8 };

/* The results of the experiments, counted by kind. */
struct outcomes {
	bool accepted[N_EXPERIMENTS], refused[N_EXPERIMENTS];
	int n_accepted[N_EXPERIMENTS], n_refused[N_EXPERIMENTS];
	int n_same_error[N_EXPERIMENTS];   /* as that of the object, of those that it refused */
	const char *detail[N_EXPERIMENTS]; /* of the first that it accepted */
};

/* Whether both messages are equal, or equal up to the name of the element type in the object's. */
static bool is_same_error(const struct situation *at, const struct fact_why *tried)
{
	enum { MIN_CHARS = 16 };
	const char *own = fact_text_or(at->why->error.message, "");
	const char *other = fact_text_or(tried->error.message, ""), *type = why_element_type(at);
	const char *named = type ? strstr(own, why_type_name(type)) : NULL;

	if (!strcmp(own, other))
		return true;
	return named && named - own >= MIN_CHARS && !strncmp(own, other, (size_t)(named - own));
}

static void count_outcome(struct outcomes *outcomes, const struct why_attempt *attempt,
	const struct fact_why *tried, const struct situation *at)
{
	enum experiment kind = attempt->experiment;

	if (tried->outcome == TRIAL_DONE && !outcomes->accepted[kind]) {
		outcomes->accepted[kind] = true;
		outcomes->detail[kind] = attempt->detail;
	}
	outcomes->n_accepted[kind] += tried->outcome == TRIAL_DONE;
	if (tried->outcome == TRIAL_RAISED && tried->passed.obtained == ANSWER_YES) {
		outcomes->refused[kind] = true;
		outcomes->n_refused[kind]++;
		outcomes->n_same_error[kind] += is_same_error(at, tried);
	}
}

/* Counts the results of arrays of the object's own library (is_of_library), or of NumPy's. */
static struct outcomes read_outcomes(const struct why_attempts *attempts,
	const struct fact_target *results, const struct situation *at, bool is_of_library)
{
	struct outcomes outcomes = { 0 };

	for (size_t i = 0; i < attempts->n_items; i++)
		if (attempts->items[i].is_of_library == is_of_library)
			count_outcome(&outcomes, &attempts->items[i], &results[i].why, at);
	return outcomes;
}

struct conclusion {
	enum why_cause cause;
	const char *message;
};

/* Concludes that the layout is the cause: the consumer accepts the same elements in another
 * layout. */
static struct conclusion conclude_layout(const struct situation *at, const struct outcomes *numpy)
{
	if (numpy->accepted[EXP_CONTIGUOUS])
		return (struct conclusion){ CAUSE_STRIDES,
			arena_printf(at->arena,
				"its strides are not supported by the consumer (%s), which accepts the same elements as a contiguous array",
				at->array ? why_detail_strides(at) : "not contiguous in C order") };
	if (numpy->accepted[EXP_WRITABLE])
		return (struct conclusion){ CAUSE_READONLY,
			"the object is read-only; the consumer accepts a writable copy of it" };
	if (why_is_misaligned(at))
		return (struct conclusion){ CAUSE_ALIGNMENT,
			arena_printf(at->arena,
				"its elements are not aligned (%s); the consumer accepts an aligned copy",
				why_detail_alignment(at)) };
	if (numpy->accepted[EXP_ALIGNED] && why_is_unaligned(at->target))
		return (struct conclusion){ CAUSE_ALIGNMENT,
			arena_printf(at->arena,
				"the consumer requires another alignment (%s); it accepts a copy that is aligned to 64 bytes",
				why_detail_alignment(at)) };
	return (struct conclusion){ 0 };
}

/* Whether the consumer accepts an array that the object's library made. */
static bool accepts_made_array(const struct outcomes *own)
{
	return own->accepted[EXP_ONES] || own->accepted[EXP_TYPE] || own->accepted[EXP_DIMS] ||
	       own->accepted[EXP_EXTENTS];
}

/* Whether the device of the object may be the cause. If the consumer accepts an array that the
 * object's library made on a device, it can read that of the object, unless that is another one. */
static bool is_device_suspect(const struct situation *at, const struct outcomes *own)
{
	return why_is_off_host(at) &&
	       !(accepts_made_array(own) && why_makes_arrays_on_device(at->target));
}

/* Concludes that a property of this object is the cause: the consumer accepts other objects of its
 * library. */
static struct conclusion conclude_facts(
	const struct situation *at, const struct outcomes *numpy, const struct outcomes *own)
{
	bool has_elements = numpy->accepted[EXP_WHOLE] || numpy->refused[EXP_WHOLE];
	struct fact_why unreadable;

	if (why_is_sharded(at) || why_is_of_producer(at))
		return (struct conclusion){ 0 };
	if (!at->array && why_explain_unreadable(at, &unreadable))
		return (struct conclusion){ unreadable.cause, unreadable.message };
	if (is_device_suspect(at, own))
		return (struct conclusion){ CAUSE_DEVICE,
			arena_printf(at->arena,
				"its elements are on device %s, which the consumer cannot read",
				why_detail_device(at)) };
	if (why_is_strided(at))
		return (struct conclusion){ CAUSE_STRIDES,
			arena_printf(at->arena,
				"its strides are not supported by the consumer (%s)",
				why_detail_strides(at)) };
	/* Other objects of the type have the same interfaces. */
	if (!has_elements || at->why->cause != CAUSE_NO_PROTOCOL)
		return (struct conclusion){ 0 };
	if (why_has_foreign_type(at))
		return (struct conclusion){ CAUSE_ELEMENT_TYPE,
			arena_printf(at->arena,
				"the consumer rejects these elements of %s, but accepts others of this type",
				why_detail_type(at)) };
	return (struct conclusion){
		CAUSE_NULL,
		"the consumer accepts another object of this type and shape; suai does not know the cause of this exception"
	};
}

/* Whether the consumer accepts a larger share of the arrays with another number of dimensions than
 * of those with another type. If it accepts some of both, the cause is the property for which it
 * accepts more of the other values. */
static bool is_shape_likelier(const struct outcomes *outcomes)
{
	int n_types = outcomes->n_accepted[EXP_TYPE] + outcomes->n_refused[EXP_TYPE];
	int n_shapes = outcomes->n_accepted[EXP_DIMS] + outcomes->n_refused[EXP_DIMS];

	return n_shapes &&
	       outcomes->n_accepted[EXP_DIMS] * n_types > outcomes->n_accepted[EXP_TYPE] * n_shapes;
}

/* Whether it accepts a larger share of the arrays with other extents than of those with another
 * type. */
static bool are_extents_likelier(const struct outcomes *outcomes)
{
	int n_types = outcomes->n_accepted[EXP_TYPE] + outcomes->n_refused[EXP_TYPE];
	int n_extents = outcomes->n_accepted[EXP_EXTENTS] + outcomes->n_refused[EXP_EXTENTS];

	return n_extents && outcomes->n_accepted[EXP_EXTENTS] * n_types >
				    outcomes->n_accepted[EXP_TYPE] * n_extents;
}

/* The message for a shape whose extents are the cause. extents: "each last" of a shape that the
 * consumer accepts (struct extents). */
static const char *extents_message(const struct situation *at, const char *extents)
{
	int64_t shape[ARRAY_MAX_DIMS];
	char *last;
	long each = strtol(extents, &last, 10);
	int n_dims = at->array ? (int)at->array->shape.n_items : 0;

	if (n_dims < 1 || n_dims > ARRAY_MAX_DIMS)
		return arena_printf(at->arena,
			"the consumer does not take an array of this shape; it accepts one whose extents are all %ld",
			each);
	for (int i = 0; i < n_dims; i++)
		shape[i] = i < n_dims - 1 ? each : strtol(last, NULL, 10);
	return arena_printf(at->arena,
		"the consumer does not take an array of the shape %s; it accepts one of the shape %s",
		words_tuple(at->arena, at->array->shape.items, n_dims),
		words_tuple(at->arena, shape, n_dims));
}

/* "bytes" of NumPy's "bytes_" */
static const char *shown_type(struct arena *arena, const char *name)
{
	return arena_copy(arena, name, strcspn(name, "_"));
}

/* An interface of the object that refuses these elements: "the object's buffer"; or NULL. */
static const char *find_refusing_interface(const struct situation *at)
{
	const struct fact_interface_list *interfaces = &at->target->interfaces;

	for (size_t i = 0; i < interfaces->n_items; i++)
		if (interfaces->items[i].status == INTERFACE_REFUSED)
			return arena_printf(at->arena, "the object's %s",
				protocol_find(interfaces->items[i].protocol)->attribute);
	return NULL;
}

/* Concludes the cause from arrays of ones: elements, emptiness, type, extents, or the number of
 * dimensions. */
static struct conclusion conclude_ones(
	const struct situation *at, const struct outcomes *outcomes, bool accepts_elements)
{
	const char *refusing = accepts_elements ? find_refusing_interface(at) : NULL;
	const char *by = refusing ? refusing : why_unsupporting(at);

	if (outcomes->accepted[EXP_ONES])
		return (struct conclusion){ 0 };
	if (outcomes->accepted[EXP_NONEMPTY])
		return (struct conclusion){ CAUSE_EMPTY,
			"the array has no elements; the consumer accepts one with elements" };
	if (outcomes->accepted[EXP_TYPE] && !are_extents_likelier(outcomes) &&
		(at->why->cause == CAUSE_ELEMENT_TYPE ||
			(at->why->cause != CAUSE_DIMENSIONS && !is_shape_likelier(outcomes))))
		return (struct conclusion){ CAUSE_ELEMENT_TYPE,
			arena_printf(at->arena,
				"elements of %s are not supported by %s; %s accepts an array of the same shape of %s",
				why_detail_type(at), by,
				strcmp(by, "the consumer") ? "the consumer" : "it",
				shown_type(at->arena, outcomes->detail[EXP_TYPE])) };
	if (outcomes->accepted[EXP_EXTENTS])
		return (struct conclusion){ CAUSE_DIMENSIONS,
			extents_message(at, outcomes->detail[EXP_EXTENTS]) };
	if (outcomes->accepted[EXP_DIMS])
		return (struct conclusion){ CAUSE_DIMENSIONS,
			arena_printf(at->arena,
				"the consumer does not take an array of %s; it accepts one of %s",
				at->array ? why_detail_dims(at) : "as many dimensions",
				outcomes->detail[EXP_DIMS]) };
	return (struct conclusion){ 0 };
}

/* Whether the consumer accepts the elements as an array of NumPy, but no array of the object's
 * library. If suai cannot make one of the latter, NumPy's array of the same memory decides. Not if
 * a method of the object raises the exception: a consumer that calls it accepts the object's
 * type. */
static bool is_type_refused(
	const struct situation *at, const struct outcomes *numpy, const struct outcomes *own)
{
	if (why_has_library(at->target, "numpy") || why_is_of_producer(at) ||
		accepts_made_array(own))
		return false;
	return numpy->accepted[EXP_WHOLE] ||
	       (numpy->accepted[EXP_ALIGNED] && own->refused[EXP_ONES]);
}

/* Whether the consumer rejects each array of the object's library that suai can make, whatever its
 * elements are, as it rejects the object. */
static bool is_library_refused(const struct outcomes *own)
{
	return !own->accepted[EXP_ONES] && !own->accepted[EXP_TYPE] &&
	       own->n_same_error[EXP_ONES] == own->n_refused[EXP_ONES] &&
	       own->n_same_error[EXP_TYPE] == own->n_refused[EXP_TYPE];
}

/* Whether the object lacks the method that the consumer calls, as all objects of its type that suai
 * can make: then elements that the consumer rejects as an array of NumPy, too, are not the first
 * obstacle. */
static bool is_method_missing(
	const struct situation *at, const struct outcomes *numpy, const struct outcomes *own)
{
	return numpy->refused[EXP_WHOLE] && is_library_refused(own) &&
	       !why_has_library(at->target, "numpy") && at->why->cause == CAUSE_NO_PROTOCOL &&
	       why_has_words(at->message, "has no attribute '__");
}

/* Whether the object exposes no interface, and the consumer accepts only arrays of NumPy. Their
 * elements need not be those of the object, of which NumPy may make an array of Python objects. */
static bool is_only_numpy_accepted(
	const struct situation *at, const struct outcomes *numpy, const struct outcomes *own)
{
	return !at->target->interfaces.n_items && is_library_refused(own) &&
	       own->n_refused[EXP_TYPE] >= MANY_TYPES &&
	       (numpy->accepted[EXP_ONES] || numpy->accepted[EXP_TYPE]);
}

/* Concludes that a state of the object is the cause: a pending operation, its device, nulls. */
static struct conclusion conclude_state(
	const struct situation *at, const struct outcomes *numpy, const struct outcomes *own)
{
	if ((own->accepted[EXP_RESOLVED] || numpy->accepted[EXP_WHOLE]) &&
		why_has_pending_operation(at))
		return (struct conclusion){ CAUSE_PENDING_OPERATION, why_detail_pending_state(at) };
	if (own->accepted[EXP_HOST] && is_device_suspect(at, own))
		return (struct conclusion){ CAUSE_DEVICE,
			arena_printf(at->arena,
				"its elements are on device %s, which the consumer cannot read; it accepts a copy on the host",
				why_detail_device(at)) };
	if (own->accepted[EXP_FILLED] && !own->accepted[EXP_OWN_COPY])
		return (struct conclusion){ CAUSE_NULLS,
			"it has nulls, which the consumer cannot use as elements" };
	return (struct conclusion){ 0 };
}

/* Concludes that the consumer reads no interface of objects of this type. */
static struct conclusion conclude_protocol(
	const struct situation *at, const struct outcomes *numpy, const struct outcomes *own)
{
	if (is_type_refused(at, numpy, own) && why_is_copy_forbidden(at))
		return (struct conclusion){
			CAUSE_NO_PROTOCOL,
			"the elements of the object cannot be read without one; the consumer accepts NumPy's array of the same elements"
		};
	if (is_type_refused(at, numpy, own))
		return (struct conclusion){ CAUSE_NO_PROTOCOL,
			arena_printf(at->arena,
				"the consumer takes objects of other types, such as NumPy's array of the same elements; this one exposes %s",
				why_detail_exposed(at)) };
	if (is_method_missing(at, numpy, own))
		return (struct conclusion){ CAUSE_NO_PROTOCOL,
			arena_printf(at->arena,
				at->target->interfaces.n_items
					? "%s; the consumer also rejects NumPy's array of the same elements"
					: "%s",
				at->why->message) };
	if (is_only_numpy_accepted(at, numpy, own))
		return (struct conclusion){
			CAUSE_NO_PROTOCOL,
			"the consumer takes objects of other types, such as NumPy's arrays; this one exposes no array interface"
		};
	return (struct conclusion){ 0 };
}

/* Concludes that the order of bytes or of dimensions is the cause. */
static struct conclusion conclude_order(const struct situation *at, const struct outcomes *numpy)
{
	if (numpy->accepted[EXP_NATIVE] && !numpy->accepted[EXP_COMPACT] &&
		!numpy->accepted[EXP_ALIGNED])
		return (struct conclusion){
			CAUSE_BYTE_ORDER,
			"its elements are not in this machine's byte order, which the protocol or the consumer requires"
		};
	if (numpy->accepted[EXP_FORTRAN] && numpy->refused[EXP_WHOLE] &&
		!numpy->accepted[EXP_COMPACT] && !numpy->accepted[EXP_ALIGNED])
		return (struct conclusion){ CAUSE_STRIDES,
			arena_printf(at->arena,
				"the consumer requires Fortran order, and the array is not contiguous in it%s",
				at->array && at->array->c_contiguous == ANSWER_YES
					? ", but in C order"
					: "") };
	return (struct conclusion){ 0 };
}

/* Concludes the cause of a refusal. */
static struct conclusion conclude_refusal(
	const struct situation *at, const struct outcomes *numpy, const struct outcomes *own)
{
	bool is_numpy = why_has_library(at->target, "numpy");
	struct conclusion found = conclude_state(at, numpy, own);

	if (!found.cause)
		found = conclude_protocol(at, numpy, own);
	if (!found.cause)
		found = conclude_order(at, numpy);
	if (found.cause)
		return found;
	/* Elements of a type that only the library has become Python objects in NumPy's copy, which
	 * does not show their layout. */
	if ((numpy->accepted[EXP_COMPACT] || numpy->accepted[EXP_ALIGNED]) &&
		!numpy->accepted[EXP_WHOLE] &&
		(own->accepted[EXP_ONES] || !own->accepted[EXP_TYPE]))
		found = conclude_layout(at, numpy);
	if (own->accepted[EXP_ONES]) {
		const struct conclusion facts = conclude_facts(at, numpy, own);

		if (facts.cause || !found.message)
			found = facts;
	}
	if (!found.message && numpy->accepted[EXP_ARRAY] &&
		(!at->why->cause || !at->target->interfaces.n_items) && !why_reads_arrow(at))
		return (struct conclusion){ CAUSE_NO_PROTOCOL,
			arena_printf(at->arena,
				"the consumer takes arrays, and the object is not one; it exposes %s",
				why_detail_exposed(at)) };
	if (!found.message)
		found = conclude_ones(at, own, numpy->accepted[EXP_WHOLE] && !is_numpy);
	if (!found.message && (is_numpy || !own->accepted[EXP_ONES]))
		found = conclude_ones(at, numpy, false);
	return found;
}

/* Concludes the cause of a result of another type: nulls, if the consumer shares the memory of an
 * array without them. */
static struct conclusion conclude_changed(
	const struct why_attempts *attempts, const struct fact_target *results)
{
	for (size_t i = 0; i < attempts->n_items; i++)
		if (attempts->items[i].experiment == EXP_FILLED &&
			results[i].why.passed.shared == ANSWER_YES)
			return (struct conclusion){
				CAUSE_NULLS,
				"the consumer replaces nulls by elements of another type; it shares an array without nulls"
			};
	return (struct conclusion){ 0 };
}

/* Whether the exception blames a common element type, but the consumer rejects arrays of many other
 * types with the same exception. */
static bool is_no_type_accepted(const struct situation *at, const struct outcomes *of)
{
	return at->why->cause == CAUSE_ELEMENT_TYPE && !why_has_foreign_type(at) &&
	       !why_has_rare_type(at) && !of->accepted[EXP_TYPE] &&
	       of->n_refused[EXP_TYPE] >= MANY_TYPES &&
	       of->n_same_error[EXP_TYPE] == of->n_refused[EXP_TYPE];
}

/* Whether the consumer rejects the object for being of a subclass of numpy.ndarray, such as a
 * quantity with a unit. */
static bool is_subclass_refused(const struct situation *at, const struct outcomes *numpy)
{
	return strncmp(fact_text_or(at->target->type, "numpy."), "numpy.", strlen("numpy.")) != 0 &&
	       numpy->accepted[EXP_WHOLE] &&
	       why_is_among(at->why->cause, WHY_BIT(CAUSE_NULL) | WHY_BIT(CAUSE_DIMENSIONS) |
						    WHY_BIT(CAUSE_ELEMENT_TYPE) |
						    WHY_BIT(CAUSE_STRIDES));
}

/* Concludes what to report if the experiments contradict the cause that the exception indicates. */
static struct conclusion conclude_disproved(
	const struct situation *at, const struct outcomes *numpy, const struct outcomes *own)
{
	static const struct {
		enum why_cause cause;
		enum experiment without;
		const char *message;
	} properties[] = {
		{ CAUSE_STRIDES, EXP_COMPACT,
			"the consumer rejects a contiguous copy with the same exception; suai does not know its cause" },
		{ CAUSE_READONLY, EXP_COMPACT,
			"the consumer rejects a writable copy with the same exception; suai does not know its cause" },
		{ CAUSE_BYTE_ORDER, EXP_NATIVE,
			"the consumer rejects a copy in the byte order of the machine with the same exception; suai does not know its cause" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(properties); i++)
		if (at->why->cause == properties[i].cause &&
			numpy->n_same_error[properties[i].without])
			return (struct conclusion){ CAUSE_NULL, properties[i].message };
	/* The consumer rejects NumPy's array, too, so the missing interface is not the cause. */
	if (at->why->cause == CAUSE_NO_PROTOCOL && !at->target->interfaces.n_items &&
		(numpy->refused[EXP_ONES] || numpy->accepted[EXP_ONES]) &&
		numpy->n_same_error[EXP_WHOLE])
		return (struct conclusion){
			CAUSE_NULL,
			"the consumer rejects NumPy's array of the same elements with the same exception; suai does not know its cause"
		};
	if (is_no_type_accepted(at, why_has_library(at->target, "numpy") ? numpy : own))
		return (struct conclusion){
			CAUSE_NULL,
			"the exception names the type of the elements, but the consumer rejects other types with the same one; suai does not know its cause"
		};
	if (!why_has_library(at->target, "numpy"))
		return (struct conclusion){ 0 };
	if (is_subclass_refused(at, numpy))
		return (struct conclusion){ CAUSE_NO_PROTOCOL,
			arena_printf(at->arena,
				"the consumer rejects objects of %s, but accepts NumPy's array of the same memory",
				fact_text_or(at->target->type, "this type")) };
	/* The values can be the cause, such as an index out of range or a singular matrix. */
	if (numpy->accepted[EXP_ONES] && !why_has_foreign_type(at) &&
		why_is_among(
			at->why->cause, WHY_BIT(CAUSE_DIMENSIONS) | WHY_BIT(CAUSE_ELEMENT_TYPE)))
		return (struct conclusion){
			CAUSE_NULL,
			"the consumer accepts an array of the same type and shape with other elements; suai does not know the cause of this exception"
		};
	/* "not aligned" in a message can also refer to shapes that do not match. */
	if (at->why->cause == CAUSE_ALIGNMENT && numpy->refused[EXP_ALIGNED])
		return (struct conclusion){
			CAUSE_NULL,
			"the consumer rejects an aligned copy, too; suai does not know the cause of this exception"
		};
	if (at->why->cause == CAUSE_DIMENSIONS && numpy->refused[EXP_DIMS])
		return (struct conclusion){ CAUSE_DIMENSIONS,
			arena_printf(at->arena,
				"the exception indicates the dimensions or the extents of the array, whose shape is %s; the consumer accepts no array of another shape that suai passed",
				at->array ? words_tuple(at->arena, at->array->shape.items,
						    (int)at->array->shape.n_items)
					  : "unknown") };
	return (struct conclusion){ 0 };
}

/* Whether no experiment reached the consumer: the import of the module or the evaluation of the
 * object failed before. */
static bool are_all_lost(const struct why_attempts *attempts, const struct fact_target *results)
{
	for (size_t i = 0; i < attempts->n_items; i++)
		if (results[i].why.present)
			return false;
	return attempts->n_items;
}

void why_conclude(struct arena *arena, struct fact_target *target,
	const struct why_attempts *attempts, const struct fact_target *results)
{
	const struct situation at = why_situation(arena, target);
	const bool was_refused = target->why.verdict == WHY_REFUSED;
	const struct outcomes numpy = read_outcomes(attempts, results, &at, false),
			      own = read_outcomes(attempts, results, &at, true);
	struct conclusion found = was_refused ? conclude_refusal(&at, &numpy, &own)
					      : conclude_changed(attempts, results);

	if (are_all_lost(attempts, results)) {
		if (target->why.message)
			target->why.message = arena_printf(arena,
				"%s (unconfirmed, since the object could not be created again: %s)",
				target->why.message,
				fact_exception(
					arena, results[0].error.type, results[0].error.message));
		return;
	}
	/* A line that works confirmed the cause that exception and object indicate. */
	if (!found.cause && target->why.remedies.n_items)
		found.message = NULL;
	if (!found.message && was_refused)
		found = conclude_disproved(&at, &numpy, &own);
	/* No property that suai can change makes the copy necessary. */
	if (!found.cause && target->why.cause == CAUSE_COPY_FORBIDDEN)
		return;
	if (!found.message)
		return;
	target->why.cause = found.cause;
	target->why.message =
		was_refused ? why_add_forbidden_copy(&at, found.message) : found.message;
}
