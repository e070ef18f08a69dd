// SPDX-License-Identifier: MIT
/*
 * Compares the declarations of the interfaces of one object: docs/rules.md, "Agreement between
 * interfaces". For rules on one interface and for rules on the whole object.
 */
#ifndef RULES_SHARED_AGREEMENT_H
#define RULES_SHARED_AGREEMENT_H

#include "rules/engine/rule.h"

enum { AGREEMENT_MAX_STATEMENTS = 8 };

/* What one interface declares. */
struct statement {
	const char *attribute; /* "__dlpack__" */
	const struct subject *subject;
	const struct array *array;
	bool is_copy;   /* a DLPack export of other memory: only type and shape are compared */
	bool is_packed; /* elements of less than a byte, whose strides no other interface can
			   express */
	bool is_bytes;  /* a buffer of plain bytes over the memory of the others: only its
			   access is compared */
};

struct agreement {
	const struct subject *subject;
	struct report *report;
	struct statement statements[AGREEMENT_MAX_STATEMENTS];
	size_t n_statements;
	bool only_named_types;   /* ignore types that have no typestr */
	bool only_given_strides; /* ignore strides that are absent */
};

/*
 * The interfaces of the chosen protocols ("sycl dlpack"; NULL: all) that can be described, that of
 * subject first. False if there are fewer than two, or if that of subject is not among them. The
 * rule is skipped if one that could be compared cannot be described, and for a NumPy scalar, which
 * is copied to another address at each read.
 */
bool agreement_start(struct agreement *agreement, const struct subject *subject,
	struct report *report, const char *chosen);

/* A property that interfaces declare. */
struct compared_property {
	const char *label; /* "the shape is" */
	bool (*is_declared)(const struct agreement *agreement, const struct statement *statement);
	bool (*agrees)(const struct array *a, const struct array *b);
	const char *(*show)(struct arena *arena, const struct array *array);
	bool (*is_vague)(
		const struct array *array); /* agrees with several different ones; or NULL */
	/* Whether the values differ only because others do, which is another finding; or NULL. */
	bool (*is_implied)(const struct array *a, const struct array *b);
};

extern const struct compared_property compared_address, compared_type, compared_shape,
	compared_strides, compared_unit_strides, compared_access, compared_device;

/* False, with one failure at field that lists the values and their interfaces, if two statements
 * differ. */
bool agreement_check(const struct agreement *agreement, const struct compared_property *property,
	const char *field);

#endif
