// SPDX-License-Identifier: MIT
/* Why a consumer rejects or copies an object, and what to try instead. */
#ifndef WHY_WHY_H
#define WHY_WHY_H

#include "facts/facts.h"
#include "protocols/protocol.h"

#include <stdbool.h>

/* A set of causes: WHY_BIT(CAUSE_STRIDES) | WHY_BIT(CAUSE_READONLY). */
#define WHY_BIT(cause) (1U << (cause))

static inline bool why_is_among(enum why_cause cause, unsigned causes)
{
	return causes & WHY_BIT(cause);
}

/* How messages and lines name the object and the consumer. */
struct why_names {
	const char *object;   /* the expression of the target: "a[::2]" */
	const char *consumer; /* an expression with _, or with callable the name of a function */
	bool callable;
	const char *convert_command;  /* "suai convert FILE.py:a" */
	const char *call_argument;    /* of its --call */
	const char *script_arguments; /* " -- ARGUMENT..."; or empty */
};

/* Sets verdict, cause and message of target->why from the facts of the target, which are derived,
 * and names the object in its step. */
void why_explain(struct arena *arena, struct fact_target *target, const struct why_names *names);

/* Whether the exception alone does not show the cause, so that experiments are due. */
bool why_is_doubtful(struct arena *arena, const struct fact_target *target);

/* Whether no line works although exception and object both indicate the cause. The words of the
 * exception may then have another meaning. */
bool why_is_unconfirmed(struct arena *arena, const struct fact_target *target);

/* Whether the object is of a type, or derives from one, of the library. */
bool why_has_library(const struct fact_target *target, const char *library);

/* Whether text has one of the words, which are separated by |. */
bool why_has_words(const char *text, const char *words);

/* The only protocol that the consumer reads, as its name, in lower case, shows; NULL: it may read
 * several. */
const char *why_protocol_of(const char *consumer);

const char *why_lower_text(struct arena *arena, const char *text);

/* "4 GiB" */
const char *why_size(struct arena *arena, int64_t n_bytes);

/* Options of suai convert; NULL: not given. */
struct why_conversion {
	const struct protocol *to;
	const char *interface_version, *device, *order, *copy;
	bool copies; /* always */
};

/* Lines that copy more are not tried. */
enum { WHY_MAX_COPIED_BYTES = 256 << 20 };

/* The name that AttributeError reports for a line whose array would have more than 1 << 25
 * elements. */
#define WHY_TOO_LARGE "too_large"

/* The beginning of the reasons of lines that were not tried. */
#define WHY_NOT_TRIED "not tried: "

/* Expressions of a copy in which nulls are replaced. Without nulls they raise AttributeError, as
 * the copy would differ in other properties only. */
#define WHY_WITHOUT_NAN(value) \
	"(_.fillna(" value ") if __import__('numpy').asarray(_.isnull()).any() else None.no_nulls)"
#define WHY_IF_NULLS(value)                                        \
	"(" value " if (_.null_count() if callable(_.null_count) " \
	"else _.null_count) else None.no_nulls)"
#define WHY_WITHOUT_NULL(value) WHY_IF_NULLS("_.fill_null(" value ")")

/* The reason of lines that run, but whose results could not be compared. */
#define WHY_NOT_COMPARED "the elements of the result could not be compared with those of the object"

/* The reason of lines that run and return None, so that only what they pass could be compared. */
#define WHY_PASSED_NOT_COMPARED \
	"the elements of what it passes could not be compared with those of the object"

/* The beginning of the reasons of lines whose result is the object itself. */
#define WHY_IS_OBJECT "the object already is a "

#define WHY_UNNEEDED WHY_NOT_TRIED "other lines work"

/* A line to try: the consumer's expression for the producer's value, both with _, and the line as
 * the user would write it. */
struct why_attempt {
	const char *producer, *consumer, *line;
	const char *note;       /* what changes with it; or NULL */
	bool replaces_consumer; /* calls another function */
	bool allows_changes;    /* of shape or values, as note states */
	bool into_library;      /* passes an array of the consumer's library */
	/* The cause of a copy that it tests; the line is not for the user. Or NULL. */
	const struct copy_experiment *tests;
	int experiment;                          /* enum experiment */
	const char *detail;                      /* of that: what the consumer accepts */
	bool is_of_library;                      /* that of the object, instead of NumPy */
	const struct why_conversion *conversion; /* of the object, instead of the producer; or NULL
						  */
	const char *skipped;                     /* why it is not tried; or NULL */
};

struct why_attempts {
	size_t n_items;
	struct why_attempt *items;
};

/* What to try, with the least expensive first. Nothing if the consumer shares the memory. */
struct why_attempts why_plan(
	struct arena *arena, const struct fact_target *target, const struct why_names *names);

/* Why the line of the attempt, with this result, is not one that works; NULL: it works. */
const char *why_line_fails(struct arena *arena, const struct fact_target *target,
	const struct why_attempt *attempt, const struct fact_target *tried);

/* Whether the difference is only that of the shapes. */
bool why_is_shape(const char *difference);

/* What replaced a null, according to the difference of a result: "NaN". */
const char *why_replaced_null(const char *difference);

/* Whether, for this reason, only that the line runs is known. */
bool why_is_unproven(const char *reason);

/* The size of the largest array that an interface of the object declares. */
int64_t why_object_bytes(const struct fact_target *target);

/* Adds the result of an attempt, tried.why, to the remedies of the target, or what it shows to its
 * cause. */
void why_take(struct arena *arena, struct fact_target *target, const struct why_attempt *attempt,
	const struct fact_target *tried);

/* After the last one: sorts the remedies, and completes the message. */
void why_finish(struct arena *arena, struct fact_target *target);

#endif
