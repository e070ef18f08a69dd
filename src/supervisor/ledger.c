// SPDX-License-Identifier: MIT
/* Keeps the account of a module and its targets; see supervisor/ledger.h. */
#include "supervisor/ledger.h"

#include "base/debug.h"

#include <string.h>

/* --- outcomes: the messages of targets and modules that no worker could report --- */

/* {status, step, error: {type, message, traceback}}; an empty step is null. */
static struct value *outcome_new(
	struct arena *arena, const char *status, const char *step, const char *message)
{
	struct value *outcome = value_map(arena);

	value_set(arena, outcome, "status", value_text(arena, status));
	value_set(arena, outcome, "step", value_text(arena, step && *step ? step : NULL));
	value_set(arena, outcome, "error", value_error(arena, NULL, message));
	return outcome;
}

/* Appends what the worker knows that can help to how another ended. */
static void add_hint(struct arena *arena, struct value *message)
{
	struct value *error = (struct value *)value_get(message, "error");
	const char *hint = value_text_or(value_get(message, "hint"), NULL);

	if (hint && value_is(error, VALUE_MAP))
		value_set(arena, error, "message",
			value_textf(arena, "%s (%s)",
				value_text_or(value_get(error, "message"), "?"), hint));
}

/* Replaces status, step and error of a message; its hint goes behind the error's message. */
static void outcome_apply(struct arena *arena, struct value *message, const struct value *outcome)
{
	static const char *const keys[] = { "status", "step", "error" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const struct value *item = value_get(outcome, keys[i]);

		value_set(arena, message, keys[i],
			item ? value_copy(arena, item) : value_null(arena));
	}
	add_hint(arena, message);
}

/* A message of docs/facts.md with nothing but the outcome; outcome may be a message itself. */
static struct value *outcome_of_target(struct arena *arena, size_t module, size_t target,
	struct value *name, const struct value *outcome)
{
	static const char *const lists[] = { "aliases", "interfaces", "calls", "trials" };
	static const char *const nulls[] = { "type", "mro", "own", "data", "convert", "spent_ms" };
	struct value *message = value_map(arena);

	value_set(arena, message, "kind", value_text(arena, "target"));
	value_set(arena, message, "module", value_uint(arena, module));
	value_set(arena, message, "target", value_uint(arena, target));
	value_set(arena, message, "name", name);
	outcome_apply(arena, message, outcome);
	for (size_t i = 0; i < sizeof(nulls) / sizeof(*nulls); i++)
		value_set(arena, message, nulls[i], value_null(arena));
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		value_set(arena, message, lists[i], value_list(arena));
	return message;
}

static struct value *outcome_of_module(
	struct arena *arena, size_t module, const struct value *outcome)
{
	struct value *message = value_map(arena);

	value_set(arena, message, "kind", value_text(arena, "module"));
	value_set(arena, message, "module", value_uint(arena, module));
	outcome_apply(arena, message, outcome);
	value_set(arena, message, "names", value_list(arena));
	value_set(arena, message, "targets", value_null(arena));
	return message;
}

/* --- the ledger --- */

void ledger_open(
	struct ledger *ledger, const struct session *session, const struct value *job, size_t index)
{
	*ledger = (struct ledger){ .session = session, .job = job, .index = index };
	ledger->module = value_item(value_get(job, "modules"), index);
	ledger->skip = value_list(&ledger->arena);
}

void ledger_close(struct ledger *ledger)
{
	arena_free(&ledger->draft.arena);
	arena_free(&ledger->best.arena);
	arena_free(&ledger->pending_arena);
	arena_free(&ledger->arena);
}

static int report_message(struct ledger *ledger, const struct value *message, struct err *err)
{
	return ledger->session->on_message(ledger->session->context, message, err);
}

/* --- what no worker reported --- */

static struct value *ledger_target_name(struct arena *arena, const struct ledger *ledger)
{
	const struct value *named = value_get(ledger->module, "targets");
	const struct value *names = value_is_sequence(named) ? named : ledger->found;
	const char *expression = value_text_or(value_item(names, ledger->target), "?");

