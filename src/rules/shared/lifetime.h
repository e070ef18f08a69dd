// SPDX-License-Identifier: MIT
/* Shared by the tables of rules that evaluate trials (docs/facts.md, trials). */
#ifndef RULES_SHARED_LIFETIME_H
#define RULES_SHARED_LIFETIME_H

#include "rules/engine/clauses.h"
#include "rules/shared/shared.h"

#define LIFETIME_RULE(PROTOCOLS, ...) INTERFACE_RULE(PROTOCOLS, FACT_LIFETIME, __VA_ARGS__)
#define LIVE_RULE(PROTOCOLS, ...) INTERFACE_RULE(PROTOCOLS, FACT_LIVE, __VA_ARGS__)

/* The trial of the subject's protocol; one that is not present if it was not run. */
const struct fact_trial *lifetime_trial(const struct subject *subject, const char *name);

/* The counts of a trial that ran to its end; otherwise not present, with the rule skipped.
 * Counts from before a trial ended early are in lifetime_trial()->counts. */
const struct fact_counts *lifetime_counts(
	const struct subject *subject, struct report *report, const char *trial);

/* Whether the worker of the trial was lost in that step (NULL: in any). */
bool lifetime_lost_in(const struct subject *subject, const char *trial, const char *step);

/* Fails if lifetime_lost_in(): "STEP crashed the process: killed by SIGSEGV". Returns whether it
 * failed. */
bool lifetime_check_step(
	const struct subject *subject, struct report *report, const char *trial, const char *step);

/* Whether the rounds removed references to the object. */
bool lifetime_loses_references(const struct subject *subject);

/* Fails if a worker was lost in a trial of the subject's protocol, unless another rule checks
 * that step, or if readings remove references to the object, which has the same effect. */
void lifetime_check_survived(const struct subject *subject, struct report *report);

/* Fails if the rounds of that trial left references or memory behind. */
void lifetime_check_rounds(
	const struct subject *subject, struct report *report, const char *trial, const char *what);

/* Fails if every reading, or every other one, leaves references or memory behind. */
void lifetime_check_references(
	const struct subject *subject, struct report *report, const char *what);
void lifetime_check_growth(const struct subject *subject, struct report *report, const char *what);

/* Whether the rounds left references or memory behind, for exports that were consumed or for
 * those that were dropped; false if there were no rounds. */
bool lifetime_leaks(const struct subject *subject, bool dropped);

/* Fails if two readings differ in a key that is not in spared ("stream syclobj"). */
void lifetime_check_same(const struct subject *subject, struct report *report, const char *spared);

/* Fails if the bytes of the elements were freed: unreadable or overwritten. event completes
 * "after". */
void lifetime_check_kept(
	const struct subject *subject, struct report *report, const char *trial, const char *event);

#endif
