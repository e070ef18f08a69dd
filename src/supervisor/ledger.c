// SPDX-License-Identifier: MIT
/* Records which targets of a module have been reported; see supervisor/ledger.h. */
#include "supervisor/ledger.h"

#include "base/debug.h"
#include "base/plural.h"

#include <string.h>

/* --- outcomes --- */

/* An outcome that keeps the texts; an empty step becomes NULL. */
static struct outcome outcome_of(
	enum target_status status, const char *step, const char *message, const char *stack)
{
	return (struct outcome){ .status = status,
		.step = *step ? step : NULL,
		.error = { .present = true, .message = message, .traceback = stack } };
}

static const char *ledger_copy_text(struct arena *arena, const char *text)
{
	return text ? arena_copy(arena, text, strlen(text)) : NULL;
}

static struct outcome copy_outcome(struct arena *arena, const struct outcome *outcome)
{
	struct outcome copy = *outcome;

	copy.step = ledger_copy_text(arena, outcome->step);
	fact_copy(&fact_error_record, arena, &outcome->error, &copy.error);
	return copy;
}

/* Replaces status, step and error of a target; appends its hint to the error's message. */
static void apply_outcome(
	struct arena *arena, struct fact_target *target, const struct outcome *outcome)
{
	const struct outcome copy = copy_outcome(arena, outcome);

	target->status = copy.status;
	target->step = copy.step;
	target->error = copy.error;
	if (target->hint && target->error.present)
		target->error.message = arena_printf(arena, "%s (%s)",
			target->error.message ? target->error.message : "?", target->hint);
}

/* --- the ledger --- */

void ledger_open(struct ledger *ledger, const struct message_receiver *receiver,
	const struct job *job, const struct job_module *module, size_t index)
{
	*ledger = (struct ledger){
		.receiver = receiver, .job = job, .module = module, .index = index
	};
}

void ledger_close(struct ledger *ledger)
{
	arena_free(&ledger->best.arena);
	arena_free(&ledger->pending_arena);
	arena_free(&ledger->trial_arena);
	arena_free(&ledger->arena);
}

/* The receiver may take the arena. */
static int report_message(
	struct ledger *ledger, struct arena *arena, struct message *message, struct err *err)
{
	int status = ledger->receiver->on_message(ledger->receiver->context, arena, message, err);

	arena_free(arena);
	return status;
}

/* --- what no worker reported --- */

static const char *ledger_target_name(struct arena *arena, const struct ledger *ledger)
{
	const struct job_words *named = &ledger->module->expressions;
	const char *expression = "?";

	if (ledger->target < ledger->found.n_items)
		expression = ledger->found.items[ledger->target];
	else if (!ledger->found.known && ledger->target < named->n_items)
		expression = named->items[ledger->target];
	return job_target_name(arena, ledger->module, expression);
}

static void free_draft(struct ledger_draft *draft)
{
	arena_free(&draft->arena);
	draft->facts = (struct fact_draft){ 0 };
}

static void move_on(struct ledger *ledger)
{
	ledger->target++;
	ledger->first_exit = (struct outcome){ 0 };
	ledger->n_exits = 0;
	ledger->repeats = false;
	ledger->spent_ms = 0;
	ledger->has_trial = false;
	arena_free(&ledger->trial_arena);
	free_draft(&ledger->best);
}

/* Keeps the draft of a worker that ended, unless the best one so far has more interfaces, or as
 * many and more calls. */
static void keep_draft(struct ledger *ledger, struct worker_exit *worker_exit)
{
	const struct fact_draft *draft = &worker_exit->draft, *best = &ledger->best.facts;

	if (!draft->present || draft->interfaces.n_items < best->interfaces.n_items ||
		(draft->interfaces.n_items == best->interfaces.n_items &&
			draft->calls.n_items < best->calls.n_items))
		return;
	free_draft(&ledger->best);
	ledger->best = (struct ledger_draft){ worker_exit->draft_arena, worker_exit->draft };
	worker_exit->draft_arena = (struct arena){ 0 };
}

