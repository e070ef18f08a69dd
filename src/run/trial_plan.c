// SPDX-License-Identifier: MIT
/* Divides trials into batches: each is run by the worker of one module of a session. */
#include "run/trial_state.h"

#include "base/debug.h"

#include <string.h>

enum { MAX_TARGETS = 1000 }; /* of a batch, since the size of its job is limited */

/* The expression of a target: its name, or the name's end. */
static const char *target_expression(const struct trial_target *target)
{
	const struct job_module *module = target->module;
	const char *name = fact_text_or(target->facts.target, "");

	return module->kind != JOB_MODULE_CODE || module->all_objects
		       ? name + strlen(module->label) + 1
		       : name;
}

void trial_plan_target(struct trial_state *state, struct trial_target *target)
{
	struct fact_target *facts = &target->facts;
	struct planned_trial *trial;
	size_t n_kinds = 0;

	while (trial_kinds[n_kinds].name)
		n_kinds++;
	/* Steps that ended a worker are not skipped in trials. */
	if (!target->module ||
		(facts->status != STATUS_OK && facts->status != STATUS_CRASHED &&
			facts->status != STATUS_HUNG && facts->status != STATUS_LEFT))
		return;
	facts->trials = (struct fact_trial_list){ .known = true };
	target->left_ms = state->run->settings->timeout_seconds * 1000 - facts->spent_ms.value;
	target->trials = arena_alloc(&target->arena,
		(facts->interfaces.n_items * n_kinds + 1) * sizeof(*target->trials));
	for (size_t i = 0; i < facts->interfaces.n_items; i++)
		for (const struct trial_kind *kind = trial_kinds; kind->name; kind++) {
			if (!trial_applies(state->run->arena, &state->run->job, kind,
				    &facts->interfaces.items[i]))
				continue;
			trial = &target->trials[target->n_trials++];
			*trial = (struct planned_trial){ .target = target,
				.id = { .name = kind->name,
					.protocol = facts->interfaces.items[i].protocol },
				.flags = kind->flags };
			state->has_live |= kind->fact == FACT_LIVE;
		}
}

/* Adds a batch: trials of one module. Keeps items. */
static void add_batch(struct trial_state *state, struct planned_trial **items, size_t n_items)
{
	struct arena *arena = state->run->arena;
	struct job_module *module = arena_alloc(arena, sizeof(*module));
	size_t n_batches = state->modules.n_items;

	if (!n_items)
		return;
	*module = *items[0]->target->module;
	module->all_objects = false;
	module->one_process = state->attempt != ATTEMPT_FIRST; /* a fork may lack something */
	module->expressions = (struct job_words){ 0 };
	module->trials = arena_alloc(arena, n_items * sizeof(*module->trials));
	for (size_t i = 0; i < n_items; i++) {
		struct trial_target *target = items[i]->target;

		if (target->planned != module)
			target->first = (int64_t)i;
		target->planned = module;
		job_words_add(arena, &module->expressions, target_expression(target));
		module->trials[i] = items[i]->id;
		module->trials[i].limit_ms = target->left_ms;
		module->trials[i].first = target->first;
	}
	job_modules_add(arena, &state->modules, module);
	state->batches = arena_grow(arena, state->batches, n_batches, sizeof(*state->batches));
	state->batches[n_batches] = (struct trial_batch){ items, n_items };
}

/* The order of trials that share a process: those that depend on time first, those that can damage
 * the process last. */
static int order_of_flags(int flags)
{
	return flags & TRIAL_OF_PENDING_WORK    ? 0
	       : flags & TRIAL_OF_DRIVER_MISUSE ? 4
	       : flags & TRIAL_AT_EXIT          ? 3
	       : flags & TRIAL_OF_MISUSE        ? 2
						: 1;
}

enum { N_ORDERS = 5 };

/*
 * Whether the trial shares a process with others in the current attempt. In the second attempt,
 * these are trials whose first result is in doubt although their process continued normally, one
 * for each doubt, and then those that may crash a driver.
 */
