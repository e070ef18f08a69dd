// SPDX-License-Identifier: MIT
/* Runs a worker for each trial: its end is a result of the trial, not a failure of the target. */
#include "run/trials.h"

#include "base/array_size.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "facts/facts.h"
#include "model/device.h"
#include "model/trials.h"
#include "protocols/protocol.h"
#include "supervisor/session.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	enum job_facts fact;
	int flags; /* of enum trial_flags */
} trials[] = {
#define ROW(NAME, WORD, FACT, FLAGS) { WORD, FACT, FLAGS },
	TRIAL_LIST(ROW)
};

enum { N_TRIALS = ARRAY_SIZE(trials) };

struct trial_target {
	struct arena arena; /* of facts */
	struct fact_target facts;
	const struct job_module *module;
	int64_t left_ms; /* of the target's time limit */
};

struct planned_trial {
	struct trial_target *target;
	struct job_trial id;
};

/* The session of trials. */
struct trial_state {
	struct run *run;
	struct trial_queue *queue;
	const struct trial_receiver *receiver;
	struct progress *progress;
	struct job_modules modules; /* one for each trial */
	struct planned_trial *plan;
	size_t n_planned, n_passed_on; /* trials; targets */

	const struct planned_trial *current; /* NULL: none */
	bool has_record;
	int64_t begun_ms; /* when the import of the module, which does not count, was complete */
	struct arena step_arena; /* of last_step only, since there are thousands of steps */
	struct fact_trial_step last_step; /* null: the trial has not started */
};

/* --- records --- */

static struct fact_trial *add_record(const struct planned_trial *trial, enum trial_outcome outcome)
{
	struct trial_target *target = trial->target;
	struct fact_trial *record = FACT_LIST_ADD(&target->arena, &target->facts.trials);

	*record = (struct fact_trial){ .present = true,
		.trial = trial->id.name,
		.protocol = trial->id.protocol,
		.outcome = outcome };
	return record;
}

/* The names of a lost worker's status are also those of a trial's outcome. */
static enum trial_outcome outcome_of_status(enum target_status status)
{
	enum trial_outcome outcome = TRIAL_NULL;
	const char *name = target_status_name(status);

	if (name)
		trial_outcome_from_name(name, &outcome);
	return outcome;
}

/* Adds the trial's record: the worker's, or how the worker ended. Takes the arena, which holds the
 * target. */
static void take_record(
	struct trial_state *state, struct arena *message_arena, const struct fact_target *tried)
{
	const struct planned_trial *trial = state->current;
	struct arena *arena = &trial->target->arena;
	struct fact_trial *record;

	state->has_record = true;
	arena_join(arena, message_arena);
	if (tried->status == STATUS_OK && tried->trials.n_items) {
		*add_record(trial, TRIAL_NULL) = tried->trials.items[0];
	} else if (state->last_step.present) {
		record = add_record(trial, outcome_of_status(tried->status));
		record->error = tried->error;
		record->step = state->last_step.step;
		record->counts = state->last_step.counts;
		arena_join(arena, &state->step_arena);
	} else {
		record = add_record(trial, TRIAL_SKIPPED);
		record->error = (struct fact_error){ .present = true,
			.type = tried->error.type,
			.message = arena_printf(arena,
				"the object could not be created again (%s, step %s): %s",
				tried->status ? target_status_name(tried->status) : "?",
				tried->step ? tried->step : "?",
				tried->error.message ? tried->error.message
						     : "no reason was reported") };
	}
}

/* --- the session --- */

/* The import, which only suai requires, does not count for the target's time limit. */
static int on_trial_message(
	void *context, struct arena *arena, struct message *message, struct err *err)
{
	struct trial_state *state = context;
	const struct fact_module_result *module = &message->module;

	(void)err;
	if (message->kind == MESSAGE_TRIAL) {
		arena_free(&state->step_arena);
		state->step_arena = *arena;
		*arena = (struct arena){ 0 };
		state->last_step = message->trial;
	} else if (message->kind == MESSAGE_TARGET && !state->has_record) {
		take_record(state, arena, &message->target);
	} else if (message->kind == MESSAGE_MODULE) {
		state->begun_ms = clock_ms();
		if (module->status != STATUS_OK && !state->has_record)
			take_record(state, arena,
				&(const struct fact_target){ .status = module->status,
					.step = module->step,
					.error = module->error });
	}
	return 0;
}

static void end_trial(struct trial_state *state)
{
	if (!state->current)
		return;
	state->current->target->left_ms -= clock_ms() - state->begun_ms;
	state->current = NULL;
	state->last_step = (struct fact_trial_step){ 0 };
	state->has_record = false;
	arena_free(&state->step_arena);
	progress_step(state->progress, 1);
}

/* Passes on the targets before end. */
static int pass_on_targets(
	struct trial_state *state, const struct trial_target *end, struct err *err)
{
	const struct trial_receiver *receiver = state->receiver;

	while (state->queue->items + state->n_passed_on < end) {
		struct trial_target *target = &state->queue->items[state->n_passed_on++];

		if (receiver->on_target(receiver->context, &target->arena, &target->facts, err))
			return -1;
		arena_free(&target->arena);
	}
	return 0;
}