	if (value_bool_or(value_get(ledger->module, "plain_expressions"), false))
		return value_text(arena, expression);
	return value_textf(
		arena, "%s:%s", value_text_or(value_get(ledger->module, "label"), "?"), expression);
}

static void free_draft(struct ledger_draft *draft)
{
	arena_free(&draft->arena);
	draft->facts = NULL;
}

static void move_on(struct ledger *ledger)
{
	ledger->target++;
	ledger->first_exit = NULL;
	ledger->n_exits = 0;
	ledger->spent_ms = 0;
	free_draft(&ledger->draft);
	free_draft(&ledger->best);
}

/* --- drafts: what workers reported about a target before they ended --- */

static size_t count_items(const struct ledger_draft *draft, const char *key)
{
	const struct value *items = value_get(draft->facts, key);

	return value_is_sequence(items) ? items->n_items : 0;
}

/* Keeps the draft of a worker that ended, if it has more than those before it. */
static void keep_draft(struct ledger *ledger)
{
	size_t n_new = count_items(&ledger->draft, "interfaces");
	size_t n_best = count_items(&ledger->best, "interfaces");

	if (ledger->draft.facts &&
		(n_new > n_best ||
			(n_new == n_best && count_items(&ledger->draft, "calls") >=
						    count_items(&ledger->best, "calls")))) {
		free_draft(&ledger->best);
		ledger->best = ledger->draft;
		ledger->draft = (struct ledger_draft){ 0 };
	}
	free_draft(&ledger->draft);
}

/* Lists are extended, all else is replaced. */
static void add_to_draft(struct ledger_draft *draft, const struct value *message)
{
	if (!draft->facts || value_bool_or(value_get(message, "whole"), false)) {
		free_draft(draft);
		draft->facts = value_map(&draft->arena);
	}
	for (size_t i = 0; i < message->n_items; i++) {
		const struct value *items = message->items[i];
		struct value *known = (struct value *)value_get(draft->facts, message->keys[i]);

		if (!value_is(items, VALUE_LIST) || !strcmp(message->keys[i], "mro") ||
			!strcmp(message->keys[i], "aliases")) {
			value_set(&draft->arena, draft->facts, message->keys[i],
				value_copy(&draft->arena, items));
			continue;
		}
		if (!known)
			known = value_set(&draft->arena, draft->facts, message->keys[i],
				value_list(&draft->arena));
		for (size_t k = 0; k < items->n_items; k++)
			value_append(
				&draft->arena, known, value_copy(&draft->arena, items->items[k]));
	}
}

static bool has_call(const struct value *calls, const struct value *step)
{
	for (size_t i = 0; i < calls->n_items; i++)
		if (value_equal(value_get(calls->items[i], "step"), step) &&
			!value_bool_or(value_get(calls->items[i], "held"), false))
			return true;
	return false;
}

/* Calls that were planned and not made are skipped, for the reason. */
static void add_planned(
	struct arena *arena, struct value *message, const struct value *planned, const char *reason)
{
	struct value *calls = (struct value *)value_get(message, "calls");
	const struct value *last_step = value_get(message, "step");
	const char *ended = arena_printf(arena, "it ended the worker: %s: %s",
		value_text_or(value_get(message, "status"), "?"),
		value_text_or(value_at(message, "error.message"), "?"));

	for (size_t i = 0; value_is_sequence(planned) && i < planned->n_items; i++) {
		const struct value *step = value_get(planned->items[i], "step");
		struct value *record;

		if (has_call(calls, step))
			continue;
		record = value_append(arena, calls, value_copy(arena, planned->items[i]));
		if (value_is_null(value_get(record, "error")))
			value_set(arena, record, "error",
				value_error(arena, NULL,
					value_equal(step, last_step) ? ended : reason));
	}
}

