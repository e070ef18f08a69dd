// SPDX-License-Identifier: MIT
/* Keeps the account of a module and its targets; see supervisor/ledger.h. */
#include "supervisor/ledger.h"

#include "base/trace.h"
#include "supervisor/outcome.h"

#include <string.h>

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
	arena_free(&ledger->held_arena);
	arena_free(&ledger->arena);
}

static int tell(struct ledger *ledger, const struct value *message, struct err *err)
{
	return ledger->session->on_message(ledger->session->context, message, err);
}

/* --- what no worker reported --- */

static struct value *target_name(struct arena *arena, const struct ledger *ledger)
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
	ledger->loss = NULL;
	ledger->n_losses = 0;
	ledger->spent_ms = 0;
	free_draft(&ledger->draft);
	free_draft(&ledger->best);
}

/* --- drafts: what workers reported of a target before they were lost --- */

static size_t count_items(const struct ledger_draft *draft, const char *key)
{
	const struct value *items = value_get(draft->facts, key);

	return value_is_sequence(items) ? items->n_items : 0;
}

/* Keeps the draft of a worker that was lost, if it has more than those before it. */
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
	const struct value *lost_step = value_get(message, "step");
	const char *lost = arena_printf(arena, "it ended the worker: %s: %s",
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
				value_error(
					arena, NULL, value_equal(step, lost_step) ? lost : reason));
	}
}

