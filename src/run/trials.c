// SPDX-License-Identifier: MIT
/*
 * Runs trials: a worker that ends in one is its result, not a failure of the target.
 *
 * The first attempt imports a module once for the trials of all its targets (worker/run.c): in
 * forks of a worker, or one after another in it. What is in doubt there is repeated, and this
 * result counts. Trials that ended as usual, but that a rule reports or that were skipped, are
 * repeated in one more worker, and after them those run that may crash a driver; in workers of
 * their own if there are enough. A trial that lost its process, raised, can damage it, or whose
 * result differs there is repeated alone, in a worker that has done nothing else. Equal doubts
 * about objects of one type are repeated once for all of them, as long as the result is equal.
 */
#include "run/trials.h"

#include "base/clock.h"
#include "base/debug.h"
#include "base/environment.h"
#include "base/memory.h"
#include "base/text.h"
#include "documents/document.h"
#include "facts/facts.h"
#include "protocols/trials.h"
#include "supervisor/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The time limit of each step in a shared process: a fork may wait for what it lacks. */
enum { FIRST_LIMIT_MS = 5000, FIRST_LIMIT_CAPTURES = 4 };

enum { MAX_TARGETS = 1000 }; /* of a batch, whose job has a size limit */

/* One trial of a target. */
struct planned_trial {
	struct trial_target *target;
	struct job_trial id;
	int flags;                /* of enum trial_flags */
	struct fact_trial record; /* null: there is none yet */
	bool has_result;          /* the record is the worker's, not the reason why there is none */
	bool is_unsure;           /* skipped, for a reason that does not follow from the object */
	bool is_settled;          /* the record counts */
	bool is_planned;          /* in a batch of its kind */
	struct doubt *doubt;      /* about it; NULL: it runs alone, whatever others yield */
};

struct trial_target {
	struct arena arena; /* of facts */
	struct fact_target facts;
	const struct job_module *module;
	struct planned_trial *trials;
	size_t n_trials;
	int64_t left_ms;  /* of the target's time limit, for trials that run alone */
	int64_t spent_ms; /* in the first attempt */
	bool hung;        /* there */
	bool is_examined; /* by settle_target() */
	bool has_no_time; /* each trial that is not settled runs alone */
};

/* A kind of doubt about objects of a module: repeated for the first of them. */
struct doubt {
	struct doubt *next;
	const struct job_module *module;
	const char *key;
	struct planned_trial *repeated; /* NULL: not yet */
	enum { DOUBT_OPEN, DOUBT_CONFIRMED, DOUBT_REFUTED } outcome;
};

/* The trials of one module of a session. */
struct trial_batch {
	struct planned_trial **items;
	size_t n_items;
};

struct trial_state {
	struct run *run;
	struct trial_queue *queue;
	const struct trial_receiver *receiver;
	struct progress *progress;
	struct doubt *doubts;
	size_t n_passed_on; /* targets */
	bool has_live;      /* a live trial is planned */

	/* The current session. */
	enum { ATTEMPT_FIRST, ATTEMPT_SECOND, ATTEMPT_ALONE } attempt; /* alone in a worker */
	struct job_modules modules;                                    /* one for each batch */
	struct trial_batch *batches;
	struct trial_batch *current; /* NULL: none */
	int64_t begun_ms; /* the current trial, if it runs alone; the import does not count */
	struct arena step_arena;
	struct fact_trial_step last_step; /* of a lost worker; null: the trial had not started */
};

/* --- records --- */

static struct fact_trial *set_record(struct planned_trial *trial, enum trial_outcome outcome)
{
	trial->record = (struct fact_trial){ .present = true,
		.trial = trial->id.name,
		.protocol = trial->id.protocol,
		.outcome = outcome };
	return &trial->record;
}

static void skip_trial(struct planned_trial *trial, const char *type, const char *reason)
{
	set_record(trial, TRIAL_SKIPPED)->error =
		(struct fact_error){ .present = true, .type = type, .message = reason };
}

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

/* The records that there are, without that of one trial (NULL: all), for the rules. */
static void list_records(struct trial_target *target, const struct planned_trial *without)
{
	struct fact_trial_list *list = &target->facts.trials;

	if (!list->known)
		return;
	*list = (struct fact_trial_list){ .known = true };
	for (size_t i = 0; i < target->n_trials; i++)
		if (&target->trials[i] != without && target->trials[i].record.present)
			*FACT_LIST_ADD(&target->arena, list) = target->trials[i].record;
}

/* --- doubts --- */

