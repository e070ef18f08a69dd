// SPDX-License-Identifier: MIT
/*
 * Runs trials. If a worker ends during a trial, that is the result of the trial, not a failure of
 * the target. The first attempt imports a module once for the trials of all its targets
 * (worker/run.c): in forks of a worker, or one after another in it. Doubtful results are repeated,
 * and only the repeated result counts. Trials that ended normally, but that a rule reports or that
 * were skipped, are repeated in one more worker, which then runs those that may crash a driver; if
 * there are enough workers, each kind has its own. A trial that lost its process, raised an
 * exception, can damage its process, or whose repeated result differs is repeated alone, in a new
 * worker. Equal doubts about objects of one type are repeated once for all of them, as long as the
 * result is equal; if it is not, the trials of the other objects share a worker that runs no other
 * trial of them.
 */
#include "run/trials.h"

#include "base/clock.h"
#include "base/debug.h"
#include "base/environment.h"
#include "base/memory.h"
#include "run/trial_state.h"
#include "supervisor/session.h"

#include <stdio.h>
#include <stdlib.h>

/* The time limit of each step in a shared process: a fork may wait forever for a thread that it
 * lacks. */
enum { FIRST_LIMIT_MS = 5000, FIRST_LIMIT_CAPTURES = 4 };

/* --- passing on --- */

static bool is_target_settled(const struct trial_target *target)
{
	for (size_t i = 0; i < target->n_trials; i++)
		if (!target->trials[i].is_settled)
			return false;
	return true;
}

/* Passes on the targets before the first one with a trial that is not settled. */
static int pass_on_targets(struct trial_state *state, struct err *err)
{
	const struct trial_receiver *receiver = state->receiver;

	while (state->n_passed_on < state->queue->n_items &&
		is_target_settled(&state->queue->items[state->n_passed_on])) {
		struct trial_target *target = &state->queue->items[state->n_passed_on++];

		trial_records_list(target, NULL);
		if (receiver->on_target(receiver->context, &target->arena, &target->facts, err))
			return -1;
		target->n_trials = 0; /* they are in the arena */
		arena_free(&target->arena);
	}
	return 0;
}

/* Passes on the other targets of a run that failed. Trials that are not settled count as skipped,
 * since a doubtful result may be wrong. */
static void pass_on_unfinished(struct trial_state *state)
{
	struct err ignored; /* the run has already failed */

	for (size_t i = state->n_passed_on; i < state->queue->n_items; i++) {
		struct trial_target *target = &state->queue->items[i];

		if (state->attempt == ATTEMPT_FIRST)
			trial_doubts_settle_target(state, target);
		for (size_t j = 0; j < target->n_trials; j++) {
			struct planned_trial *trial = &target->trials[j];

			if (!trial->is_settled)
				trial_record_skip(trial, NULL, "the run ended before this trial");
			trial->is_settled = true;
		}
	}
	pass_on_targets(state, &ignored);
}

/* Settles the trials of the current batch, which is over. */
static int end_batch(struct trial_state *state, struct err *err)
{
	struct trial_batch *batch = state->current;

	if (!batch)
		return 0;
	state->current = NULL;
	for (size_t i = 0; i < batch->n_items; i++) {
		struct planned_trial *trial = batch->items[i];
		struct trial_target *target = trial->target;

		if (state->attempt == ATTEMPT_SECOND)
			trial_doubts_settle_repeated(state, trial, i == 0); /* in a new worker */
		else if (state->attempt == ATTEMPT_REGROUPED)
			trial_doubts_settle_regrouped(state, trial, i == 0);
		else if (state->attempt == ATTEMPT_ALONE)
			trial->is_settled = !trial->doubt || trial->doubt->repeated != trial;
		else
			trial_doubts_settle_target(state, target);
	}
	return pass_on_targets(state, err);
}

/* --- the session --- */

/* Sets the trial's record: the worker's, or how the worker ended. Takes the arena, which holds the
 * target. */
static void take_record(struct trial_state *state, struct planned_trial *trial,
	struct arena *message_arena, const struct fact_target *tried)
{
	struct arena *arena = &trial->target->arena;

	DEBUG_LOG("trials", "%s: %s of %s took %lld ms", trial->target->facts.target,
		trial->id.name, trial->id.protocol, (long long)fact_int_or(tried->spent_ms, 0));
	arena_join(arena, message_arena);
	arena_join(arena, &state->step_arena);
	trial->has_result =
		trial_take_record(arena, &trial->id, tried, &state->last_step, &trial->record);
	trial->is_unsure = tried->trials.n_items && tried->status != STATUS_OK;
	state->last_step = (struct fact_trial_step){ 0 };
	progress_step(state->progress, 1);
}

