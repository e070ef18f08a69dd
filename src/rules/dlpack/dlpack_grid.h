// SPDX-License-Identifier: MIT
/*
 * The keyword grid of __dlpack__ as rules see it: the calls that were made one by one, each
 * released before the next (docs/facts.md, calls). A rule checks all of them, and reports one
 * finding.
 */
#ifndef RULES_DLPACK_DLPACK_GRID_H
#define RULES_DLPACK_DLPACK_GRID_H

#include "rules/dlpack/dlpack.h"

#define DLPACK_CALLS(...)                                                       \
	INTERFACE_RULE(PROTOCOL_DLPACK, FACT_STRUCT | FACT_CALLS, __VA_ARGS__), \
		.optional_facts = FACT_LIVE

struct dlpack_grid {
	const struct subject *subject;
	struct dlpack_device device; /* the producer's own; type 0 if it is unknown */
	bool plain_returned;         /* __dlpack__() returned a capsule */
	bool knows_memory;           /* memory is the address of the object's own first element */
	uint64_t memory;
	bool takes_version, takes_device, takes_copy, takes_stream; /* the keyword is accepted */
	bool takes_no_stream;                                       /* stream=None */
};

/* False, with the rule skipped, if the facts contain no grid. */
bool dlpack_grid_read(
	struct dlpack_grid *grid, const struct subject *subject, struct report *report);

/* The next call from *next on (which begins with 0) that was made and whose keywords the method
 * accepts; NULL after the last. */
const struct fact_call *dlpack_grid_next(const struct dlpack_grid *grid, size_t *next);

/* The call of that step; NULL if it was not made. */
const struct fact_call *dlpack_grid_find(const struct dlpack_grid *grid, const char *step);

/* The value passed for the keyword; NULL if there is none. */
const struct value *dlpack_cell_argument(const struct fact_call *cell, const char *keyword);

/* Whether it was not passed, or None. */
bool dlpack_cell_omits(const struct fact_call *cell, const char *keyword);

/* Whether it raised an exception of code that did not expect its argument. */
bool dlpack_cell_is_accident(const struct fact_call *cell);

/* Whether it raised what __dlpack__() raises too: no keyword is the cause. */
bool dlpack_cell_raised_without_keywords(
	const struct dlpack_grid *grid, const struct fact_call *cell);

/* Whether dl_device was not passed, is None, or the producer's own. */
bool dlpack_cell_keeps_device(const struct dlpack_grid *grid, const struct fact_call *cell);

/* Whether dl_device was the host. */
bool dlpack_cell_requests_host(const struct fact_call *cell);

/* Whether it returned memory of the array, or other memory; both false if that is unknown. */
bool dlpack_cell_shares(const struct dlpack_grid *grid, const struct fact_call *cell);
bool dlpack_cell_copied(const struct dlpack_grid *grid, const struct fact_call *cell);

/* The calls that a rule finds wrong; initially zeroed. */
struct dlpack_cells {
	const struct fact_call *first;
	size_t n;
};

void dlpack_cells_add(struct dlpack_cells *cells, const struct fact_call *cell);

/* Fails if there are any: "__dlpack__(stream=1) returned a capsule; so did 3 other calls". */
void dlpack_cells_report(const struct dlpack_cells *cells, struct report *report, const char *field,
	const char *what);

/* Fails if there are any, with the exception that the first raised: "... raised ValueError: no; 3
 * other calls raised an exception as well". */
void dlpack_cells_report_raised(const struct dlpack_cells *cells, struct report *report,
	const char *field, const char *instead);

#endif
