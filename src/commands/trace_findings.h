// SPDX-License-Identifier: MIT
/* The findings of the rules TRC at the call sites of a traced program: those that comments and a
 * baseline ignore, and those that remain. */
#ifndef COMMANDS_TRACE_FINDINGS_H
#define COMMANDS_TRACE_FINDINGS_H

#include "exchanges/exchanges.h"
#include "findings/baseline.h"
#include "findings/source_ignores.h"

/* What checks the call sites of a run. */
struct trace_check {
	struct arena arena;
	const struct rule_selection *selection;
	struct source_ignores ignores;
	struct baseline baseline;
	bool has_baseline;
	struct fact_summary summary;
};

/* Reads the baseline; baseline_path NULL: none. Undo with trace_check_close, also after a failure.
 * Keeps the path. */
int trace_check_open(
	struct trace_check *check, const char *baseline_path, bool updates, struct err *err);
void trace_check_close(struct trace_check *check);

/* Sets the summary and the findings of each call site; layers are those that were traced. */
void trace_check_call_sites(struct trace_check *check, struct exchange_list *list, uint32_t layers);

/* Writes the call sites in a format of targets, such as SARIF. */
int trace_check_write(struct trace_check *check, const struct format *format,
	struct format_output *output, const struct exchange_list *list, struct err *err);

/* Updates the baseline if that was requested, and reports comments that ignore nothing and findings
 * that no longer occur on standard error. */
int trace_check_end(struct trace_check *check, bool is_quiet, struct err *err);

/* The layers of the tracer without which a rule may miss something. */
uint32_t trace_rule_layers(const char *rule);

#endif