/* Tells the next worker of the module how much time the target has left. */
static void limit_others(struct trial_state *state, const struct trial_target *target)
{
	const struct trial_batch *batch = state->current;
	struct job_trial *trials = state->modules.items[batch - state->batches]->trials;

	for (size_t i = 0; i < batch->n_items; i++)
		if (batch->items[i]->target == target)
			trials[i].limit_ms = target->left_ms > 1 ? target->left_ms : 1;
}

static int on_trial_target(
	struct trial_state *state, struct arena *arena, struct fact_target *tried)
{
	struct trial_batch *batch = state->current;
	struct planned_trial *trial;
	bool hung;

	if (!batch || (size_t)tried->index.value >= batch->n_items)
		return 0;
	trial = batch->items[tried->index.value];
	trial->target->facts.spent_ms =
		fact_int(trial->target->facts.spent_ms.value + fact_int_or(tried->spent_ms, 0));
	hung = tried->status == STATUS_HUNG && state->attempt == ATTEMPT_FIRST;
	trial->target->hung |= hung;
	if (state->attempt == ATTEMPT_ALONE)
		trial->target->left_ms -= clock_ms() - state->begun_ms;
	else if (!hung)
		trial->target->left_ms -= fact_int_or(tried->spent_ms, 0);
	if (tried->status != STATUS_OK)
		limit_others(state, trial->target);
	take_record(state, trial, arena, tried);
	return 0;
}

/* Skips the trials of a module that could not be imported again. */
static void take_failed_module(struct trial_state *state, const struct fact_module_result *module)
{
	const struct fact_target tried = {
		.status = module->status, .step = module->step, .error = module->error
	};

	for (size_t i = 0; i < state->current->n_items; i++) {
		struct trial_target *target = state->current->items[i]->target;
		struct arena arena = { 0 };
		struct fact_target copy = tried;

		copy.step = tried.step ? arena_printf(&target->arena, "%s", tried.step) : NULL;
		fact_copy(&fact_error_record, &target->arena, &tried.error, &copy.error);
		take_record(state, state->current->items[i], &arena, &copy);
	}
}

static int on_trial_message(
	void *context, struct arena *arena, struct message *message, struct err *err)
{
	struct trial_state *state = context;

	if (message->kind == MESSAGE_TRIAL) {
		arena_free(&state->step_arena);
		state->step_arena = *arena;
		*arena = (struct arena){ 0 };
		state->last_step = message->trial;
	} else if (message->kind == MESSAGE_TARGET) {
		return on_trial_target(state, arena, &message->target);
	} else if (message->kind == MESSAGE_MODULE) {
		if (end_batch(state, err))
			return -1;
		state->current = &state->batches[message->module.module.value];
		state->begun_ms = clock_ms();
		if (message->module.status != STATUS_OK)
			take_failed_module(state, &message->module);
	}
	return 0;
}

/* Starts no trial of a target whose time is used up, if trials run alone, one after another; those
 * of the other attempts end themselves (worker/run.c). */
static int on_trial_start(void *context, size_t module, struct err *err)
{
	struct trial_state *state = context;
	struct planned_trial *trial = state->batches[module].items[0];

	if (end_batch(state, err))
		return -1;
	state->modules.items[module]->trials[0].limit_ms = trial->target->left_ms;
	if (trial->target->left_ms > 0)
		return 1;
	trial_record_skip(trial, NULL, JOB_NO_TIME);
	trial->has_result = true;
	trial->is_settled = true;
	progress_step(state->progress, 1);
	return 0;
}

/* Names the trial under way, once its module is imported. */
static void on_trial_position(void *context, size_t module, int32_t target)
{
	struct trial_state *state = context;
	const struct trial_batch *batch = state->current;
	char label[PROGRESS_LABEL_CHARS];

	if (batch != &state->batches[module] || target < 0 || (size_t)target >= batch->n_items)
		return;
	snprintf(label, sizeof(label), "%s: %s of %s",
		fact_text_or(batch->items[target]->target->facts.target, "?"),
		batch->items[target]->id.name, batch->items[target]->id.protocol);
	progress_name(state->progress, label);
}

/* --- sessions --- */

static int run_batches(struct trial_state *state, struct session_options options, struct err *err)
{
	struct session session = { .options = options,
		.on_start = state->attempt == ATTEMPT_ALONE ? on_trial_start : NULL,
		.on_message = on_trial_message,
		.on_position = on_trial_position,
		.context = state };
	int status = 0;

	session.options.stdin_is_input = session.options.silent = true;
	if (state->modules.n_items)
		status = run_session(state->run, &state->modules, &session, err);
	if (!status)
		status = end_batch(state, err);
	arena_free(&state->step_arena);
	state->last_step = (struct fact_trial_step){ 0 };
	state->modules = (struct job_modules){ 0 };
	state->batches = NULL;
	return status;
}

