// SPDX-License-Identifier: MIT
/*
 * Why a consumer copies: it is passed objects that differ from the user's in one property. If it
 * shares the memory of one of them, that property is the cause.
 */
#include "why/copy_causes.h"

#include "base/array_size.h"
#include "base/python_code.h"
#include "why/remedies.h"
#include "why/situation.h"

#include <string.h>

/* An object of 64-byte alignment with the type and shape of _, without its elements. */
#define ALIGNED                                                              \
	"(lambda a: (lambda b: "                                             \
	"b[-b.ctypes.data % 64:][:a.nbytes].view(a.dtype).reshape(a.shape))" \
	"(numpy.empty(a.nbytes + 64, 'u1')))(numpy.asarray(_))"

/* A 64-byte aligned array with the element type of _ and another shape, whose number of dimensions
 * must differ. */
#define ALIGNED_SHAPED(shape)                                                                    \
	"(lambda a, s: (lambda b, n: b[-b.ctypes.data % 64:][:n].view(a.dtype).reshape(s))("     \
	"numpy.zeros(27 * a.itemsize + 64, 'u1'), 3 ** len(s) * a.itemsize) if a.ndim != len(s)" \
	" else None.same_dimensions)(numpy.asarray(_), " shape ")"

/* A 64-byte aligned array with the shape of _ and another element type. */
#define ALIGNED_OTHER                                                       \
	"(lambda b, n, t: b[-b.ctypes.data % 64:][:n * 8].view(t).reshape(" \
	"numpy.shape(_)))(numpy.empty(numpy.size(_) * 8 + 64, 'u1'), "      \
	"numpy.size(_), 'i8' if numpy.asarray(_).dtype == 'f8' else 'f8')"

/* The first elements of a large array. */
#define CORNER "numpy.asarray(_)[(slice(9),) * numpy.ndim(_)]"

#define IF_OF_ARRAY(condition) \
	"(lambda a: a if " condition " else None.not_applicable)(numpy.asarray(_))"

struct copy_experiment {
	enum why_cause cause;
	const char *message;
	const char *if_copied; /* the message if the consumer copies what is passed, too; or NULL */
	bool (*has)(const struct fact_target *target); /* the property; NULL: any object may */
	/* Whether the property is the cause if the consumer shares what is passed; NULL: always. */
	bool (*explains)(const struct fact_target *target);
	const char *passed[4];
	const char *passed_of_array; /* for objects whose layout only NumPy's array of them shows */
};

static bool is_declared_strided(const struct fact_target *target)
{
	for (size_t i = 0; i < target->interfaces.n_items; i++)
		if (target->interfaces.items[i].array.c_contiguous == ANSWER_NO)
			return true;
	return false;
}

static bool is_declared_readonly(const struct fact_target *target)
{
	for (size_t i = 0; i < target->interfaces.n_items; i++)
		if (target->interfaces.items[i].array.readonly == ANSWER_YES)
			return true;
	return false;
}