static const char *find_findings(const struct trial_state *state, struct trial_target *target,
	const struct planned_trial *without, bool with_messages)
{
	list_records(target, without);
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

/* What is in doubt about a record, in words that are equal for equal doubts; NULL: nothing. */
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

/* After the first attempt. If that took more than the target's time limit, all of its trials run
 * alone, since each counts for that limit. */
static void settle_target(struct trial_state *state, struct trial_target *target)
{
	if (target->is_examined)
		return;
	target->is_examined = true;
	target->has_no_time = target->hung || target->spent_ms > target->left_ms;
	document_derive(&target->arena, &target->facts);
	for (size_t i = 0; i < target->n_trials && !target->has_no_time; i++) {
		struct planned_trial *trial = &target->trials[i];
		const char *key = trial->is_settled ? NULL : describe_doubt(state, trial);

		trial->is_settled = !key;
		if (key && trial->has_result)
			trial->doubt = find_doubt(state, target->module, key);
	}
}

/* After the second attempt: the trial is settled unless it is in another doubt now, or lost its
 * process among others. A doubt that arose alone is confirmed. */
static void settle_repeated(struct trial_state *state, struct planned_trial *trial, bool was_alone)
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

/* Whether the trial must run alone now; otherwise it is settled, or waits for another one. */
static bool must_repeat(struct planned_trial *trial)
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

/* After the trials of must_repeat() ran. */
static void decide_doubts(struct trial_state *state)
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

		list_records(target, NULL);
		if (receiver->on_target(receiver->context, &target->arena, &target->facts, err))
			return -1;
		target->n_trials = 0; /* they are in the arena */
		arena_free(&target->arena);
	}
	return 0;
}

/* Passes on the other targets of a run that failed: a trial that is not settled counts as skipped,
 * since what is in doubt may be wrong. */
static void pass_on_unfinished(struct trial_state *state)
{
	struct err ignored; /* the run has failed already */

	for (size_t i = state->n_passed_on; i < state->queue->n_items; i++) {
		struct trial_target *target = &state->queue->items[i];

		if (state->attempt == ATTEMPT_FIRST)
			settle_target(state, target);
		for (size_t j = 0; j < target->n_trials; j++) {
			struct planned_trial *trial = &target->trials[j];

			if (!trial->is_settled)
				skip_trial(trial, NULL, "the run ended before this trial");
			trial->is_settled = true;
		}
	}
	pass_on_targets(state, &ignored);
}

/* The current batch is over. */
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
			settle_repeated(state, trial, i == 0); /* in a new worker */
		else if (state->attempt == ATTEMPT_ALONE)
			trial->is_settled = !trial->doubt || trial->doubt->repeated != trial;
		else
			settle_target(state, target);
	}
	return pass_on_targets(state, err);
}

/* --- the session --- */

static int on_trial_target(
	struct trial_state *state, struct arena *arena, struct fact_target *tried)
{
	struct trial_batch *batch = state->current;
	struct planned_trial *trial;

	if (!batch || (size_t)tried->index.value >= batch->n_items)
		return 0;
	trial = batch->items[tried->index.value];
	trial->target->facts.spent_ms =
		fact_int(trial->target->facts.spent_ms.value + fact_int_or(tried->spent_ms, 0));
	if (state->attempt == ATTEMPT_FIRST) {
		trial->target->spent_ms += tried->spent_ms.value;
		trial->target->hung |= tried->status == STATUS_HUNG;
	}
	take_record(state, trial, arena, tried);
	if (state->attempt == ATTEMPT_ALONE)
		trial->target->left_ms -= clock_ms() - state->begun_ms;
	return 0;
}

/* A module that could not be imported again. */
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

