// SPDX-License-Identifier: MIT
/* What the tables of modes R and L share: the trials of an interface (docs/facts.md, trials). */
#ifndef RULES_TRIALS_LIFETIME_H
#define RULES_TRIALS_LIFETIME_H

#include "rules/engine/clauses.h"
#include "rules/engine/shared.h"

#define TRIAL_RULE(FACTS, PROTOCOLS, ID, NAME, SEVERITY, LEVEL)                                \
	.id = (ID), .name = (NAME), .protocols = (PROTOCOLS), .severity = SEVERITY_##SEVERITY, \
	.level = LEVEL_##LEVEL, .facts = (FACTS)
#define LIFETIME_RULE(...) TRIAL_RULE(FACT_LIFETIME, __VA_ARGS__)
#define LIVE_RULE(...) TRIAL_RULE(FACT_LIVE, __VA_ARGS__)

/* The trial of the subject's protocol; one that is not present where it was not run. */
const struct fact_trial *lifetime_trial(const struct subject *subject, const char *name);

/* What a trial that ran to its end counted; not present, with the rule skipped, where it did not.
 * What other trials counted before they ended is in lifetime_trial()->counts. */
const struct fact_counts *lifetime_counts(
	const struct subject *subject, struct report *report, const char *trial);

/* Whether the worker of the trial was lost in that step (NULL: in any). */
bool lifetime_lost_in(const struct subject *subject, const char *trial, const char *step);

/* Fails where lifetime_lost_in(): "STEP crashed the process: killed by SIGSEGV". Says whether. */
bool lifetime_check_step(
	const struct subject *subject, struct report *report, const char *trial, const char *step);

/* Whether the rounds took away references to the object. */
bool lifetime_loses_references(const struct subject *subject);

/* Fails where a worker was lost in a trial of the subject's protocol, unless another rule judges
 * that step, or where readings take away references to the object, which ends in the same way. */
void lifetime_check_survived(const struct subject *subject, struct report *report);

/* Fails where the rounds of that trial left references or memory behind. */
void lifetime_check_rounds(
	const struct subject *subject, struct report *report, const char *trial, const char *what);

/* Fails where every reading, or every other, leaves references or memory behind. */
void lifetime_check_references(
	const struct subject *subject, struct report *report, const char *what);
void lifetime_check_growth(const struct subject *subject, struct report *report, const char *what);

/* Whether the rounds left references or memory behind, those of exports that were consumed or of
 * those that were dropped; false where there were none. */
bool lifetime_leaks(const struct subject *subject, bool dropped);

/* Fails where two readings differ in a key that is not in spared ("stream syclobj"). */
void lifetime_check_same(const struct subject *subject, struct report *report, const char *spared);

/* Fails where the bytes of the elements were freed: unreadable or overwritten. */
void lifetime_check_kept(
	const struct subject *subject, struct report *report, const char *trial, const char *once);

#endif
