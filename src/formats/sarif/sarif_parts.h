// SPDX-License-Identifier: MIT
/* The objects of a SARIF log, made of documents: results, notifications, descriptions of rules. */
#ifndef FORMATS_SARIF_SARIF_PARTS_H
#define FORMATS_SARIF_SARIF_PARTS_H

#include "formats/source_location.h"
#include "model/value.h"

/* What was seen so far. Zero-initialise, but for rules. */
struct sarif_parts {
	const struct value *rules; /* the `rules` of the document's head, or NULL */
	struct place_finder finder;
	struct arena arena;
	struct value *seen; /* ids of the rules that occurred, by their SARIF index */
	size_t n_seen;
};

/* A finding, with fingerprints of the target, rule, protocol and field, never of the message:
 * addresses move. */
struct value *sarif_result(struct sarif_parts *parts, struct arena *arena,
	const struct value *document, const struct value *finding);

/* A rule that was skipped: open, or failed where skips fail. */
struct value *sarif_skip(struct sarif_parts *parts, struct arena *arena,
	const struct value *document, const struct value *skipped, bool fails);

/* A finding that the baseline holds and that is gone: an item of the summary's `baseline.gone`. */
struct value *sarif_gone(struct sarif_parts *parts, struct arena *arena, const struct value *gone);

/* "new", "unchanged", "absent"; NULL: there is no baseline. */
void sarif_set_baseline(struct arena *arena, struct value *result, const char *state);

/* A target that was not reached. */
struct value *sarif_notification(
	struct sarif_parts *parts, struct arena *arena, const struct value *document);

/* The description of the i-th rule that occurred. */
struct value *sarif_rule(struct sarif_parts *parts, struct arena *arena, size_t i);

void sarif_parts_free(struct sarif_parts *parts);

#endif
