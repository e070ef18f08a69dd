// SPDX-License-Identifier: MIT
/* Lines to try. */
#ifndef WHY_REMEDIES_H
#define WHY_REMEDIES_H

#include "why/why.h"

/* A line to try. The row applies to objects with a type of `library`, and to consumers of
 * `consumer_library`; NULL: to all. */
struct remedy {
	unsigned causes; /* of refusals; 0, without for_copies: any refusal */
	bool for_copies; /* if the consumer copies the object */
	const char *library, *consumer_library;
	const char *passed;   /* instead of _ */
	const char *keywords; /* after it; or NULL. Only for consumers that are functions */
	const char *called;   /* instead of the consumer; or NULL */
	const char *note;
	bool allows_changes;
	bool copies;
	bool is_large;            /* what is passed can need far more memory than the object */
	bool is_off_host;         /* only for elements that are not in memory of the host */
	bool is_on_host;          /* only for elements that are */
	bool for_foreign_order;   /* only if the elements are in the other byte order */
	const char *types;        /* words of the element type, separated by |; NULL: all */
	const char *except_types; /* the same of types to which it does not apply; or NULL */
	bool (*fits)(int64_t n_dims, int64_t n_elements); /* -1: unknown; NULL: any array */
};

enum { WHY_MAX_ATTEMPTS = 64 };

/* All rows that apply are tried. Lines that work are ranked by what was measured, such as whether
 * they share memory (why_finish); the order of the rows is that of lines of the same rank. */
extern const struct remedy why_remedies[];
extern const size_t why_n_remedies;

#define WHY_FILLED_BITS "numpy.asarray(_.fill_null(False))"

/* Options of suai convert, after the lines of Python. causes: 0: any refusal. The protocol must be
 * one that the consumer reads, as far as its name shows that. */
struct conversion_row {
	unsigned causes;
	const char *consumer_library;
	struct why_conversion options;
	bool is_off_host; /* only for elements that are not in memory of the host */
	bool is_on_host;  /* only for elements that are */
};

extern const struct conversion_row why_conversions[];
extern const size_t why_n_conversions;

/* Adds the line of a row. NULL: the row has no line for this consumer, the line is listed already,
 * or the list is full. */
struct why_attempt *why_add_attempt(struct arena *arena, struct why_attempts *attempts,
	const struct why_names *names, const struct remedy *row);

#endif