static bool has_call(const struct fact_call_list *calls, const char *step)
{
	for (size_t i = 0; step && i < calls->n_items; i++)
		if (fact_text_is(calls->items[i].step, step) && calls->items[i].held != ANSWER_YES)
			return true;
	return false;
}

/* Adds calls that were planned but not made, as skipped for the reason. */
static void add_planned(struct arena *arena, struct fact_target *target,
	const struct fact_call_list *planned, const char *reason)
{
	const char *ended = arena_printf(arena, "a worker was lost in this call: %s: %s",
		target_status_name(target->status),
		target->error.message ? target->error.message : "?");

	for (size_t i = 0; i < planned->n_items; i++) {
		const char *step = planned->items[i].step;
		struct fact_call *call;

		if (has_call(&target->calls, step))
			continue;
		call = FACT_LIST_ADD(arena, &target->calls);
		*call = planned->items[i];
		if (!call->error.present)
			call->error = (struct fact_error){ .present = true,
				.message = fact_text_is(target->step, step) ? ended : reason };
	}
}

/* Completes a target that no worker could finish; takes the draft, with its arena. */
static void apply_draft(struct ledger *ledger, struct arena *arena, struct fact_target *target)
{
	const struct fact_draft draft = ledger->best.facts;
	const char *reason = ledger_copy_text(
		arena, ledger->why_given_up ? ledger->why_given_up : "the worker exited early");

	if (!draft.present)
		return;
	arena_join(arena, &ledger->best.arena);
	target->type = draft.type;
	target->mro = draft.mro;
	target->aliases = draft.aliases;
	target->source = draft.source;
	target->ignores = draft.ignores;
	target->interfaces = draft.interfaces;
	target->calls = draft.calls;
	add_planned(arena, target, &draft.planned, reason);
	for (size_t i = 0; i < target->interfaces.n_items; i++) {
		struct fact_interface *interface = &target->interfaces.items[i];

		if (!interface->memory.present && !interface->memory_reason)
			interface->memory_reason = reason;
	}
}

/* Reports a target with only the outcome, and the draft that a lost worker left. */
static int report_bare_target(struct ledger *ledger, const struct outcome *outcome, struct err *err)
{
	struct arena arena = { 0 };
	struct message message = { .kind = MESSAGE_TARGET,
		.target = { .present = true,
			.module = fact_int((int64_t)ledger->index),
			.index = fact_int((int64_t)ledger->target),
			.spent_ms = fact_int(ledger->spent_ms) } };
	int status;

	if (ledger->has_trial && ledger->trial.trial.consumption.present) {
		message.target.consumption = ledger->trial.trial.consumption;
		arena_join(&arena, &ledger->trial_arena);
	} else if (ledger->has_trial &&
		   report_message(ledger, &ledger->trial_arena, &ledger->trial, err)) {
		return -1;
	}
	message.target.target = ledger_target_name(&arena, ledger);
	apply_outcome(
		&arena, &message.target, ledger->first_exit.status ? &ledger->first_exit : outcome);
	apply_draft(ledger, &arena, &message.target);
	status = report_message(ledger, &arena, &message, err);
	move_on(ledger);
	return status;
}

/* A module that could not be imported: its targets fail with it. */
static int report_bare_module(struct ledger *ledger, const struct outcome *outcome, struct err *err)
{
	struct arena arena = { 0 };
	const struct outcome copy = copy_outcome(&arena, outcome);
	struct message message = { .kind = MESSAGE_MODULE,
		.module = { .present = true,
			.module = fact_int((int64_t)ledger->index),
			.status = copy.status,
			.step = copy.step,
			.error = copy.error } };

	ledger->reported = true;
	return report_message(ledger, &arena, &message, err);
}

/* Reports all targets before target, with the outcome or that of a failed later import. */
static int report_until(
	struct ledger *ledger, size_t target, const struct outcome *outcome, struct err *err)
{
	int status = 0;

	while (!status && ledger->target < target)
		status = report_bare_target(
			ledger, ledger->failed.status ? &ledger->failed : outcome, err);
	return status;
}