/* Completes the message of a target that no worker could finish. */
static void apply_draft(struct ledger *ledger, struct arena *arena, struct value *message)
{
	static const char *const keys[] = { "type", "mro", "aliases", "interfaces", "calls" };
	const char *reason = ledger->why_given_up ? ledger->why_given_up : "the worker ended early";
	const struct value *facts;
	struct value *interfaces;

	facts = ledger->best.facts;
	if (!facts)
		return;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (value_get(facts, keys[i]))
			value_set(arena, message, keys[i],
				value_copy(arena, value_get(facts, keys[i])));
	add_planned(arena, message, value_get(facts, "planned"), reason);
	interfaces = (struct value *)value_get(message, "interfaces");
	for (size_t i = 0; i < interfaces->n_items; i++)
		if (value_is_null(value_get(interfaces->items[i], "memory")) &&
			value_is_null(value_get(interfaces->items[i], "memory_reason")))
			value_set(arena, interfaces->items[i], "memory_reason",
				value_text(arena, reason));
}

static int report_bare_target(struct ledger *ledger, const struct value *outcome, struct err *err)
{
	struct arena arena = { 0 };
	struct value *message = outcome_of_target(&arena, ledger->index, ledger->target,
		ledger_target_name(&arena, ledger),
		ledger->first_exit ? ledger->first_exit : outcome);
	int status;

	value_set(&arena, message, "spent_ms", value_int(&arena, ledger->spent_ms));
	apply_draft(ledger, &arena, message);
	status = report_message(ledger, message, err);

	arena_free(&arena);
	move_on(ledger);
	return status;
}

/* A module that could not be imported: its targets fail with it. */
static int report_bare_module(struct ledger *ledger, const struct value *outcome, struct err *err)
{
	struct arena arena = { 0 };
	int status = report_message(ledger, outcome_of_module(&arena, ledger->index, outcome), err);

	arena_free(&arena);
	ledger->reported = true;
	return status;
}

/* Reports all targets before that one, with the outcome or with that of their own. */
static int report_until(
	struct ledger *ledger, size_t target, const struct value *outcome, struct err *err)
{
	int status = 0;

	while (!status && ledger->target < target)
		status = report_bare_target(ledger, ledger->failed ? ledger->failed : outcome, err);
	return status;
}

static int report_rest(struct ledger *ledger, const struct value *outcome, struct err *err)
{
	if (ledger->module && !ledger->reported)
		return report_bare_module(ledger, outcome, err);
	return report_until(ledger, ledger->n_targets, outcome, err);
}

static int report_pending(struct ledger *ledger, struct err *err)
{
	int status = 0;

	if (ledger->pending) {
		status = report_message(ledger, ledger->pending, err);
		ledger->pending = NULL;
		move_on(ledger);
	}
	arena_free(&ledger->pending_arena);
	return status;
}

static struct value *unreported(struct ledger *ledger)
{
	if (!ledger->unreported)
		ledger->unreported = outcome_new(
			&ledger->arena, "unavailable", "report", "no result from the worker");
	return ledger->unreported;
}

/* --- the messages of a worker --- */

static bool is_ours(const struct ledger *ledger, const struct value *message)
{
	return ledger->module &&
	       value_int_or(value_get(message, "module"), -1) == (int64_t)ledger->index;
}

static void learn_targets(struct ledger *ledger, const struct value *message)
{
	const struct value *named = value_get(ledger->module, "targets");
	const struct value *found = value_get(message, "targets");
	struct value *names;

	if (value_is_sequence(named)) {
		ledger->n_targets = named->n_items;
		return;
	}
	names = value_list(&ledger->arena);
	ledger->found = names;
	ledger->n_targets = value_is_sequence(found) ? found->n_items : 0;
	for (size_t i = 0; i < ledger->n_targets; i++)
		value_append(&ledger->arena, names,
			value_text(&ledger->arena,
				value_text_or(value_get(found->items[i], "name"), "?")));
}

static int ledger_take_module(struct ledger *ledger, const struct value *message, struct err *err)
{
	bool is_ok = value_is_text(value_get(message, "status"), "ok");

	if (!is_ours(ledger, message))
		return 0;
	if (ledger->reported) {
		if (!is_ok)
			ledger->failed = value_copy(&ledger->arena, message);
		return 0;
	}
	ledger->reported = true;
	if (is_ok)
		learn_targets(ledger, message);
	return report_message(ledger, message, err);
}

static int ledger_take_target(
	struct ledger *ledger, struct arena *arena, struct value *message, struct err *err)
{
	int64_t target = value_int_or(value_get(message, "target"), -1);