static bool is_of_attempt(const struct trial_state *state, struct planned_trial *trial)
{
	enum trial_outcome outcome = trial->record.outcome;
	struct doubt *doubt = trial->doubt;

	if (trial->flags & TRIAL_OF_DRIVER_MISUSE || state->attempt == ATTEMPT_FIRST)
		return (state->attempt == ATTEMPT_SECOND) ==
			       !!(trial->flags & TRIAL_OF_DRIVER_MISUSE) &&
		       !trial->target->hung && !trial->is_planned;
	if (trial->is_settled || !doubt || doubt->repeated ||
		trial->flags & (TRIAL_OF_MISUSE | TRIAL_AT_EXIT) ||
		(outcome != TRIAL_DONE && outcome != TRIAL_SKIPPED))
		return false;
	doubt->repeated = trial;
	return true;
}

/* Plans the trials of targets [begin, end) of one module as one batch. */
static void plan_batch(struct trial_state *state, size_t begin, size_t end)
{
	struct planned_trial **items;
	size_t n_items = 0, n_again = 0;

	for (size_t i = begin; i < end; i++)
		n_items += state->queue->items[i].n_trials;
	items = arena_alloc(state->run->arena, (n_items + 1) * sizeof(struct planned_trial *));
	n_items = 0;
	for (int order = 0; order < N_ORDERS; order++)
		for (size_t i = begin; i < end; i++) {
			struct trial_target *target = &state->queue->items[i];

			for (size_t j = 0; j < target->n_trials && target->left_ms > 0; j++)
				if (order_of_flags(target->trials[j].flags) == order &&
					is_of_attempt(state, &target->trials[j])) {
					n_again += target->trials[j].record.present;
					items[n_items++] = &target->trials[j];
				}
		}
	progress_grow(state->progress, n_again);
	add_batch(state, items, n_items);
}

static void plan_single(struct trial_state *state, struct planned_trial *trial)
{
	struct planned_trial **item =
		arena_alloc(state->run->arena, sizeof(struct planned_trial *));

	DEBUG_LOG("trials", "%s: %s of %s is repeated",
		fact_text_or(trial->target->facts.target, "?"), trial->id.name, trial->id.protocol);
	*item = trial;
	add_batch(state, item, 1);
}

/* Whether both are the same trial of objects of one kind. */
static bool is_of_kind(const struct planned_trial *a, const struct planned_trial *b)
{
	return a->target->module == b->target->module && !strcmp(a->id.name, b->id.name) &&
	       !strcmp(a->id.protocol, b->id.protocol) &&
	       !strcmp(fact_text_or(a->target->facts.type, ""),
		       fact_text_or(b->target->facts.type, ""));
}

/* Whether it may crash a driver, and the second attempt has not planned it yet. */
static bool is_misuse_to_plan(const struct planned_trial *trial)
{
	return trial->flags & TRIAL_OF_DRIVER_MISUSE && !trial->target->hung &&
	       trial->target->left_ms > 0 && !trial->is_planned;
}

/* Lists the trials of first's kind that `is_due`, of which first is the first one. */
static struct planned_trial **list_kind(const struct trial_state *state,
	const struct planned_trial *first, bool (*is_due)(const struct planned_trial *trial),
	size_t *n_items)
{
	const struct trial_queue *queue = state->queue;
	struct planned_trial **items =
		arena_alloc(state->run->arena, queue->n_items * sizeof(struct planned_trial *));

	*n_items = 0;
	for (size_t i = 0; i < queue->n_items; i++)
		for (size_t j = 0; j < queue->items[i].n_trials; j++) {
			struct planned_trial *trial = &queue->items[i].trials[j];

			if (!is_due(trial) || !is_of_kind(first, trial))
				continue;
			items[(*n_items)++] = trial;
			break; /* an object has at most one interface of a protocol */
		}
	return items;
}

/* Plans the trials of first's kind as one batch, which begins with it. */
static void plan_kind(struct trial_state *state, const struct planned_trial *first)
{
	size_t n_items;
	struct planned_trial **items = list_kind(state, first, is_misuse_to_plan, &n_items);

	for (size_t i = 0; i < n_items; i++)
		items[i]->is_planned = true;
	add_batch(state, items, n_items);
}

