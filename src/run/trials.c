// SPDX-License-Identifier: MIT
/* A session for each trial: what becomes of its worker is an answer, not the target's failure. */
#include "run/trials.h"

#include "base/progress.h"
#include "base/text.h"
#include "model/memory.h"
#include "model/trials.h"
#include "protocols/protocol.h"

#include <string.h>
#include <time.h>

static const struct {
	const char *name, *fact, *about;
} trials[] = {
#define ROW(NAME, WORD, FACT, ABOUT) { WORD, FACT, ABOUT },
	TRIAL_LIST(ROW)
};

enum { N_TRIALS = sizeof(trials) / sizeof(*trials) };

/* One trial under way. */
struct trying {
	struct arena *arena;
	const struct value *wanted; /* {trial, protocol} */
	struct arena step_arena;    /* of told: there are thousands of steps */
	const struct value *told;   /* {step, counts} of its last step; NULL: it has not begun */
	struct value *records;
	int64_t begun_ms; /* when its time began to count: once the module was imported */
};

static int64_t clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Why nothing came of a trial. */
static struct value *skipped_record(const struct trying *trying, struct value *error)
{
	struct arena *arena = trying->arena;
	struct value *record = value_map(arena);

	for (size_t i = 0; i < trying->wanted->n_items; i++)
		value_set(arena, record, trying->wanted->keys[i],
			value_copy(arena, trying->wanted->items[i]));
	value_set(arena, record, "outcome", value_text(arena, "skipped"));
	value_set(arena, record, "error", error);
	value_set(arena, record, "step", value_null(arena));
	value_set(arena, record, "counts", value_map(arena));
	return record;
}

/* Why a trial was not held: what became of the worker before the object could be tried. */
static struct value *why_not_held(struct arena *arena, const struct value *message)
{
	return value_error(arena, value_text_or(value_at(message, "error.type"), NULL),
		arena_printf(arena, "the object could not be made again (%s, step %s): %s",
			value_text_or(value_get(message, "status"), "?"),
			value_text_or(value_get(message, "step"), "?"),
			value_text_or(value_at(message, "error.message"), "no reason was told")));
}

/* What a worker told, or else how it was lost. */
static struct value *make_record(const struct trying *trying, const struct value *message)
{
	struct arena *arena = trying->arena;
	const struct value *told = value_item(value_get(message, "trials"), 0);
	struct value *record;

	if (value_is_text(value_get(message, "status"), "ok") && told)
		return value_copy(arena, told);
	if (!trying->told)
		return skipped_record(trying, why_not_held(arena, message));
	record = skipped_record(trying, value_copy(arena, value_get(message, "error")));
	value_set(arena, record, "outcome", value_copy(arena, value_get(message, "status")));
	value_set(arena, record, "step", value_copy(arena, value_get(trying->told, "step")));
	value_set(arena, record, "counts", value_copy(arena, value_get(trying->told, "counts")));
	return record;
}

static int on_message(void *context, const struct value *message, struct err *err)
{
	struct trying *trying = context;
	bool is_target = value_is_text(value_get(message, "kind"), "target");
	bool is_failure = value_is_text(value_get(message, "kind"), "module") &&
			  !value_is_text(value_get(message, "status"), "ok");

	(void)err;
	if (value_is_text(value_get(message, "kind"), "module"))
		trying->begun_ms = clock_ms();
	if (value_is_text(value_get(message, "kind"), "trial")) {
		arena_free(&trying->step_arena);
		trying->told = value_copy(&trying->step_arena, message);
	}
	if ((is_target || is_failure) && !trying->records->n_items)
		value_append(trying->arena, trying->records, make_record(trying, message));
	return 0;
}

/* The module with the target as its only one; the expression is how the target is called. */
static struct value *make_module(
	struct arena *arena, const struct value *module, const struct value *facts)
{
	const char *name = value_text_or(value_get(facts, "name"), "");
	const char *label = value_text_or(value_get(module, "label"), "");
	struct value *copy = value_copy(arena, module), *targets = value_list(arena);

	if (!value_bool_or(value_get(module, "plain_expressions"), false))
		name += strlen(label) + 1;
	value_append(arena, targets, value_text(arena, name));
	value_set(arena, copy, "targets", targets);
	return copy;
}

static int hold_trial(const struct run *run, struct arena *arena, const struct value *module,
	struct trying *trying, struct err *err)
{
	struct shared_settings settings = *run->settings;
	const struct run_handler handler = { .on_message = on_message, .context = trying };
	struct run nested = { .command = run->command,
		.settings = &settings,
		.arena = arena,
		.job = value_copy(arena, run->job) };
	struct value *modules = value_list(arena);

	settings.jobs = 1;
	value_append(arena, modules, value_copy(arena, module));
	value_set(arena, nested.job, "trial", value_copy(arena, trying->wanted));
	return run_session(&nested, modules,
		(struct run_manner){ .stdin_is_input = true, .silent = true }, &handler, err);
}

static bool wants_fact(const struct run *run, const char *fact)
{
	return value_lists_text(value_get(run->job, "facts"), fact);
}

