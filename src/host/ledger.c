// SPDX-License-Identifier: MIT
/* Keeps the account of a job's modules and targets; see host/ledger.h. */
#include "host/ledger.h"

#include "base/memory.h"
#include "base/trace.h"
#include "host/outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct value *job_module(const struct ledger *ledger, size_t module)
{
	return value_item(value_get(ledger->job, "modules"), module);
}

void ledger_open(struct ledger *ledger, const struct session *session, const struct value *job,
	size_t first, size_t end)
{
	*ledger = (struct ledger){ .session = session, .job = job };
	ledger->n_modules = end;
	ledger->module = first;
	ledger->modules = mem_alloc((end + 1) * sizeof(*ledger->modules));
	ledger->skip = value_list(&ledger->arena);
}

void ledger_close(struct ledger *ledger)
{
	arena_free(&ledger->held_arena);
	arena_free(&ledger->arena);
	free(ledger->modules);
}

static int tell(struct ledger *ledger, const struct value *message, struct err *err)
{
	return ledger->session->on_message(ledger->session->context, message, err);
}

/* --- telling what no worker told --- */

static struct value *target_name(struct arena *arena, const struct ledger *ledger)
{
	const struct value *module = job_module(ledger, ledger->module);
	const struct value *named = value_item(value_get(module, "targets"), ledger->target);
	const struct value *found =
		value_item(ledger->modules[ledger->module].found, ledger->target);
	const char *expression = value_text_or(named ? named : found, "?");

	if (value_bool_or(value_get(module, "plain_expressions"), false))
		return value_text(arena, expression);
	return value_textf(
		arena, "%s:%s", value_text_or(value_get(module, "label"), "?"), expression);
}

static void move_on(struct ledger *ledger)
{
	ledger->target++;
	ledger->loss = NULL;
	ledger->n_losses_here = 0;
	while (ledger->module < ledger->n_modules && ledger->modules[ledger->module].told &&
		ledger->target >= ledger->modules[ledger->module].n_targets) {
		ledger->module++;
		ledger->target = 0;
	}
}

