// SPDX-License-Identifier: MIT
/* Call sites of a traced program as targets of rules. */
#ifndef DOCUMENTS_CALL_SITE_H
#define DOCUMENTS_CALL_SITE_H

#include "facts/facts.h"

/* The target of a call site: "app.py:12: load: numpy > jax, dlpack", at its line. Keeps its texts.
 */
struct fact_target call_site_target(struct arena *arena, const struct fact_call_site *site);

/* Its name without the line, which other changes of the file move: of all call sites of a function
 * that pass arrays between the same libraries. */
const char *call_site_key(struct arena *arena, const struct fact_call_site *site);

/* The targets of the list 'call_sites' of a report of suai trace. -1 with err set. */
int call_site_targets_read(struct arena *arena, const struct value *list,
	struct fact_target *targets, struct err *err);

#endif