static bool are_wanted(const struct run *run)
{
	return wants_fact(run, "lifetime") || wants_fact(run, "live");
}

/* Live trials of DLPack are of streams, which are integers on CUDA and ROCm; suai has no driver of
 * ROCm's to prove order with. */
static bool can_live(const char *trial, const struct value *interface)
{
	int64_t code = value_int_or(value_at(interface, "declared.device[0]"), -1);

	return protocol_of_interface(interface) != &dlpack_protocol ||
	       code == device_type_code("cuda") || code == device_type_code("cuda_managed") ||
	       (code == device_type_code("rocm") && !strcmp(trial, "odd-stream"));
}

/* The interface's trial of that index, unless nobody asks for it. */
static bool is_wanted(
	const struct run *run, struct arena *arena, size_t i, const struct value *interface)
{
	const struct protocol *protocol = protocol_of_interface(interface);
	const char *only = value_text_or(value_get(run->job, "only_step"), NULL);

	return protocol && protocol->trials &&
	       value_is_text(value_get(interface, "status"), "ok") &&
	       text_lists_word(protocol->trials, trials[i].name) &&
	       wants_fact(run, trials[i].fact) &&
	       (!trials[i].about || !value_is_null(value_at(interface, trials[i].about))) &&
	       (strcmp(trials[i].fact, "live") != 0 || can_live(trials[i].name, interface)) &&
	       (!only || !strcmp(only, arena_printf(arena, "trial %s of %s", trials[i].name,
					       protocol->name)));
}

static uint64_t count_wanted(
	const struct run *run, struct arena *arena, const struct value *interfaces)
{
	uint64_t n_wanted = 0;

	for (size_t i = 0; value_is_sequence(interfaces) && i < interfaces->n_items; i++)
		for (size_t j = 0; j < N_TRIALS; j++)
			n_wanted += is_wanted(run, arena, j, interfaces->items[i]);
	return n_wanted;
}

/* Holds the trial unless the target's time limit is used up. What the object's import takes, which
 * is suai's doing, does not count; a step of a trial has all of the limit. */
static int hold_in_time(const struct run *run, const struct value *module, struct trying *trying,
	int64_t *left_ms, struct err *err)
{
	int status;

	if (*left_ms <= 0) {
		value_append(trying->arena, trying->records,
			skipped_record(trying, value_error(trying->arena, NULL,
						       "the time limit of the target is used up")));
		return 0;
	}
	trying->begun_ms = clock_ms();
	status = hold_trial(run, trying->arena, module, trying, err);
	*left_ms -= clock_ms() - trying->begun_ms;
	arena_free(&trying->step_arena);
	return status;
}

static int try_interface(const struct run *run, struct arena *arena, const struct value *module,
	const struct value *interface, struct value *records, struct progress *progress,
	int64_t *left_ms, struct err *err)
{
	const char *protocol = value_text_or(value_get(interface, "protocol"), "");

	for (size_t i = 0; i < N_TRIALS; i++) {
		struct value *wanted = value_map(arena);
		struct trying trying = {
			.arena = arena, .wanted = wanted, .records = value_list(arena)
		};

		if (!is_wanted(run, arena, i, interface))
			continue;
		value_set(arena, wanted, "trial", value_text(arena, trials[i].name));
		value_set(arena, wanted, "protocol", value_text(arena, protocol));
		if (hold_in_time(run, module, &trying, left_ms, err))
			return -1;
		if (trying.records->n_items)
			value_append(arena, records, trying.records->items[0]);
		progress_step(progress, 1);
	}
	return 0;
}

/* What ends a worker in one of the calls ends no trial: each has a worker of its own. */
static bool can_hold(const struct value *facts)
{
	const struct value *status = value_get(facts, "status");

	return value_is_text(status, "ok") || value_is_text(status, "crashed") ||
	       value_is_text(status, "hung") || value_is_text(status, "left");
}

int trials_hold(struct run *run, struct arena *arena, const struct value *module,
	struct value *facts, struct progress *targets, struct err *err)
{
	const struct value *interfaces = value_get(facts, "interfaces");
	struct value *records = value_set(arena, facts, "trials", value_list(arena));
	struct value *alone;
	struct progress progress = { 0 };
	int64_t left_ms = run->settings->timeout_seconds * 1000 -
			  value_int_or(value_get(facts, "spent_ms"), 0);
	int status = 0;

	if (!are_wanted(run) || !can_hold(facts))
		return 0;
	alone = make_module(arena, module, facts);
	progress_hide(targets);
	progress_begin(
		&progress, !run->settings->quiet, count_wanted(run, arena, interfaces), "trials");
	progress.begun_ms = targets->begun_ms; /* who waited for the calls has waited long enough */
	progress_set(&progress, 0);
	for (size_t i = 0; !status && value_is_sequence(interfaces) && i < interfaces->n_items; i++)
		status = try_interface(
			run, arena, alone, interfaces->items[i], records, &progress, &left_ms, err);
	progress_end(&progress);
	return status;
}
