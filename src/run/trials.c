// SPDX-License-Identifier: MIT
/* A worker for each trial: what becomes of it is an answer, not the target's failure. */
#include "run/trials.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "facts/memory.h"
#include "model/trials.h"
#include "protocols/protocol.h"
#include "supervisor/session.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	enum job_facts fact;
	const char *about;
} trials[] = {
#define ROW(NAME, WORD, FACT, ABOUT) { WORD, FACT, ABOUT },
	TRIAL_LIST(ROW)
};

enum { N_TRIALS = sizeof(trials) / sizeof(*trials) };

struct trial_target {
	struct arena arena; /* of facts */
	struct value *facts;
	const struct value *module;
	struct value *records; /* facts.trials */
	int64_t left_ms;       /* of the target's time limit */
};

struct planned_trial {
	struct trial_target *target;
	struct value *id; /* {trial, protocol} */
};

/* The session of trials. */
struct trial_state {
	struct run *run;
	struct trial_queue *queue;
	const struct trial_receiver *receiver;
	struct progress *progress;
	struct value *modules; /* one for each trial */
	struct planned_trial *plan;
	size_t n_planned, n_passed_on; /* trials; targets */

	const struct planned_trial *current; /* NULL: none is under way */
	bool has_record;
	int64_t begun_ms;              /* once the module was imported, which does not count */
	struct arena step_arena;       /* of last_step: there are thousands of steps */
	const struct value *last_step; /* {step, counts}; NULL: the trial has not begun */
};

/* --- records --- */

static struct value *add_record(
	const struct planned_trial *trial, const char *outcome, struct value *error)
{
	struct arena *arena = &trial->target->arena;
	struct value *record =
		value_append(arena, trial->target->records, value_copy(arena, trial->id));

	value_set(arena, record, "outcome", value_text(arena, outcome));
	value_set(arena, record, "error", error);
	value_set(arena, record, "step", value_null(arena));
	value_set(arena, record, "counts", value_map(arena));
	return record;
}

/* The trial's record: the worker's, or how the worker ended. */
static void take_record(struct trial_state *state, const struct value *message)
{
	struct arena *arena = &state->current->target->arena;
	const struct value *reported = value_item(value_get(message, "trials"), 0);
	const char *status = value_text_or(value_get(message, "status"), "?");
	struct value *record;

	state->has_record = true;
	if (!strcmp(status, "ok") && reported) {
		value_append(arena, state->current->target->records, value_copy(arena, reported));
		return;
	}
	if (state->last_step) {
		record = add_record(
			state->current, status, value_copy(arena, value_get(message, "error")));
		value_set(arena, record, "step",
			value_copy(arena, value_get(state->last_step, "step")));
		value_set(arena, record, "counts",
			value_copy(arena, value_get(state->last_step, "counts")));
		return;
	}
	add_record(state->current, "skipped",
		value_error(arena, value_text_or(value_at(message, "error.type"), NULL),
			arena_printf(arena, "the object could not be made again (%s, step %s): %s",
				status, value_text_or(value_get(message, "step"), "?"),
				value_text_or(value_at(message, "error.message"),
					"no reason was reported"))));
}

/* --- the session --- */

/* What the import takes, which is suai's doing, does not count for the target's time limit. */
static int on_trial_message(void *context, const struct value *message, struct err *err)
{
	struct trial_state *state = context;
	const struct value *kind = value_get(message, "kind");
	bool is_failure =
		value_is_text(kind, "module") && !value_is_text(value_get(message, "status"), "ok");

	(void)err;
	if (value_is_text(kind, "module"))
		state->begun_ms = clock_ms();
	if (value_is_text(kind, "trial")) {
		arena_free(&state->step_arena);
		state->last_step = value_copy(&state->step_arena, message);
	}
	if ((value_is_text(kind, "target") || is_failure) && !state->has_record)
		take_record(state, message);
	return 0;
}

static void end_trial(struct trial_state *state)
{
	if (!state->current)
		return;
	state->current->target->left_ms -= clock_ms() - state->begun_ms;
	state->current = NULL;
	state->last_step = NULL;
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

		if (receiver->on_target(receiver->context, &target->arena, target->facts, err))
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
		add_record(trial, "skipped",
			value_error(&trial->target->arena, NULL,
				"the time limit of the target is used up"));
		progress_step(state->progress, 1);
		return 0;
	}
	state->current = trial;
	state->begun_ms = clock_ms();
	return 1;
}

/* --- which trials there are --- */

bool trials_requested(const struct run *run)
{
	return run->job.facts & (FACT_LIFETIME | FACT_LIVE);
}

/* Live trials of DLPack are of streams, which are integers on CUDA and ROCm; suai has no driver of
 * ROCm's to prove order with. */