	if (!is_ours(ledger, message) || target < 0 || (size_t)target >= ledger->n_targets ||
		(size_t)target < ledger->target) {
		DEBUG_LOG("host", "unexpected message about target %lld", (long long)target);
		return 0;
	}
	if (report_until(ledger, (size_t)target, unreported(ledger), err))
		return -1;
	if (ledger->first_exit)
		outcome_apply(arena, message, ledger->first_exit);
	value_set(arena, message, "spent_ms",
		value_int(
			arena, ledger->spent_ms + value_int_or(value_get(message, "spent_ms"), 0)));
	ledger->pending = message;
	ledger->pending_arena = *arena;
	*arena = (struct arena){ 0 };
	return 0;
}

int ledger_take(struct ledger *ledger, struct arena *arena, struct value *message, struct err *err)
{
	const struct value *kind = value_get(message, "kind");
	int status = report_pending(ledger, err);

	if (!status && value_is_text(kind, "module"))
		status = ledger_take_module(ledger, message, err);
	else if (!status && value_is_text(kind, "target"))
		status = ledger_take_target(ledger, arena, message, err);
	else if (!status)
		status = report_message(ledger, message, err);
	arena_free(arena);
	return status;
}

int ledger_finish(struct ledger *ledger, struct err *err)
{
	return report_pending(ledger, err) ? -1 : report_rest(ledger, unreported(ledger), err);
}

/* --- losses --- */

/* Asks the next worker to leave the step out. False: it was asked already. */
static bool add_skip(struct ledger *ledger, int64_t target, const struct worker_exit *worker_exit)
{
	struct value *item = value_map(&ledger->arena);

	for (size_t i = 0; i < ledger->skip->n_items; i++)
		if (value_int_or(value_get(ledger->skip->items[i], "target"), -2) == target &&
			value_is_text(value_get(ledger->skip->items[i], "step"),
				worker_exit->position.step))
			return false;
	value_set(&ledger->arena, item, "target", value_int(&ledger->arena, target));
	value_set(&ledger->arena, item, "step",
		value_text(&ledger->arena, worker_exit->position.step));
	value_set(&ledger->arena, item, "reason",
		value_textf(&ledger->arena, "%s: %s", worker_exit->status, worker_exit->message));
	value_append(&ledger->arena, ledger->skip, item);
	return true;
}

/* Reports the target that is not tried again: its first outcome, then the reason. */
static int give_up(struct ledger *ledger, const char *reason, struct err *err)
{
	struct value *error = (struct value *)value_get(ledger->first_exit, "error");
	int status;

	ledger->why_given_up = reason;
	if (ledger->n_exits > 1)
		value_set(&ledger->arena, error, "message",
			value_textf(&ledger->arena, "%s; %s",
				value_text_or(value_get(error, "message"), "?"), reason));
	status = report_bare_target(ledger, ledger->first_exit, err);
	ledger->why_given_up = NULL;
	return status;
}

/* A target whose time ended after all was read is no worse for it. */
static struct value *outcome_of_exit(struct ledger *ledger, const struct worker_exit *worker_exit)
{
	struct value *outcome;

	if (strcmp(worker_exit->status, "ok") != 0)
		return outcome_new(&ledger->arena, worker_exit->status, worker_exit->position.step,
			worker_exit->message);
	outcome = value_map(&ledger->arena);
	value_set(&ledger->arena, outcome, "status", value_text(&ledger->arena, "ok"));
	return outcome;
}

static int worker_exited_at_target(
	struct ledger *ledger, const struct worker_exit *worker_exit, struct err *err)
{
	const struct worker_position *position = &worker_exit->position;

