// SPDX-License-Identifier: MIT
/*
 * Facts (docs/facts.md) become a document's target, which the formats print, and come back from
 * it. A document holds all facts: from facts to YAML to facts nothing is lost but `module` and
 * `target`, the position in a job.
 */
#ifndef DOCUMENTS_DOCUMENT_H
#define DOCUMENTS_DOCUMENT_H

#include "base/error.h"
#include "model/value.h"

enum { DOCUMENT_FORMAT = 1 }; /* the value of the key suai */

/*
 * The target of a document: every key present, null where unknown; `findings` and `skipped` are
 * null until validate sets them. `array` is null where the protocol's describe fails.
 */
struct value *document_from_facts(struct arena *arena, const struct value *target);

/*
 * The facts of a document's target. Missing keys are null; a wrong type or an unknown key is an
 * error (EXIT_USAGE) that names its path. NULL with err set.
 */
struct value *document_to_facts(
	struct arena *arena, const struct value *document_target, struct err *err);

#endif