/* The experiments after that of the alignment also show that no property is the cause. */
static const struct copy_experiment experiments[] = {
	{ .cause = CAUSE_NO_PROTOCOL,
		.message =
			"the consumer, or an interface of the object that it reads, copies the elements; a NumPy array of the same elements is shared",
		.passed = { "numpy.asarray(_)" } },
	{ .cause = CAUSE_NULLS,
		.message =
			"the consumer copies because of the nulls; it shares an array without nulls",
		.passed = { WHY_WITHOUT_NULL("0"), WHY_WITHOUT_NULL("False"), WHY_WITHOUT_NAN("0"),
			WHY_WITHOUT_NAN("False") } },
	{ .cause = CAUSE_STRIDES,
		.message =
			"the consumer copies because the array is not contiguous; it shares a contiguous one",
		.has = is_declared_strided,
		.passed = { "numpy.ascontiguousarray(_)" },
		.passed_of_array =
			"numpy.ascontiguousarray(" IF_OF_ARRAY("not a.flags.c_contiguous") ")" },
	{ .cause = CAUSE_READONLY,
		.message =
			"the consumer copies because the object is read-only; it shares a writable one",
		.has = is_declared_readonly,
		.passed = { "(lambda a: a.copy())(_)" },
		.passed_of_array = IF_OF_ARRAY("not a.flags.writeable") ".copy()" },
	{ .cause = CAUSE_ALIGNMENT,
		.message =
			"the consumer copies because the memory is not aligned as it requires; it shares memory that is aligned to 64 bytes",
		.if_copied = "the consumer copies even an aligned, contiguous and writable array",
		.explains = why_is_unaligned,
		.passed = { ALIGNED } },
	{ .cause = CAUSE_DIMENSIONS,
		.message =
			"the consumer copies arrays with this number of dimensions; it shares one with another number",
		.passed = { ALIGNED_SHAPED("(3,)"), ALIGNED_SHAPED("(3, 3)"),
			ALIGNED_SHAPED("(3, 3, 3)") } },
	{ .cause = CAUSE_ELEMENT_TYPE,
		.message = "the consumer copies elements of this type; it shares those of another",
		.passed = { ALIGNED_OTHER } },
};

static bool has_layout(const struct fact_target *target)
{
	for (size_t i = 0; i < target->interfaces.n_items; i++)
		if (target->interfaces.items[i].array.present)
			return true;
	return false;
}

static void add_copy_experiment(struct arena *arena, struct why_attempts *attempts,
	const struct why_names *names, const struct copy_experiment *experiment, const char *passed)
{
	const struct remedy row = { .passed = passed };
	struct why_attempt *attempt = why_add_attempt(arena, attempts, names, &row);

	if (attempt)
		attempt->tests = experiment;
}

void why_plan_copy_experiments(struct arena *arena, const struct fact_target *target,
	const struct why_names *names, struct why_attempts *attempts)
{
	bool is_large = why_object_bytes(target) > WHY_MAX_COPIED_BYTES;
	bool is_of_array = !has_layout(target);

	for (size_t i = 0; i < ARRAY_SIZE(experiments); i++) {
		const struct copy_experiment *experiment = &experiments[i];
		bool has_own = is_of_array && experiment->passed_of_array;
		const char *const *passed =
			has_own ? &experiment->passed_of_array : experiment->passed;
		size_t n_passed = has_own ? 1 : ARRAY_SIZE(experiment->passed);

		/* The consumer might copy a NumPy array of the same memory, too. */
		if (is_large && !strcmp(passed[0], "numpy.asarray(_)"))
			continue;
		if (!has_own && experiment->has && !experiment->has(target))
			continue;
		for (size_t k = 0; k < n_passed && passed[k]; k++)
			add_copy_experiment(arena, attempts, names, experiment,
				is_large ? expression_replace_name(arena, passed[k], "_", CORNER)
					 : passed[k]);
	}
}

void why_take_copy_experiment(struct arena *arena, struct fact_target *target,
	const struct copy_experiment *experiment, const struct fact_why *tried)
{
	struct fact_why *why = &target->why;

	if ((why->cause && why->cause != CAUSE_CONSUMER_COPIES) || tried->outcome != TRIAL_DONE)
		return;
	if (tried->passed.shared == ANSWER_YES &&
		(!experiment->explains || experiment->explains(target))) {
		why->cause = experiment->cause;
		why->message =
			why->verdict == WHY_WRONG
				? arena_printf(arena, "%s; %s", why->message, experiment->message)
				: experiment->message;
	} else if (why->verdict == WHY_COPIED && tried->passed.shared == ANSWER_NO &&
		   experiment->if_copied) {
		/* Unless it shares one of another shape or type, which follow. */
		why->cause = CAUSE_CONSUMER_COPIES;
		why->message = experiment->if_copied;
	}
}