	if (!ledger->first_exit)
		ledger->first_exit = outcome_of_exit(ledger, worker_exit);
	ledger->n_exits++;
	ledger->spent_ms = worker_exit->spent_ms;
	for (size_t i = 0; worker_exit->drafts && i < worker_exit->drafts->n_items; i++)
		add_to_draft(&ledger->draft, worker_exit->drafts->items[i]);
	keep_draft(ledger);
	if (worker_exit->no_time)
		return give_up(ledger, "the time limit of the target is used up", err);
	/* An end right after a step is caused by what the step returned, so the step is skipped
	 * too. A worker's end is a trial's answer: nothing is left to be tried. */
	if (!value_get(ledger->module, "trial") && *position->step &&
		ledger->n_exits < LEDGER_MAX_EXITS &&
		add_skip(ledger, (int64_t)ledger->target, worker_exit))
		return 0;
	return give_up(ledger,
		value_textf(&ledger->arena, "given up after %zu failed workers", ledger->n_exits)
			->bytes,
		err);
}

/* While the module was imported, for the first time or once more. A step within that is not the
 * import itself (looking for what its objects expose) can be left out. */
static int worker_exited_at_import(
	struct ledger *ledger, const struct worker_exit *worker_exit, struct err *err)
{
	const char *step = *worker_exit->position.step ? worker_exit->position.step : "import";

	if (worker_exit->no_time &&
		ledger->first_exit) { /* the next target has time for an import of its own */
		ledger->n_exits++;
		ledger->spent_ms = worker_exit->spent_ms;
		return give_up(ledger, "the time limit of the target is used up", err);
	}
	if (worker_exit->position.in_step && strcmp(step, "import") != 0 &&
		add_skip(ledger, -1, worker_exit))
		return 0;
	return report_rest(ledger,
		outcome_new(&ledger->arena, worker_exit->status, step, worker_exit->message), err);
}

/* Whether the worker's position is possible, as far as the ledger knows. */
static bool is_plausible(const struct ledger *ledger, const struct worker_position *position)
{
	return position->target < 0 || ((size_t)position->target < ledger->n_targets &&
					       (size_t)position->target >= ledger->target);
}

int ledger_abandon(struct ledger *ledger, const char *reason, struct err *err)
{
	return report_rest(
		ledger, outcome_new(&ledger->arena, "unavailable", "start", reason), err);
}

static bool is_over(const struct ledger *ledger)
{
	if (!ledger->module)
		return ledger->started;
	return ledger->reported && ledger->target >= ledger->n_targets;
}

int ledger_worker_exited(
	struct ledger *ledger, const struct worker_exit *worker_exit, struct err *err)
{
	struct worker_exit here = *worker_exit;
	/* Lost after it reported of a target and before it left it: releasing the object. */
	bool at_pending =
		ledger->pending && worker_exit->position.target == (int64_t)ledger->target;

	if (at_pending && !ledger->first_exit && strcmp(worker_exit->status, "ok") != 0)
		outcome_apply(&ledger->pending_arena, ledger->pending,
			outcome_new(&ledger->arena, worker_exit->status, worker_exit->position.step,
				worker_exit->message));
	if (report_pending(ledger, err))
		return -1;
	if (at_pending || is_over(ledger))
		return 0;
	if (!is_plausible(ledger, &here.position))
		here.position = (struct worker_position){
			.target = ledger->reported ? (int32_t)ledger->target : -1
		};
	if (here.position.target < 0)
		return worker_exited_at_import(ledger, &here, err);
	if (report_until(ledger, (size_t)here.position.target, unreported(ledger), err))
		return -1;
	return worker_exited_at_target(ledger, &here, err);
}

const struct value *ledger_next_job(struct ledger *ledger, struct arena *arena)
{
	const struct value *trial = value_get(ledger->module, "trial");
	struct value *job;

	if (is_over(ledger))
		return NULL;
	ledger->started = true;
	job = value_map(arena);
	for (size_t i = 0; i < ledger->job->n_items; i++)
		if (strcmp(ledger->job->keys[i], "modules") != 0)
			value_add(arena, job, ledger->job->keys[i], ledger->job->items[i]);
	value_set(arena, job, "module",
		ledger->module ? value_copy(arena, ledger->module) : value_null(arena));
	value_set(arena, job, "trial", trial ? value_copy(arena, trial) : value_null(arena));
	value_set(arena, job, "index", value_uint(arena, ledger->index));
	value_set(arena, job, "start", value_uint(arena, ledger->target));
	value_set(arena, job, "skip", value_copy(arena, ledger->skip));
	return job;
}
