// SPDX-License-Identifier: MIT
/* For formats that pipelines read: whether a target passes, and texts in one line. */
#ifndef FORMATS_VERDICT_H
#define FORMATS_VERDICT_H

#include "base/text.h"
#include "formats/format.h"

#include <stdbool.h>

enum verdict {
	VERDICT_PASSED,
	VERDICT_FAILED, /* by a finding, or by a skip if skips fail */
	VERDICT_BROKEN, /* there is no object: missing, raised, crashed, ... */
};

enum verdict verdict_of(const struct format_output *output, const struct fact_target *target);

/* Whether the severity of a finding is at least output->fail_from. */
bool verdict_finding_fails(const struct format_output *output, const struct fact_finding *finding);

/* Whether it is a note that needs no action, or on a known deviation of a library. */
bool verdict_needs_no_action(
	const struct format_output *output, const struct fact_finding *finding);

/* Whether skipped rules are shown. */
bool verdict_shows_skips(const struct format_output *output);

/* Appends untrusted text in one line: line breaks become spaces, control characters are escaped.
 * Nothing if line is NULL. */
void verdict_add_line(struct text *out, const char *line);

/* Appends what messages of one cause have in common: the text with each address, a hexadecimal
 * number of five digits or more, replaced by 0x, and without an expression to try, which names the
 * object. Nothing if message is NULL. */
void verdict_add_cause_key(struct text *key, const char *message);

/* Appends "TYPE: MESSAGE" in one line, or the one of the two that is not NULL. A long message is
 * truncated. */
void verdict_add_error(struct text *out, const struct fact_error *error);

/* Appends "SUAI103 shape-integers: shape[1] is 3.5". */
void verdict_add_finding(struct text *out, const struct fact_finding *finding);

/* Appends "raised at evaluate: ValueError: no", for a target that is VERDICT_BROKEN. */
void verdict_add_failure(struct text *out, const struct fact_target *target);

/* Whether it is a file that does not exist, cannot be read, or is malformed. */
bool verdict_is_unreadable(const struct fact_target *target);

/* Writes all of text to the stream and clears it. A write error sets err to the reason only. */
int verdict_flush(struct text *text, FILE *stream, struct err *err);

#endif