static int tell_bare_target(struct ledger *ledger, const struct value *outcome, struct err *err)
{
	struct arena arena = { 0 };
	struct value *message = outcome_of_target(&arena, ledger->module, ledger->target,
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
	int status = tell(ledger, outcome_of_module(&arena, ledger->module, outcome), err);

	arena_free(&arena);
	ledger->modules[ledger->module].told = true;
	move_on(ledger);
	return status;
}

/* Tells all before a place with the outcome, or with what befell each. */
static int tell_until(struct ledger *ledger, size_t module, size_t target,
	const struct value *outcome, struct err *err)
{
	int status = 0;

	while (!status && ledger->module < ledger->n_modules &&
		(ledger->module < module ||
			(ledger->module == module && ledger->target < target))) {
		struct ledger_module *at = &ledger->modules[ledger->module];

		status = at->told ? tell_bare_target(ledger, at->failed ? at->failed : outcome, err)
				  : tell_bare_module(ledger, outcome, err);
	}
	return status;
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
		ledger->untold = outcome_new(&ledger->arena, "unavailable", "report",
			"the worker said nothing about it");
	return ledger->untold;
}

/* --- what a worker says --- */

static void learn_module(struct ledger *ledger, size_t module, const struct value *message)
{
	struct ledger_module *at = &ledger->modules[module];
	const struct value *named = value_get(job_module(ledger, module), "targets");
	const struct value *found = value_get(message, "targets");

	at->told = true;
	if (!value_is_text(value_get(message, "status"), "ok"))
		return;
	if (value_is_sequence(named)) {
		at->n_targets = named->n_items;
		return;
	}
	at->found = value_list(&ledger->arena);
	at->n_targets = value_is_sequence(found) ? found->n_items : 0;
	for (size_t i = 0; i < at->n_targets; i++)
		value_append(&ledger->arena, at->found,
			value_text(&ledger->arena,
				value_text_or(value_get(found->items[i], "name"), "?")));
}

static int take_module(struct ledger *ledger, const struct value *message, struct err *err)
{
	int64_t module = value_int_or(value_get(message, "module"), -1);

	if (module < 0 || (size_t)module >= ledger->n_modules)
		return 0;
	if (ledger->modules[module].told) {
		if (!value_is_text(value_get(message, "status"), "ok"))
			ledger->modules[module].failed = value_copy(&ledger->arena, message);
		return 0;
	}
	if (tell_until(ledger, (size_t)module, 0, untold(ledger), err))
		return -1;
	if ((size_t)module > ledger->first_module &&
		!value_is_text(value_get(message, "status"), "ok")) {
		ledger->wants_new_worker = true;
		return 0;
	}
	learn_module(ledger, (size_t)module, message);
	if (!ledger->modules[module].n_targets)
		move_on(ledger);
	return tell(ledger, message, err);
}

static int take_target(
	struct ledger *ledger, struct arena *arena, struct value *message, struct err *err)
{
	int64_t module = value_int_or(value_get(message, "module"), -1);
	int64_t target = value_int_or(value_get(message, "target"), -1);

	if (module < 0 || (size_t)module >= ledger->n_modules || target < 0 ||
		(size_t)target >= ledger->modules[module].n_targets ||
		(size_t)module < ledger->module ||
		((size_t)module == ledger->module && (size_t)target < ledger->target)) {
		TRACE("host", "unexpected message about target %lld.%lld", (long long)module,
			(long long)target);
		return 0;
	}
	if (tell_until(ledger, (size_t)module, (size_t)target, untold(ledger), err))
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

	if (ledger->wants_new_worker)
		goto out;
	if (!status && value_is_text(kind, "module"))
		status = take_module(ledger, message, err);
	else if (!status && value_is_text(kind, "target"))
		status = take_target(ledger, arena, message, err);
	else if (!status)
		status = tell(ledger, message, err);
out:
	arena_free(arena);
	return status;
}

int ledger_finish(struct ledger *ledger, struct err *err)
{
	if (tell_held(ledger, err))
		return -1;
	return ledger->wants_new_worker
		       ? 0
		       : tell_until(ledger, ledger->n_modules, 0, untold(ledger), err);
}

/* --- losses --- */

/* Asks the next worker to leave the step out. False: it was asked already. */
static bool add_skip(struct ledger *ledger, int64_t target, const char *step)
{
	struct value *item = value_map(&ledger->arena);

	value_set(&ledger->arena, item, "module", value_uint(&ledger->arena, ledger->module));
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
			value_text_or(value_get(error, "message"), "?"), ledger->n_losses_here));
}

static int lose_target(struct ledger *ledger, const struct loss *loss, struct err *err)
{
	const struct channel_place *place = &loss->place;

	if (!ledger->loss)
		ledger->loss =
			outcome_new(&ledger->arena, loss->status, place->step, loss->message);
	ledger->n_losses_here++;
	/* Lost after a step is lost in what the step gave, so it is left out too. The loss is a
	 * trial's answer: nothing is left to be tried. */
	if (!value_is(value_get(ledger->job, "trial"), VALUE_MAP) && *place->step &&
		ledger->n_losses_here < LEDGER_TARGET_LOSSES &&
		add_skip(ledger, (int64_t)ledger->target, place->step))
		return 0;
	if (ledger->n_losses_here > 1)
		say_given_up(ledger);
	return tell_bare_target(ledger, ledger->loss, err);
}

/* While a module was imported, for the first time or once more. A step within that is not the
 * import itself (looking for what its objects expose) can be left out. */
