// SPDX-License-Identifier: MIT
/* per-target-ignores of suai.yaml: known findings that are not reported. */
#ifndef FINDINGS_TARGET_IGNORES_H
#define FINDINGS_TARGET_IGNORES_H

#include "settings/config.h"

/* Removes the rules of the target's ignores from findings and skipped. */
void target_ignores_apply(struct config *config, struct arena *arena, const char *target,
	struct fact_finding_list *findings, struct fact_skip_list *skipped);

/*
 * Reports on standard error which ignores had no finding. Patterns that no target of the run
 * matches are reported only if all_targets, rules that are not selected never.
 */
void target_ignores_report(
	const struct config *config, const struct rule_selection *selection, bool all_targets);

#endif