/* Of trials that run alone, one after another: starts none of a target without time. */
static int on_trial_start(void *context, size_t module, struct err *err)
{
	struct trial_state *state = context;
	struct planned_trial *trial = state->batches[module].items[0];

	if (end_batch(state, err))
		return -1;
	if (trial->target->left_ms > 0)
		return 1;
	skip_trial(trial, NULL, "the time limit of the target was reached");
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

/* --- the plan --- */

bool trials_requested(const struct run *run)
{
	return run->job.facts & (FACT_LIFETIME | FACT_LIVE);
}

/* The expression of a target: its name, or the name's end. */
static const char *target_expression(const struct trial_target *target)
{
	const struct job_module *module = target->module;
	const char *name = fact_text_or(target->facts.target, "");

	return module->kind != JOB_MODULE_CODE || module->all_objects
		       ? name + strlen(module->label) + 1
		       : name;
}

static void plan_target(struct trial_state *state, struct trial_target *target)
{
	struct fact_target *facts = &target->facts;
	struct planned_trial *trial;
	size_t n_kinds = 0;

	while (trial_kinds[n_kinds].name)
		n_kinds++;
	/* A step that ended a worker does not affect trials. */
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
	module->one_process = state->attempt == ATTEMPT_SECOND; /* a fork may lack something */
	module->expressions = (struct job_words){ 0 };
	module->trials = arena_alloc(arena, n_items * sizeof(*module->trials));
	for (size_t i = 0; i < n_items; i++) {
		job_words_add(arena, &module->expressions, target_expression(items[i]->target));
		module->trials[i] = items[i]->id;
	}
	job_modules_add(arena, &state->modules, module);
	state->batches = arena_grow(arena, state->batches, n_batches, sizeof(*state->batches));
	state->batches[n_batches] = (struct trial_batch){ items, n_items };
}

/* The order of trials in a process that several share: those that time affects first, those that
 * can damage a process last. */
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
 * Which trials share a process in the current attempt: in the second one those whose first result
 * is in doubt although the process went on as usual, one for each doubt, then those that may crash
 * a driver.
 */
static bool is_of_attempt(const struct trial_state *state, struct planned_trial *trial)
{
	enum trial_outcome outcome = trial->record.outcome;
	struct doubt *doubt = trial->doubt;

	if (trial->flags & TRIAL_OF_DRIVER_MISUSE || state->attempt == ATTEMPT_FIRST)
		return (state->attempt == ATTEMPT_SECOND) ==
			       !!(trial->flags & TRIAL_OF_DRIVER_MISUSE) &&
		       !trial->target->has_no_time && !trial->is_planned;
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

/* Whether both put the same question to objects of one kind. */
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
	return trial->flags & TRIAL_OF_DRIVER_MISUSE && !trial->target->has_no_time &&
	       trial->target->left_ms > 0 && !trial->is_planned;
}

/* Plans the trials of first's kind as one batch, which begins with it. */
static void plan_kind(struct trial_state *state, const struct planned_trial *first)
{
	const struct trial_queue *queue = state->queue;
	struct planned_trial **items =
		arena_alloc(state->run->arena, queue->n_items * sizeof(struct planned_trial *));
	size_t n_items = 0;

	for (size_t i = 0; i < queue->n_items; i++)
		for (size_t j = 0; j < queue->items[i].n_trials; j++) {
			struct planned_trial *trial = &queue->items[i].trials[j];

			if (!is_misuse_to_plan(trial) || !is_of_kind(first, trial))
				continue;
			trial->is_planned = true;
			items[n_items++] = trial;
			break; /* an object has a protocol once */
		}
	add_batch(state, items, n_items);
}

/* Plans a worker for each kind, if there are so many besides one for the other trials. */
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

/* Plans what must run alone, as known after the first attempt. */
static void plan_alone(struct trial_state *state)
{
	for (size_t i = 0; i < state->queue->n_items; i++)
		for (size_t j = 0; j < state->queue->items[i].n_trials; j++) {
			struct planned_trial *trial = &state->queue->items[i].trials[j];

			if (trial->doubt && !trial->doubt->repeated &&
				!trial->target->has_no_time && must_repeat(trial))
				plan_single(state, trial);
		}
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

/* Workers that would be idle import a module again, to share its trials. Live trials of the first
 * attempt do not run in parallel: they measure what a device does meanwhile. In the second one, a
 * result that differs for that reason would be in doubt again. */
static int run_shared(struct trial_state *state, struct err *err)
{
	const struct trial_queue *queue = state->queue;
	bool is_first = state->attempt == ATTEMPT_FIRST;
	struct session_options options = { .jobs = !is_first ? run_jobs_to_confirm(state->run)
						   : state->has_live ? 1
								     : 0 };
	size_t n_workers = options.jobs ? 1 : (size_t)run_jobs(state->run), n_modules = 0, end;
	int64_t slowest_ms = 0;

	for (size_t i = 0; i < queue->n_items; i = find_module_end(queue, i))
		n_modules++;
	for (size_t i = 0; i < queue->n_items; i++)
		if (queue->items[i].facts.spent_ms.value > slowest_ms)
			slowest_ms = queue->items[i].facts.spent_ms.value;
	options.step_timeout_seconds =
		(double)(FIRST_LIMIT_MS + FIRST_LIMIT_CAPTURES * slowest_ms) / 1000;
	if (!is_first)
		plan_kinds(state, (size_t)options.jobs);
	for (size_t begin = 0; begin < queue->n_items; begin = end) {
		end = find_module_end(queue, begin);
		plan_module(
			state, begin, end, is_first ? (n_workers + n_modules - 1) / n_modules : 1);
	}
	if (!is_first)
		plan_alone(state);
	return run_batches(state, options, err);
}

/* Repeats what is in doubt, until nothing is. */
static int repeat_alone(struct trial_state *state, struct err *err)
{
	state->attempt = ATTEMPT_ALONE;
	for (;;) {
		for (size_t i = 0; i < state->queue->n_items; i++) {
			struct trial_target *target = &state->queue->items[i];

			for (size_t j = 0; j < target->n_trials; j++) {
				if (must_repeat(&target->trials[j]))
					plan_single(state, &target->trials[j]);
			}
		}
		if (!state->modules.n_items)
			return pass_on_targets(state, err);
		progress_grow(state->progress, state->modules.n_items);
		if (run_batches(state, (struct session_options){ .jobs = 1 }, err))
			return -1;
		decide_doubts(state);
	}
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
	/* A debugger follows the worker, not its forks. */
	bool alone = run->settings->wrap || environment_forces("SUAI_TRIALS_ALONE");
	int64_t begun_ms = progress->begun_ms;
	size_t n_planned = 0;
	int status;

	for (size_t i = 0; i < queue->n_items; i++) {
		plan_target(&state, &queue->items[i]);
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
		status = repeat_alone(&state, err);
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
		plan_target(&state, &queue->items[i]);
	pass_on_unfinished(&state);
}

void trials_free(struct trial_queue *queue)
{
	for (size_t i = 0; i < queue->n_items; i++)
		arena_free(&queue->items[i].arena);
	free(queue->items);
	*queue = (struct trial_queue){ 0 };
}
