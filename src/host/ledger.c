// SPDX-License-Identifier: MIT
/* Keeps the account of a module and its targets; see host/ledger.h. */
#include "host/ledger.h"

#include "base/trace.h"
#include "host/outcome.h"

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

static void move_on(struct ledger *ledger)
{
	ledger->target++;
	ledger->loss = NULL;
	ledger->n_losses = 0;
}

static int tell_bare_target(struct ledger *ledger, const struct value *outcome, struct err *err)
{
	struct arena arena = { 0 };
	struct value *message = outcome_of_target(&arena, ledger->index, ledger->target,
		target_name(&arena, ledger), ledger->loss ? ledger->loss : outcome);
	int status = tell(ledger, message, err);

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
static bool add_skip(struct ledger *ledger, int64_t target, const char *step)
{
	struct value *item = value_map(&ledger->arena);

	value_set(&ledger->arena, item, "target", value_int(&ledger->arena, target));
	value_set(&ledger->arena, item, "step", value_text(&ledger->arena, step));
	for (size_t i = 0; i < ledger->skip->n_items; i++)
		if (value_equal(ledger->skip->items[i], item))
			return false;
	value_append(&ledger->arena, ledger->skip, item);
	return true;
}

static void say_given_up(struct ledger *ledger)
{
	struct value *error = (struct value *)value_get(ledger->loss, "error");

	value_set(&ledger->arena, error, "message",
		value_textf(&ledger->arena, "%s; given up after %zu lost workers",
			value_text_or(value_get(error, "message"), "?"), ledger->n_losses));
}

static int lose_target(struct ledger *ledger, const struct loss *loss, struct err *err)
{
	const struct channel_place *place = &loss->place;

	if (!ledger->loss)
		ledger->loss =
			outcome_new(&ledger->arena, loss->status, place->step, loss->message);
	ledger->n_losses++;
	/* Lost after a step is lost in what the step gave, so it is left out too. The loss is a
	 * trial's answer: nothing is left to be tried. */
	if (!value_is(value_get(ledger->job, "trial"), VALUE_MAP) && *place->step &&
		ledger->n_losses < LEDGER_TARGET_LOSSES &&
		add_skip(ledger, (int64_t)ledger->target, place->step))
		return 0;
	if (ledger->n_losses > 1)
		say_given_up(ledger);
	return tell_bare_target(ledger, ledger->loss, err);
}

/* While the module was imported, for the first time or once more. A step within that is not the
 * import itself (looking for what its objects expose) can be left out. */
static int lose_import(struct ledger *ledger, const struct loss *loss, struct err *err)
{
	const char *step = *loss->place.step ? loss->place.step : "import";

	if (loss->place.in_step && strcmp(step, "import") != 0 && add_skip(ledger, -1, step))
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

	if (at_held && !ledger->loss)
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
	value_set(arena, job, "index", value_uint(arena, ledger->index));
	value_set(arena, job, "start", value_uint(arena, ledger->target));
	value_set(arena, job, "skip", value_copy(arena, ledger->skip));
	return job;
}