static int report_rest(struct ledger *ledger, const struct outcome *outcome, struct err *err)
{
	if (!ledger->module)
		return 0;
	if (!ledger->reported)
		return report_bare_module(ledger, outcome, err);
	return report_until(ledger, ledger->n_targets, outcome, err);
}

static int report_pending(struct ledger *ledger, struct err *err)
{
	int status;

	if (!ledger->has_pending)
		return 0;
	ledger->has_pending = false;
	status = report_message(ledger, &ledger->pending_arena, &ledger->pending, err);
	move_on(ledger);
	return status;
}

/* The outcome of a target that no worker reported. */
static const struct outcome unreported = { STATUS_UNAVAILABLE, "report",
	{ .present = true, .message = "no result from the worker" } };

/* --- the messages of a worker --- */

static bool is_ours(const struct ledger *ledger, const struct fact_int *module)
{
	return ledger->module && module->known && module->value == (int64_t)ledger->index;
}

static void learn_targets(struct ledger *ledger, const struct fact_found_target_list *found)
{
	if (!found->known) {
		ledger->n_targets = ledger->module->expressions.n_items;
		return;
	}
	ledger->n_targets = found->n_items;
	ledger->found.known = true;
	for (size_t i = 0; i < found->n_items; i++)
		fact_texts_add(&ledger->arena, &ledger->found,
			found->items[i].name ? found->items[i].name : "?");
}

static int ledger_take_module(
	struct ledger *ledger, struct arena *arena, struct message *message, struct err *err)
{
	const struct fact_module_result *module = &message->module;

	if (!is_ours(ledger, &module->module))
		return 0;
	if (ledger->reported) {
		const struct outcome outcome = { module->status, module->step, module->error };

		if (module->status != STATUS_OK)
			ledger->failed = copy_outcome(&ledger->arena, &outcome);
		return 0;
	}
	ledger->reported = true;
	if (module->status == STATUS_OK)
		learn_targets(ledger, &module->targets);
	return report_message(ledger, arena, message, err);
}

static int ledger_take_target(
	struct ledger *ledger, struct arena *arena, struct message *message, struct err *err)
{
	struct fact_target *target = &message->target;
	int64_t index = target->index.known ? target->index.value : -1;

	if (!is_ours(ledger, &target->module) || index < 0 || (size_t)index >= ledger->n_targets ||
		(size_t)index < ledger->target) {
		DEBUG_LOG("supervisor", "unexpected message about target %lld", (long long)index);
		return 0;
	}
	if (report_until(ledger, (size_t)index, &unreported, err))
		return -1;
	if (ledger->first_exit.status)
		apply_outcome(arena, target, &ledger->first_exit);
	if (ledger->repeats && ledger->n_exits == 1)
		target->error.message =
			arena_printf(arena, "%s; not again without the targets before it",
				fact_text_or(target->error.message, "?"));
	target->spent_ms = fact_int(ledger->spent_ms + target->spent_ms.value);
	ledger->pending = *message;
	ledger->pending_arena = *arena;
	ledger->has_pending = true;
	*arena = (struct arena){ 0 };
	return 0;
}

static void ledger_take_trial_step(
	struct ledger *ledger, struct arena *arena, const struct message *message)
{
	arena_free(&ledger->trial_arena);
	ledger->trial_arena = *arena;
	ledger->trial = *message;
	ledger->has_trial = true;
	*arena = (struct arena){ 0 };
}

int ledger_take(
	struct ledger *ledger, struct arena *arena, struct message *message, struct err *err)
{
	int status = report_pending(ledger, err);

	if (!status && message->kind == MESSAGE_MODULE)
		status = ledger_take_module(ledger, arena, message, err);
	else if (!status && message->kind == MESSAGE_TARGET)
		status = ledger_take_target(ledger, arena, message, err);
	else if (!status && message->kind == MESSAGE_TRIAL)
		ledger_take_trial_step(ledger, arena, message);
	else if (!status)
		status = report_message(ledger, arena, message, err);
	arena_free(arena);
	return status;
}

