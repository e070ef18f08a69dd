// SPDX-License-Identifier: MIT
/*
 * The keyword grid of __dlpack__ as rules see it: the calls that were made one by one, each
 * released before the next (docs/facts.md, calls). A rule asks all of them, and tells one finding.
 */
#ifndef RULES_DLPACK_DLPACK_GRID_H
#define RULES_DLPACK_DLPACK_GRID_H

#include "rules/dlpack/dlpack.h"

#define DLPACK_CALLS(ID, NAME, SEVERITY, LEVEL)                                     \
	DLPACK_ENTRY(ID, NAME, SEVERITY, LEVEL), .facts = FACT_STRUCT | FACT_CALLS, \
						 .optional_facts = FACT_LIVE

struct dlpack_grid {
	const struct subject *subject;
	struct dlpack_device device; /* the producer's own; type 0 where it told none */
	bool plain_returned;         /* __dlpack__() gave a capsule */
	bool knows_memory;           /* memory is the address of the object's own first element */
	uint64_t memory;
	bool takes_version, takes_device, takes_copy, takes_stream; /* the keyword, at all */
	bool takes_no_stream;                                       /* stream=None */
};

/* False, with the rule skipped, where the facts hold no grid. */
bool dlpack_grid_read(
	struct dlpack_grid *grid, const struct subject *subject, struct report *report);

/* The next call from *next on (which begins with 0) whose keywords the method takes and that was
 * made; NULL after the last. */
const struct fact_call *dlpack_grid_next(const struct dlpack_grid *grid, size_t *next);

/* The call of that step; NULL, where it was not made. */
const struct fact_call *dlpack_grid_find(const struct dlpack_grid *grid, const char *step);

/* What was passed for the keyword; NULL: nothing. */
const struct value *dlpack_cell_argument(const struct fact_call *cell, const char *keyword);

/* Not passed, or None. */
bool dlpack_cell_lacks(const struct fact_call *cell, const char *keyword);

/* Raised what gets out of code that did not expect its argument, and tells a consumer nothing. */
bool dlpack_cell_is_accident(const struct fact_call *cell);

/* Raised what __dlpack__() raises too: no keyword is the cause. */
bool dlpack_cell_raised_anyway(const struct dlpack_grid *grid, const struct fact_call *cell);

/* dl_device was not passed, is None, or the producer's own. */
bool dlpack_cell_stays(const struct dlpack_grid *grid, const struct fact_call *cell);

/* dl_device was the host. */
bool dlpack_cell_asks_host(const struct fact_call *cell);

/* It returned memory of the array, or other memory; both false where that is not known. */
bool dlpack_cell_shares(const struct dlpack_grid *grid, const struct fact_call *cell);
bool dlpack_cell_copied(const struct dlpack_grid *grid, const struct fact_call *cell);

/* Calls that a rule finds wrong; zeroed to begin with. */
struct dlpack_cells {
	const struct fact_call *first;
	size_t n;
};

void dlpack_cells_add(struct dlpack_cells *cells, const struct fact_call *cell);

/* Fails where there are any: "__dlpack__(stream=1) returned a capsule; so did 3 calls more". */
void dlpack_cells_report(const struct dlpack_cells *cells, struct report *report, const char *field,
	const char *what);

/* As above, with the exception that the first raised: "... raised ValueError: no". */
void dlpack_cells_report_raised(const struct dlpack_cells *cells, struct report *report,
	const char *field, const char *instead);

#endif
