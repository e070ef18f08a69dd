// SPDX-License-Identifier: MIT
/*
 * Decides which results of trials count. A result is in doubt if the trial lost its process or
 * raised, or if a rule reports it; equal doubts about objects of one type are resolved by repeating
 * one of them.
 */
#include "run/trial_state.h"

#include "documents/document.h"

#include <string.h>

static struct fact_trial *set_record(struct planned_trial *trial, enum trial_outcome outcome)
{
	trial->record = (struct fact_trial){ .present = true,
		.trial = trial->id.name,
		.protocol = trial->id.protocol,
		.outcome = outcome };
	return &trial->record;
}

void trial_record_skip(struct planned_trial *trial, const char *type, const char *reason)
{
	set_record(trial, TRIAL_SKIPPED)->error =
		(struct fact_error){ .present = true, .type = type, .message = reason };
}

void trial_records_list(struct trial_target *target, const struct planned_trial *without)
{
	struct fact_trial_list *list = &target->facts.trials;

	if (!list->known)
		return;
	*list = (struct fact_trial_list){ .known = true };
	for (size_t i = 0; i < target->n_trials; i++)
		if (&target->trials[i] != without && target->trials[i].record.present)
			*FACT_LIST_ADD(&target->arena, list) = target->trials[i].record;
}

static const char *find_findings(const struct trial_state *state, struct trial_target *target,
	const struct planned_trial *without, bool with_messages)
{
	trial_records_list(target, without);
	return state->run->trial_findings(
		state->run, &target->arena, &target->facts, with_messages);
}

/* Whether what rules report depends on the record. */
static bool has_finding(const struct trial_state *state, struct planned_trial *trial)
{
	const char *all = find_findings(state, trial->target, NULL, true);

	return *all && strcmp(all, find_findings(state, trial->target, trial, true)) != 0;
}

/* The lines of all that are not in others. */
static const char *subtract_lines(struct arena *arena, const char *all, const char *others)
{
	const char *left = "";

	while (*all) {
		int n_chars = (int)strcspn(all, "\n") + 1;

		if (!strstr(others, arena_printf(arena, "%.*s", n_chars, all)))
			left = arena_printf(arena, "%s%.*s", left, n_chars, all);
		all += n_chars;
	}
	return left;
}

/* The doubt about a record as text, equal for equal doubts; NULL: there is none. */
static const char *describe_doubt(const struct trial_state *state, struct planned_trial *trial)
{
	const struct fact_trial *record = &trial->record;
	bool is_skipped = record->outcome == TRIAL_SKIPPED;
	bool is_usual = trial->has_result && !trial->is_unsure &&
			(record->outcome == TRIAL_DONE || is_skipped);

	if (is_usual && !has_finding(state, trial))
		return NULL;
	return arena_printf(state->run->arena, "%s\n%s\n%s\n%d\n%s\n%s\n%s",
		fact_text_or(trial->target->facts.type, ""), trial->id.name, trial->id.protocol,
		(int)record->outcome, fact_text_or(record->error.type, ""),
		is_skipped ? fact_text_or(record->error.message, "") : "",
		subtract_lines(state->run->arena, find_findings(state, trial->target, NULL, false),
			find_findings(state, trial->target, trial, false)));
}

static struct doubt *find_doubt(
	struct trial_state *state, const struct job_module *module, const char *key)
{
	struct doubt *doubt = state->doubts;

	while (doubt && (doubt->module != module || strcmp(doubt->key, key) != 0))
		doubt = doubt->next;
	if (!doubt) {
		doubt = arena_alloc(state->run->arena, sizeof(*doubt));
		*doubt = (struct doubt){ .next = state->doubts, .module = module, .key = key };
		state->doubts = doubt;
	}
	return doubt;
}

void trial_doubts_settle_target(struct trial_state *state, struct trial_target *target)
{
	if (target->is_examined)
		return;
	target->is_examined = true;
	document_derive(&target->arena, &target->facts);
	for (size_t i = 0; i < target->n_trials && !target->hung; i++) {
		struct planned_trial *trial = &target->trials[i];
		const char *key = trial->is_settled ? NULL : describe_doubt(state, trial);

		trial->is_settled = !key;
		if (key && trial->has_result)
			trial->doubt = find_doubt(state, target->module, key);
	}
}

void trial_doubts_settle_repeated(
	struct trial_state *state, struct planned_trial *trial, bool was_alone)
{
	const char *key = describe_doubt(state, trial);
	struct doubt *doubt = trial->doubt;
	bool is_same = key && doubt && !strcmp(key, doubt->key);

	if (doubt)
		doubt->outcome = is_same ? DOUBT_CONFIRMED : DOUBT_REFUTED;
	trial->is_settled = !key || is_same || (was_alone && trial->record.outcome != TRIAL_HUNG);
	if (!key || is_same)
		return;
	trial->doubt = trial->has_result ? find_doubt(state, trial->target->module, key) : NULL;
	if (trial->doubt && trial->is_settled) {
		trial->doubt->repeated = trial;
		trial->doubt->outcome = DOUBT_CONFIRMED;
	}
}

void trial_doubts_settle_regrouped(
	struct trial_state *state, struct planned_trial *trial, bool was_alone)
{
	const char *key = describe_doubt(state, trial);

	trial->is_settled = !key || (was_alone && trial->record.outcome != TRIAL_HUNG);
	trial->doubt =
		key && trial->has_result ? find_doubt(state, trial->target->module, key) : NULL;
	if (trial->doubt && trial->is_settled && trial->doubt->outcome == DOUBT_OPEN) {
		trial->doubt->repeated = trial;
		trial->doubt->outcome = DOUBT_CONFIRMED;
	}
}

bool trial_must_repeat(struct planned_trial *trial)
{
	struct doubt *doubt = trial->doubt;

	if (trial->is_settled)
		return false;
	if (!doubt || doubt->outcome == DOUBT_REFUTED)
		return true;
	if (doubt->outcome == DOUBT_CONFIRMED)
		trial->is_settled = true;
	else if (!doubt->repeated)
		doubt->repeated = trial;
	return doubt->repeated == trial && !trial->is_settled;
}

void trial_doubts_decide(struct trial_state *state)
{
	for (struct doubt *doubt = state->doubts; doubt; doubt = doubt->next) {
		const char *again;

		if (doubt->outcome != DOUBT_OPEN || !doubt->repeated)
			continue;
		again = describe_doubt(state, doubt->repeated);
		doubt->outcome =
			again && !strcmp(again, doubt->key) ? DOUBT_CONFIRMED : DOUBT_REFUTED;
		doubt->repeated->is_settled = true;
	}
}