static bool has_streams(const char *trial, const struct value *interface)
{
	int64_t code = value_int_or(value_at(interface, "declared.device[0]"), -1);

	return protocol_of_interface_value(interface) != &dlpack_protocol ||
	       code == device_type_code("cuda") || code == device_type_code("cuda_managed") ||
	       (code == device_type_code("rocm") && !strcmp(trial, "odd-stream"));
}

/* Whether the interface has the trial of that index, and the user asks for it. */
static bool applies(const struct trial_state *state, size_t i, const struct value *interface)
{
	const struct protocol *protocol = protocol_of_interface_value(interface);
	const char *only = state->run->job.only_step;

	return protocol && protocol->trials &&
	       value_is_text(value_get(interface, "status"), "ok") &&
	       text_lists_word(protocol->trials, trials[i].name) &&
	       (state->run->job.facts & trials[i].fact) &&
	       (!trials[i].about || !value_is_null(value_at(interface, trials[i].about))) &&
	       (trials[i].fact != FACT_LIVE || has_streams(trials[i].name, interface)) &&
	       (!only || !strcmp(only, arena_printf(state->run->arena, "trial %s of %s",
					       trials[i].name, protocol->name)));
}

/* The target's module with the target as its only one, named by its expression. */
static struct value *make_module(
	struct arena *arena, const struct trial_target *target, struct value *id)
{
	const char *name = value_text_or(value_get(target->facts, "name"), "");
	const char *label = value_text_or(value_get(target->module, "label"), "");
	struct value *module = value_copy(arena, target->module), *targets = value_list(arena);

	if (!value_bool_or(value_get(module, "plain_expressions"), false))
		name += strlen(label) + 1;
	value_append(arena, targets, value_text(arena, name));
	value_set(arena, module, "targets", targets);
	value_set(arena, module, "trial", id);
	return module;
}

static void plan_one_trial(struct trial_state *state, struct trial_target *target, const char *name,
	const struct value *interface)
{
	struct arena *arena = state->run->arena;
	struct value *id = value_map(arena);

	value_set(arena, id, "trial", value_text(arena, name));
	value_set(arena, id, "protocol", value_copy(arena, value_get(interface, "protocol")));
	value_append(arena, state->modules, make_module(arena, target, id));
	state->plan = mem_resize(state->plan, (state->n_planned + 1) * sizeof(*state->plan));
	state->plan[state->n_planned++] = (struct planned_trial){ target, id };
}

static void plan_target(struct trial_state *state, struct trial_target *target)
{
	const struct value *interfaces = value_get(target->facts, "interfaces");
	const char *status = value_text_or(value_get(target->facts, "status"), "");

	/* A step that ended a worker ends no trial: each has a worker of its own. */
	if (!target->module || !value_is_sequence(interfaces) ||
		!text_lists_word("ok crashed hung left", status))
		return;
	target->records =
		value_set(&target->arena, target->facts, "trials", value_list(&target->arena));
	target->left_ms = state->run->settings->timeout_seconds * 1000 -
			  value_int_or(value_get(target->facts, "spent_ms"), 0);
	for (size_t i = 0; i < interfaces->n_items; i++)
		for (size_t j = 0; j < N_TRIALS; j++)
			if (applies(state, j, interfaces->items[i]))
				plan_one_trial(state, target, trials[j].name, interfaces->items[i]);
}

/* --- the queue --- */

void trials_queue(struct trial_queue *queue, struct arena *arena, struct value *facts,
	const struct value *module)
{
	queue->items = mem_resize(queue->items, (queue->n_items + 1) * sizeof(*queue->items));
	queue->items[queue->n_items++] =
		(struct trial_target){ .arena = *arena, .facts = facts, .module = module };
	*arena = (struct arena){ 0 };
}

int trials_run(struct run *run, struct trial_queue *queue, struct progress *progress,
	const struct trial_receiver *receiver, struct err *err)
{
	struct trial_state state = { .run = run,
		.queue = queue,
		.receiver = receiver,
		.progress = progress,
		.modules = value_list(run->arena) };
	struct session session = { .options = { .jobs = 1, .stdin_is_input = true, .silent = true },
		.on_start = on_trial_start,
		.on_message = on_trial_message,
		.context = &state };
	int64_t begun_ms = progress->begun_ms;
	int status = 0;

	for (size_t i = 0; i < queue->n_items; i++)
		plan_target(&state, &queue->items[i]);
	progress_begin(progress, !run->settings->quiet, state.n_planned, "trials");
	progress->begun_ms = begun_ms; /* who waited for the calls has waited long enough */
	progress_set(progress, 0);
	if (state.n_planned)
		status = run_session(run, state.modules, &session, err);
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