int ledger_arrive(struct ledger *ledger, int64_t target, struct err *err)
{
	return target > (int64_t)ledger->target ? report_pending(ledger, err) : 0;
}

int ledger_finish(struct ledger *ledger, struct err *err)
{
	return report_pending(ledger, err) ? -1 : report_rest(ledger, &unreported, err);
}

/* --- workers that end early --- */

/* Makes the next worker skip the step. False: it is skipped already. */
static bool add_skip(struct ledger *ledger, int64_t target, const struct worker_exit *worker_exit)
{
	const char *step = worker_exit->position.step;

	for (size_t i = 0; i < ledger->n_skip; i++)
		if (ledger->skip[i].target == target && !strcmp(ledger->skip[i].step, step))
			return false;
	ledger->skip =
		arena_grow(&ledger->arena, ledger->skip, ledger->n_skip, sizeof(*ledger->skip));
	ledger->skip[ledger->n_skip++] = (struct job_skip){ .target = target,
		.step = ledger_copy_text(&ledger->arena, step),
		.reason = arena_printf(&ledger->arena, "%s: %s",
			target_status_name(worker_exit->status), worker_exit->message) };
	return true;
}

/* Reports the target without another attempt, with its first outcome and the reason. */
static int give_up(struct ledger *ledger, const char *reason, struct err *err)
{
	struct fact_error *error = &ledger->first_exit.error;
	int status;

	ledger->why_given_up = reason;
	if (ledger->n_exits > 1)
		error->message = arena_printf(
			&ledger->arena, "%s; %s", error->message ? error->message : "?", reason);
	status = report_bare_target(ledger, &ledger->first_exit, err);
	ledger->why_given_up = NULL;
	return status;
}

enum { MAX_HUNG_CASES = 2 };

/* Skips the other trials of a target of which one hangs, since they would hang as well, and the
 * other cases of a consumer that hangs a second time. */
static void skip_other_trials(struct ledger *ledger)
{
	const struct job_words *expressions = &ledger->module->expressions;
	const char *hung = expressions->items[ledger->target];
	bool has_consumer = job_has_consumer(ledger->job) || ledger->job->passes_objects;

	ledger->n_hung++;
	if (has_consumer && ledger->n_hung < MAX_HUNG_CASES)
		return;
	for (size_t i = ledger->target + 1; i < expressions->n_items; i++) {
		if (!has_consumer && strcmp(expressions->items[i], hung) != 0)
			continue;
		ledger->skip = arena_grow(
			&ledger->arena, ledger->skip, ledger->n_skip, sizeof(*ledger->skip));
		ledger->skip[ledger->n_skip++] = (struct job_skip){ .target = (int64_t)i,
			.step = "evaluate",
			.reason = has_consumer ? "the consumer hung in other cases"
					       : "another trial of the object hung" };
	}
}

/* Whether another target may have ended the worker, by a thread that it started or by memory that
 * it overwrote. */
static bool may_be_of_others(const struct ledger *ledger, const struct worker_exit *worker_exit)
{
	return !ledger->module->trials && !job_has_consumer(ledger->job) && !worker_exit->no_time &&
	       worker_exit->status != STATUS_OK && *worker_exit->position.step &&
	       ledger->target > ledger->start;
}

static int worker_exited_at_target(
	struct ledger *ledger, struct worker_exit *worker_exit, struct err *err)
{
	const struct worker_position *position = &worker_exit->position;
	struct outcome outcome = outcome_of(
		worker_exit->status, position->step, worker_exit->message, worker_exit->stack);

