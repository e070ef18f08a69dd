// SPDX-License-Identifier: MIT
/* per-target-ignores of suai.yaml: findings that are known and left out. */
#ifndef FINDINGS_TARGET_IGNORES_H
#define FINDINGS_TARGET_IGNORES_H

#include "settings/config.h"

/* Takes from findings and skipped what the target's ignores name. */
void target_ignores_apply(struct config *config, struct arena *arena, const char *target,
	struct fact_finding_list *findings, struct fact_skip_list *skipped);

/*
 * Says on standard error which ignores had nothing to ignore. Of those that no target of the run
 * matches it speaks only where all_targets; of rules that are not selected never.
 */
void target_ignores_report(
	const struct config *config, const struct rule_selection *selection, bool all_targets);

#endif