/* Idle workers import a module again, to share its trials. Live trials of the first attempt do not
 * run in parallel, since they measure what a device does meanwhile. In the second attempt they may:
 * a result that differs for that reason is in doubt again. */
static struct session_options options_to_share(const struct trial_state *state)
{
	const struct trial_queue *queue = state->queue;
	struct session_options options = { .jobs = state->attempt != ATTEMPT_FIRST
							   ? run_jobs_to_confirm(state->run)
						   : state->has_live ? 1
								     : 0 };
	int64_t slowest_ms = 0;

	for (size_t i = 0; i < queue->n_items; i++)
		if (queue->items[i].facts.spent_ms.value > slowest_ms)
			slowest_ms = queue->items[i].facts.spent_ms.value;
	options.step_timeout_seconds =
		(double)(FIRST_LIMIT_MS + FIRST_LIMIT_CAPTURES * slowest_ms) / 1000;
	return options;
}

static int run_shared(struct trial_state *state, struct err *err)
{
	const struct session_options options = options_to_share(state);

	trial_plan_shared(state, (size_t)(options.jobs ? options.jobs : run_jobs(state->run)));
	return run_batches(state, options, err);
}

static int run_regrouped(struct trial_state *state, struct err *err)
{
	state->attempt = ATTEMPT_REGROUPED;
	trial_plan_regrouped(state);
	return state->modules.n_items ? run_batches(state, options_to_share(state), err) : 0;
}

/* Repeats doubtful trials until no doubt is left. */
static int repeat_doubts(struct trial_state *state, struct err *err)
{
	for (;;) {
		if (run_regrouped(state, err))
			return -1;
		state->attempt = ATTEMPT_ALONE;
		trial_plan_repeats(state);
		if (!state->modules.n_items)
			return pass_on_targets(state, err);
		progress_grow(state->progress, state->modules.n_items);
		if (run_batches(state, (struct session_options){ .jobs = 1 }, err))
			return -1;
		trial_doubts_decide(state);
	}
}

/* --- the queue --- */

bool trials_requested(const struct run *run)
{
	return run->job.facts & (FACT_LIFETIME | FACT_LIVE);
}

void trials_queue(struct trial_queue *queue, struct arena *arena, const struct fact_target *target,
	const struct job_module *module)
{
	queue->items = mem_resize(queue->items, (queue->n_items + 1) * sizeof(*queue->items));
	queue->items[queue->n_items++] =
		(struct trial_target){ .arena = *arena, .facts = *target, .module = module };
	*arena = (struct arena){ 0 };
}

int trials_run(struct run *run, struct trial_queue *queue, struct progress *progress,
	const struct trial_receiver *receiver, struct err *err)
{
	struct trial_state state = {
		.run = run, .queue = queue, .receiver = receiver, .progress = progress
	};
	/* A debugger (--wrap) follows the worker, not its forks. */
	bool alone = run->settings->wrap || environment_forces("SUAI_TRIALS_ALONE");
	int64_t begun_ms = progress->begun_ms;
	size_t n_planned = 0;
	int status;

	for (size_t i = 0; i < queue->n_items; i++) {
		trial_plan_target(&state, &queue->items[i]);
		n_planned += queue->items[i].n_trials;
	}
	progress_begin(progress, !run->settings->quiet, n_planned, "trials");
	progress->begun_ms = begun_ms; /* the delay before progress is shown includes the calls */
	progress_set(progress, 0);
	status = alone ? 0 : run_shared(&state, err);
	state.attempt = ATTEMPT_SECOND;
	if (!status && !alone)
		status = run_shared(&state, err);
	if (!status)
		status = repeat_doubts(&state, err);
	progress_end(progress);
	if (status)
		pass_on_unfinished(&state);
	return status;
}

void trials_abandon(
	struct run *run, struct trial_queue *queue, const struct trial_receiver *receiver)
{
	struct trial_state state = { .run = run, .queue = queue, .receiver = receiver };

	for (size_t i = 0; i < queue->n_items; i++)
		trial_plan_target(&state, &queue->items[i]);
	pass_on_unfinished(&state);
}

void trials_free(struct trial_queue *queue)
{
	for (size_t i = 0; i < queue->n_items; i++)
		arena_free(&queue->items[i].arena);
	free(queue->items);
	*queue = (struct trial_queue){ 0 };
}