	/* A target whose time limit was reached after all was read is ok. */
	if (worker_exit->status == STATUS_OK)
		outcome = (struct outcome){ .status = STATUS_OK };
	if (!ledger->first_exit.status)
		ledger->first_exit = copy_outcome(&ledger->arena, &outcome);
	ledger->n_exits++;
	ledger->spent_ms = worker_exit->spent_ms;
	ledger->repeats = ledger->n_exits == 1 && may_be_of_others(ledger, worker_exit);
	if (ledger->repeats)
		return 0;
	keep_draft(ledger, worker_exit);
	if (worker_exit->no_time && ledger->module->trials)
		skip_other_trials(ledger);
	if (worker_exit->no_time)
		return give_up(ledger, JOB_NO_TIME, err);
	/* An end right after a step is caused by what the step returned, so the step is skipped,
	 * too. In a trial, the worker's end is the result. */
	if (!ledger->module->trials && *position->step && ledger->n_exits < LEDGER_MAX_EXITS &&
		add_skip(ledger, (int64_t)ledger->target, worker_exit))
		return 0;
	return give_up(ledger,
		arena_printf(&ledger->arena, "gave up after %zu failed worker%s", ledger->n_exits,
			plural(ledger->n_exits)),
		err);
}

/* Whether the step runs code of the module: "import", or "cell 3" of a notebook. */
static bool is_of_import(const char *step)
{
	return !strcmp(step, "import") || !strncmp(step, "cell ", strlen("cell "));
}

/* The worker ended while it imported the module, for the first time or again. A step that is not
 * the import itself (searching its objects for interfaces) can be skipped. */
static int worker_exited_at_import(
	struct ledger *ledger, const struct worker_exit *worker_exit, struct err *err)
{
	const char *step = *worker_exit->position.step ? worker_exit->position.step : "import";
	const struct outcome outcome =
		outcome_of(worker_exit->status, step, worker_exit->message, worker_exit->stack);

	if (worker_exit->no_time &&
		ledger->first_exit.status) { /* the next target has time for its own import */
		ledger->n_exits++;
		ledger->spent_ms = worker_exit->spent_ms;
		return give_up(ledger, JOB_NO_TIME, err);
	}
	if (worker_exit->position.in_step && !is_of_import(step) &&
		add_skip(ledger, -1, worker_exit))
		return 0;
	return report_rest(ledger, &outcome, err);
}

int ledger_abandon(struct ledger *ledger, const char *reason, struct err *err)
{
	const struct outcome outcome = outcome_of(STATUS_UNAVAILABLE, "start", reason, NULL);

	return report_rest(ledger, &outcome, err);
}

static bool is_over(const struct ledger *ledger)
{
	if (!ledger->module)
		return ledger->started;
	return ledger->reported && ledger->target >= ledger->n_targets;
}

int ledger_worker_exited(struct ledger *ledger, struct worker_exit *worker_exit, struct err *err)
{
	struct worker_position *position = &worker_exit->position;
	/* The worker ended while it released the object, after it reported the target and before it
	 * left it. */
	bool at_pending = ledger->has_pending && position->target == (int64_t)ledger->target;
	const struct outcome outcome = outcome_of(
		worker_exit->status, position->step, worker_exit->message, worker_exit->stack);

	if (at_pending && !ledger->first_exit.status && worker_exit->status != STATUS_OK)
		apply_outcome(&ledger->pending_arena, &ledger->pending.target, &outcome);
	if (report_pending(ledger, err))
		return -1;
	if (at_pending || is_over(ledger))
		return 0;
	/* An impossible position: the memory was overwritten. */
	if (position->target >= 0 && ((size_t)position->target >= ledger->n_targets ||
					     (size_t)position->target < ledger->target))
		*position = (struct worker_position){
			.target = ledger->reported ? (int32_t)ledger->target : -1
		};
	if (position->target < 0)
		return worker_exited_at_import(ledger, worker_exit, err);
	if (report_until(ledger, (size_t)position->target, &unreported, err))
		return -1;
	return worker_exited_at_target(ledger, worker_exit, err);
}

const struct value *ledger_next_job(struct ledger *ledger, struct arena *arena)
{
	struct job job = *ledger->job;

	if (is_over(ledger))
		return NULL;
	ledger->started = true;
	if (ledger->module)
		job.module = *ledger->module;
	job.index = (int64_t)ledger->index;
	job.start = (int64_t)ledger->target;
	ledger->start = ledger->target;
	job.skip = ledger->skip;
	job.n_skip = ledger->n_skip;
	return job_to_value(arena, &job);
}
