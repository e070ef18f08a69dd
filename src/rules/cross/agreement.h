// SPDX-License-Identifier: MIT
/*
 * What the interfaces of one object say of the same elements, held against each other:
 * docs/rules.md, "Agreement between interfaces". For rules on one interface and for those on the
 * whole object.
 */
#ifndef RULES_CROSS_AGREEMENT_H
#define RULES_CROSS_AGREEMENT_H

#include "rules/engine/rule.h"

enum { AGREEMENT_MAX_STATEMENTS = 8 };

/* What one interface says. */
struct statement {
	const char *by; /* "__dlpack__" */
	const struct subject *subject;
	const struct array *array;
	bool is_copy;   /* a DLPack export of other memory: type and shape alone are the object's */
	bool is_packed; /* elements of less than a byte, whose strides no other interface can tell
			 */
	bool is_bytes;  /* a buffer of plain bytes over the memory of the others: tells only
			   whether it may be written */
};

struct agreement {
	const struct subject *subject;
	struct report *report;
	struct statement statements[AGREEMENT_MAX_STATEMENTS];
	size_t n_statements;
	bool named_types_alone;   /* types that have no typestr are another rule's part */
	bool given_strides_alone; /* as are strides that are left out */
};

/*
 * The interfaces of the chosen protocols ("sycl dlpack"; NULL: all) that can be described, that of
 * subject first. False where there are no two, or where subject's own is none of them; the rule is
 * skipped where one that could be compared cannot be described, and for a NumPy scalar, which is
 * copied elsewhere at each read.
 */
bool agreement_start(struct agreement *agreement, const struct subject *subject,
	struct report *report, const char *chosen);

/* One thing that interfaces say. */
struct compared_property {
	const char *label; /* "the shape is" */
	bool (*is_declared)(const struct agreement *agreement, const struct statement *statement);
	bool (*agrees)(const struct array *a, const struct array *b);
	const char *(*show)(struct arena *arena, const struct array *array);
	bool (*is_vague)(const struct array *array); /* agrees with several that differ; or NULL */
};

extern const struct compared_property compared_address, compared_type, compared_shape,
	compared_strides, compared_unit_strides, compared_access, compared_device;

/* False, with one failure at field that names who says what, where two statements differ. */
bool agreement_check(const struct agreement *agreement, const struct compared_property *property,
	const char *field);

#endif