/* Completes the message of a target that no worker could finish. */
static void apply_draft(struct ledger *ledger, struct arena *arena, struct value *message)
{
	static const char *const keys[] = { "type", "mro", "aliases", "interfaces", "calls" };
	const char *reason = ledger->why_given_up ? ledger->why_given_up : "the worker was lost";
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

static int tell_bare_target(struct ledger *ledger, const struct value *outcome, struct err *err)
{
	struct arena arena = { 0 };
	struct value *message = outcome_of_target(&arena, ledger->index, ledger->target,
		target_name(&arena, ledger), ledger->loss ? ledger->loss : outcome);
	int status;

	value_set(&arena, message, "spent_ms", value_int(&arena, ledger->spent_ms));
	apply_draft(ledger, &arena, message);
	status = tell(ledger, message, err);

	arena_free(&arena);
	move_on(ledger);
	return status;
}

/* A module that could not be imported: its targets fail with it. */
static int tell_bare_module(struct ledger *ledger, const struct value *outcome, struct err *err)
{
	struct arena arena = { 0 };
	int status = tell(ledger, outcome_of_module(&arena, ledger->index, outcome), err);

	arena_free(&arena);
	ledger->told = true;
	return status;
}

/* Tells all targets before one with the outcome, or with what befell each. */
static int tell_until(
	struct ledger *ledger, size_t target, const struct value *outcome, struct err *err)
{
	int status = 0;

	while (!status && ledger->target < target)
		status = tell_bare_target(ledger, ledger->failed ? ledger->failed : outcome, err);
	return status;
}

static int tell_rest(struct ledger *ledger, const struct value *outcome, struct err *err)
{
	if (ledger->module && !ledger->told)
		return tell_bare_module(ledger, outcome, err);
	return tell_until(ledger, ledger->n_targets, outcome, err);
}

static int tell_held(struct ledger *ledger, struct err *err)
{
	int status = 0;

	if (ledger->held) {
		status = tell(ledger, ledger->held, err);
		ledger->held = NULL;
		move_on(ledger);
	}
	arena_free(&ledger->held_arena);
	return status;
}

static struct value *untold(struct ledger *ledger)
{
	if (!ledger->untold)
		ledger->untold = outcome_new(
			&ledger->arena, "unavailable", "report", "no result from the worker");
	return ledger->untold;
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

static int take_module(struct ledger *ledger, const struct value *message, struct err *err)
{
	bool is_ok = value_is_text(value_get(message, "status"), "ok");

	if (!is_ours(ledger, message))
		return 0;
	if (ledger->told) {
		if (!is_ok)
			ledger->failed = value_copy(&ledger->arena, message);
		return 0;
	}
	ledger->told = true;
	if (is_ok)
		learn_targets(ledger, message);
	return tell(ledger, message, err);
}

static int take_target(
	struct ledger *ledger, struct arena *arena, struct value *message, struct err *err)
{
	int64_t target = value_int_or(value_get(message, "target"), -1);

	if (!is_ours(ledger, message) || target < 0 || (size_t)target >= ledger->n_targets ||
		(size_t)target < ledger->target) {
		TRACE("host", "unexpected message about target %lld", (long long)target);
		return 0;
	}
	if (tell_until(ledger, (size_t)target, untold(ledger), err))
		return -1;
	if (ledger->loss)
		outcome_apply(arena, message, ledger->loss);
	value_set(arena, message, "spent_ms",
		value_int(
			arena, ledger->spent_ms + value_int_or(value_get(message, "spent_ms"), 0)));
	ledger->held = message;
	ledger->held_arena = *arena;
	*arena = (struct arena){ 0 };
	return 0;
}

int ledger_take(struct ledger *ledger, struct arena *arena, struct value *message, struct err *err)
{
	const struct value *kind = value_get(message, "kind");
	int status = tell_held(ledger, err);

	if (!status && value_is_text(kind, "module"))
		status = take_module(ledger, message, err);
	else if (!status && value_is_text(kind, "target"))
		status = take_target(ledger, arena, message, err);
	else if (!status)
		status = tell(ledger, message, err);
	arena_free(arena);
	return status;
}

int ledger_finish(struct ledger *ledger, struct err *err)
{
	return tell_held(ledger, err) ? -1 : tell_rest(ledger, untold(ledger), err);
}

/* --- losses --- */

/* Asks the next worker to leave the step out. False: it was asked already. */
static bool add_skip(struct ledger *ledger, int64_t target, const struct loss *loss)
{
	struct value *item = value_map(&ledger->arena);

	for (size_t i = 0; i < ledger->skip->n_items; i++)
		if (value_int_or(value_get(ledger->skip->items[i], "target"), -2) == target &&
			value_is_text(value_get(ledger->skip->items[i], "step"), loss->place.step))
			return false;
	value_set(&ledger->arena, item, "target", value_int(&ledger->arena, target));
	value_set(&ledger->arena, item, "step", value_text(&ledger->arena, loss->place.step));
	value_set(&ledger->arena, item, "reason",
		value_textf(&ledger->arena, "%s: %s", loss->status, loss->message));
	value_append(&ledger->arena, ledger->skip, item);
	return true;
}

/* Tells the target that is not tried again, with why not behind what befell it first. */
static int give_up(struct ledger *ledger, const char *reason, struct err *err)
{
	struct value *error = (struct value *)value_get(ledger->loss, "error");
	int status;

	ledger->why_given_up = reason;
	if (ledger->n_losses > 1)
		value_set(&ledger->arena, error, "message",
			value_textf(&ledger->arena, "%s; %s",
				value_text_or(value_get(error, "message"), "?"), reason));
	status = tell_bare_target(ledger, ledger->loss, err);
	ledger->why_given_up = NULL;
	return status;
}

/* A target whose time ended after all was read is no worse for it. */
static struct value *outcome_of_loss(struct ledger *ledger, const struct loss *loss)
{
	struct value *outcome;

	if (strcmp(loss->status, "ok") != 0)
		return outcome_new(&ledger->arena, loss->status, loss->place.step, loss->message);
	outcome = value_map(&ledger->arena);
	value_set(&ledger->arena, outcome, "status", value_text(&ledger->arena, "ok"));
	return outcome;
}

static int lose_target(struct ledger *ledger, const struct loss *loss, struct err *err)
{
	const struct channel_place *place = &loss->place;

	if (!ledger->loss)
		ledger->loss = outcome_of_loss(ledger, loss);
	ledger->n_losses++;
	ledger->spent_ms = loss->spent_ms;
	for (size_t i = 0; loss->drafts && i < loss->drafts->n_items; i++)
		add_to_draft(&ledger->draft, loss->drafts->items[i]);
	keep_draft(ledger);
	if (loss->no_time)
		return give_up(ledger, "the time limit of the target is used up", err);
	/* Lost after a step is lost in what the step gave, so it is left out too. The loss is a
	 * trial's answer: nothing is left to be tried. */
	if (!value_get(ledger->module, "trial") && *place->step &&
		ledger->n_losses < LEDGER_TARGET_LOSSES &&
		add_skip(ledger, (int64_t)ledger->target, loss))
		return 0;
	return give_up(ledger,
		value_textf(&ledger->arena, "given up after %zu lost workers", ledger->n_losses)
			->bytes,
		err);
}

/* While the module was imported, for the first time or once more. A step within that is not the
 * import itself (looking for what its objects expose) can be left out. */
static int lose_import(struct ledger *ledger, const struct loss *loss, struct err *err)
{
	const char *step = *loss->place.step ? loss->place.step : "import";

	if (loss->no_time && ledger->loss) { /* the next target has time for an import of its own */
		ledger->n_losses++;
		ledger->spent_ms = loss->spent_ms;
		return give_up(ledger, "the time limit of the target is used up", err);
	}
	if (loss->place.in_step && strcmp(step, "import") != 0 && add_skip(ledger, -1, loss))
		return 0;
	return tell_rest(
		ledger, outcome_new(&ledger->arena, loss->status, step, loss->message), err);
}

/* Whether the worker was where it says, as far as the account can tell. */
static bool is_plausible(const struct ledger *ledger, const struct channel_place *place)
{
	return place->target < 0 || ((size_t)place->target < ledger->n_targets &&
					    (size_t)place->target >= ledger->target);
}

int ledger_abandon(struct ledger *ledger, const char *reason, struct err *err)
{
	return tell_rest(ledger, outcome_new(&ledger->arena, "unavailable", "start", reason), err);
}

static bool is_over(const struct ledger *ledger)
{
	if (!ledger->module)
		return ledger->started;
	return ledger->told && ledger->target >= ledger->n_targets;
}

int ledger_lose(struct ledger *ledger, const struct loss *loss, struct err *err)
{
	struct loss here = *loss;
	/* Lost after it reported of a target and before it left it: releasing the object. */
	bool at_held = ledger->held && loss->place.target == (int64_t)ledger->target;

	if (at_held && !ledger->loss && strcmp(loss->status, "ok") != 0)
		outcome_apply(&ledger->held_arena, ledger->held,
			outcome_new(&ledger->arena, loss->status, loss->place.step, loss->message));
	if (tell_held(ledger, err))
		return -1;
	if (at_held || is_over(ledger))
		return 0;
	if (!is_plausible(ledger, &here.place))
		here.place =
			(struct channel_place){ .target = ledger->told ? (int32_t)ledger->target
								       : -1 };
	if (here.place.target < 0)
		return lose_import(ledger, &here, err);
	if (tell_until(ledger, (size_t)here.place.target, untold(ledger), err))
		return -1;
	return lose_target(ledger, &here, err);
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