static int lose_import(struct ledger *ledger, const struct loss *loss, struct err *err)
{
	const char *step = *loss->place.step ? loss->place.step : "import";
	struct value *outcome;

	if (loss->place.in_step && strcmp(step, "import") != 0 && add_skip(ledger, -1, step))
		return 0;
	outcome = outcome_new(&ledger->arena, loss->status, step, loss->message);
	if (!ledger->modules[ledger->module].told && ledger->module > ledger->first_module &&
		strcmp(loss->status, "hung") != 0)
		return 0; /* what an earlier script left may have done it: once more, alone */
	if (!ledger->modules[ledger->module].told)
		return tell_bare_module(ledger, outcome, err);
	return tell_until(ledger, ledger->module + 1, 0, outcome, err);
}

/* Whether the worker was where it says, as far as the account can tell. */
static bool is_plausible(const struct ledger *ledger, const struct channel_place *place)
{
	if (place->module < 0 || (size_t)place->module >= ledger->n_modules ||
		(size_t)place->module < ledger->module)
		return false;
	if (place->target < 0)
		return true;
	return (size_t)place->target < ledger->modules[place->module].n_targets &&
	       ((size_t)place->module > ledger->module || (size_t)place->target >= ledger->target);
}

/* The worker was lost after it told of a target and before it left it: releasing the object. */
static bool concerns_held(const struct ledger *ledger, const struct channel_place *place)
{
	return ledger->held && place->module == (int64_t)ledger->module &&
	       place->target == (int64_t)ledger->target;
}

int ledger_abandon(struct ledger *ledger, const char *reason, struct err *err)
{
	struct value *outcome = outcome_new(&ledger->arena, "unavailable", "start", reason);

	return tell_until(ledger, ledger->n_modules, 0, outcome, err);
}

static int give_up(struct ledger *ledger, struct err *err)
{
	char message[128];

	snprintf(message, sizeof(message), "not tried: suai gave up after %zu lost workers",
		ledger->n_losses);
	return ledger_abandon(ledger, message, err);
}

int ledger_lose(struct ledger *ledger, const struct loss *loss, struct err *err)
{
	struct loss here = *loss;
	bool at_held = concerns_held(ledger, &loss->place);
	int status;

	ledger->n_losses++;
	if (at_held && !ledger->loss)
		outcome_apply(&ledger->held_arena, ledger->held,
			outcome_new(&ledger->arena, loss->status, loss->place.step, loss->message));
	if (tell_held(ledger, err))
		return -1;
	if (ledger->module >= ledger->n_modules)
		return 0;
	if (!at_held && !is_plausible(ledger, &here.place))
		here.place = (struct channel_place){ .module = (int32_t)ledger->module,
			.target = ledger->modules[ledger->module].told ? (int32_t)ledger->target
								       : -1 };
	if (at_held)
		status = 0;
	else if (tell_until(ledger, (size_t)here.place.module,
			 here.place.target > 0 ? (size_t)here.place.target : 0, untold(ledger),
			 err))
		status = -1;
	else if (here.place.target < 0)
		status = lose_import(ledger, &here, err);
	else
		status = lose_target(ledger, &here, err);
	if (!status && ledger->n_losses >= LEDGER_ALL_LOSSES)
		status = give_up(ledger, err);
	return status;
}

const struct value *ledger_next_job(struct ledger *ledger, struct arena *arena)
{
	struct value *job, *start, *end;

	if (ledger->n_modules ? ledger->module >= ledger->n_modules : ledger->started)
		return NULL;
	ledger->started = true;
	ledger->wants_new_worker = false;
	ledger->first_module = ledger->module;
	job = value_map(arena);
	for (size_t i = 0; i < ledger->job->n_items; i++)
		value_add(arena, job, ledger->job->keys[i], ledger->job->items[i]);
	start = value_map(arena);
	value_set(arena, start, "module", value_uint(arena, ledger->module));
	value_set(arena, start, "target", value_uint(arena, ledger->target));
	value_set(arena, job, "start", start);
	end = value_map(arena);
	value_set(arena, end, "module", value_uint(arena, ledger->n_modules));
	value_set(arena, job, "end", end);
	value_set(arena, job, "skip", value_copy(arena, ledger->skip));
	return job;
}