/* Plans a worker for each kind, if there are enough besides one for the other trials. */
static void plan_kinds(struct trial_state *state, size_t n_workers)
{
	for (size_t i = 0; i < state->queue->n_items; i++)
		for (size_t j = 0; j < state->queue->items[i].n_trials; j++)
			if (is_misuse_to_plan(&state->queue->items[i].trials[j]))
				plan_kind(state, &state->queue->items[i].trials[j]);
	if (state->modules.n_items < n_workers)
		return;
	state->modules = (struct job_modules){ 0 };
	for (size_t i = 0; i < state->queue->n_items; i++)
		for (size_t j = 0; j < state->queue->items[i].n_trials; j++)
			state->queue->items[i].trials[j].is_planned = false;
}

/* Plans the trials that must run alone according to the first attempt. */
static void plan_alone(struct trial_state *state)
{
	for (size_t i = 0; i < state->queue->n_items; i++)
		for (size_t j = 0; j < state->queue->items[i].n_trials; j++) {
			struct planned_trial *trial = &state->queue->items[i].trials[j];

			if (trial->doubt && !trial->doubt->repeated && !trial->target->hung &&
				trial->target->left_ms > 0 && trial_must_repeat(trial))
				plan_single(state, trial);
		}
}

/* Plans the targets [begin, end) of one module: as one batch, or as several that run in parallel.
 */
static void plan_module(struct trial_state *state, size_t begin, size_t end, size_t n_batches)
{
	size_t n_targets = (end - begin + n_batches - 1) / n_batches;

	if (n_targets > MAX_TARGETS)
		n_targets = MAX_TARGETS;
	for (; begin < end; begin += n_targets)
		plan_batch(state, begin, end - begin < n_targets ? end : begin + n_targets);
}

static size_t find_module_end(const struct trial_queue *queue, size_t begin)
{
	size_t end = begin + 1;

	while (end < queue->n_items && queue->items[end].module == queue->items[begin].module)
		end++;
	return end;
}

void trial_plan_shared(struct trial_state *state, size_t n_workers)
{
	const struct trial_queue *queue = state->queue;
	bool is_first = state->attempt == ATTEMPT_FIRST;
	size_t n_modules = 0, end;

	for (size_t i = 0; i < queue->n_items; i = find_module_end(queue, i))
		n_modules++;
	if (!is_first)
		plan_kinds(state, n_workers);
	for (size_t begin = 0; begin < queue->n_items; begin = end) {
		end = find_module_end(queue, begin);
		plan_module(
			state, begin, end, is_first ? (n_workers + n_modules - 1) / n_modules : 1);
	}
	if (!is_first)
		plan_alone(state);
}

/* Whether the doubt about its result was refuted for another object. */
static bool is_to_regroup(const struct planned_trial *trial)
{
	return !trial->is_settled && !trial->is_regrouped && trial->doubt &&
	       trial->doubt->outcome == DOUBT_REFUTED && !trial->target->hung &&
	       trial->target->left_ms > 0 && !(trial->flags & TRIAL_OF_DRIVER_MISUSE);
}

void trial_plan_regrouped(struct trial_state *state)
{
	const struct trial_queue *queue = state->queue;

	for (size_t i = 0; i < queue->n_items; i++)
		for (size_t j = 0; j < queue->items[i].n_trials; j++) {
			struct planned_trial *trial = &queue->items[i].trials[j], **items;
			size_t n_items;

			if (!is_to_regroup(trial))
				continue;
			items = list_kind(state, trial, is_to_regroup, &n_items);
			for (size_t k = 0; k < n_items; k++)
				items[k]->is_regrouped = true;
			if (n_items < 2)
				continue; /* it is repeated alone */
			DEBUG_LOG("trials",
				"%s: %s of %s is repeated with those of %zu other objects",
				fact_text_or(trial->target->facts.target, "?"), trial->id.name,
				trial->id.protocol, n_items - 1);
			progress_grow(state->progress, n_items);
			add_batch(state, items, n_items);
		}
}

void trial_plan_repeats(struct trial_state *state)
{
	for (size_t i = 0; i < state->queue->n_items; i++) {
		struct trial_target *target = &state->queue->items[i];

		for (size_t j = 0; j < target->n_trials; j++)
			if (trial_must_repeat(&target->trials[j]))
				plan_single(state, &target->trials[j]);
	}
}