static int on_trial_start(void *context, size_t module, struct err *err)
{
	struct trial_state *state = context;
	const struct planned_trial *trial = &state->plan[module];

	end_trial(state);
	if (pass_on_targets(state, trial->target, err))
		return -1;
	if (trial->target->left_ms <= 0) {
		add_record(trial, TRIAL_SKIPPED)->error = (struct fact_error){ .present = true,
			.message = "the time limit of the target was reached" };
		progress_step(state->progress, 1);
		return 0;
	}
	state->current = trial;
	state->begun_ms = clock_ms();
	return 1;
}

/* --- the plan --- */

bool trials_requested(const struct run *run)
{
	return run->job.facts & (FACT_LIFETIME | FACT_LIVE);
}

/* Live trials of DLPack concern streams, as consumers name them by numbers. */
static bool has_streams(const struct fact_interface *interface, int flags)
{
	int64_t code = value_int_or(value_at(interface->declared, "device[0]"), -1);
	enum device_streams streams = device_type_of_code(code)->streams;

	return protocol_of_interface(interface) != &dlpack_protocol ||
	       streams == DEVICE_STREAMS_DRIVEN ||
	       (streams == DEVICE_STREAMS_NUMBERED && (flags & TRIAL_WITHOUT_DRIVER));
}

/* Whether the interface has the subject of the trial. */
static bool has_subject(const struct fact_interface *interface, int flags)
{
	return (!(flags & TRIAL_OF_STREAM) ||
		       !value_is_null(value_get(interface->declared, "stream"))) &&
	       (!(flags & TRIAL_OF_EXCHANGE) ||
		       !value_is_null(value_get(interface->details, "exchange")));
}

/* Whether the interface has the trial with that index, and it was requested. */
static bool applies(
	const struct trial_state *state, size_t i, const struct fact_interface *interface)
{
	const struct protocol *protocol = protocol_of_interface(interface);
	const struct job *job = &state->run->job;

	return protocol && protocol->trials && interface->status == INTERFACE_OK &&
	       text_lists_word(protocol->trials, trials[i].name) && (job->facts & trials[i].fact) &&
	       has_subject(interface, trials[i].flags) &&
	       (trials[i].fact != FACT_LIVE || has_streams(interface, trials[i].flags)) &&
	       job_has_step(job, job_trial_step(state->run->arena, trials[i].name, protocol->name));
}

/* Plans a module of the session: the target's module, with only that target. */
static void plan_one_trial(struct trial_state *state, struct trial_target *target, const char *name,
	const struct fact_interface *interface)
{
	const struct planned_trial trial = { target, { name, interface->protocol } };
	struct arena *arena = state->run->arena;
	struct job_module *module = arena_alloc(arena, sizeof(*module));
	const char *expression = fact_text_or(target->facts.target, "");

	*module = *target->module;
	module->all_objects = false;
	module->expressions = (struct job_words){ 0 };
	module->trial = trial.id;
	/* The name of the target is the expression, or ends with it. */
	if (module->kind != JOB_MODULE_CODE || target->module->all_objects)
		expression += strlen(module->label) + 1;
	job_words_add(arena, &module->expressions, expression);
	job_modules_add(arena, &state->modules, module);
	state->plan = mem_resize(state->plan, (state->n_planned + 1) * sizeof(*state->plan));
	state->plan[state->n_planned++] = trial;
}

static void plan_target(struct trial_state *state, struct trial_target *target)
{
	struct fact_target *facts = &target->facts;

	/* A step that ended a worker does not affect trials: each has its own worker. */
	if (!target->module ||
		(facts->status != STATUS_OK && facts->status != STATUS_CRASHED &&
			facts->status != STATUS_HUNG && facts->status != STATUS_LEFT))
		return;
	facts->trials = (struct fact_trial_list){ .known = true };
	target->left_ms = state->run->settings->timeout_seconds * 1000 - facts->spent_ms.value;
	for (size_t i = 0; i < facts->interfaces.n_items; i++)
		for (size_t j = 0; j < N_TRIALS; j++)
			if (applies(state, j, &facts->interfaces.items[i]))
				plan_one_trial(
					state, target, trials[j].name, &facts->interfaces.items[i]);
}

/* --- the queue --- */

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
	struct session session = { .options = { .jobs = 1, .stdin_is_input = true, .silent = true },
		.on_start = on_trial_start,
		.on_message = on_trial_message,
		.context = &state };
	int64_t begun_ms = progress->begun_ms;
	int status = 0;

	for (size_t i = 0; i < queue->n_items; i++)
		plan_target(&state, &queue->items[i]);
	progress_begin(progress, !run->settings->quiet, state.n_planned, "trials");
	progress->begun_ms = begun_ms; /* the delay before progress is shown includes the calls */
	progress_set(progress, 0);
	if (state.n_planned)
		status = run_session(run, &state.modules, &session, err);
	end_trial(&state);
	progress_end(progress);
	if (!status)
		status = pass_on_targets(&state, queue->items + queue->n_items, err);
	arena_free(&state.step_arena);
	free(state.plan);
	return status;
}

void trials_free(struct trial_queue *queue)
{
	for (size_t i = 0; i < queue->n_items; i++)
		arena_free(&queue->items[i].arena);
	free(queue->items);
	*queue = (struct trial_queue){ 0 };
}
