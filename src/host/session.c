// SPDX-License-Identifier: MIT
/*
 * The loop of a session: the job's modules in as many parts as workers may run at a time, each
 * looked at in turn, and told in order.
 */
#include "host/session.h"

#include "base/memory.h"
#include "host/find_python.h"
#include "host/interrupt.h"
#include "host/orphans.h"
#include "host/part.h"
#include "host/worker.h"

#include <stdlib.h>

enum {
	SHORT_WAIT_MS = 5, /* between looks at the rings while messages come */
	LONG_WAIT_MS = 50, /* and once none came for a while */
	MAX_PARTS = 256,
	IMPORT_WEIGHT = 64, /* to import a module takes as long as to look at so many targets */
};

/* The parts of a session under way. */
struct parts {
	struct part *items;
	size_t n_items, n_told; /* those before are over and told */
	struct worker **workers;
};

/* --- parts --- */

static size_t weight_of(const struct value *module)
{
	const struct value *named = value_get(module, "targets");

	return IMPORT_WEIGHT + (value_is_sequence(named) ? named->n_items : 0);
}

static size_t count_parts(const struct session *session, size_t n_modules)
{
	size_t n_parts = session->options.jobs > 1 ? (size_t)session->options.jobs : 1;

	n_parts = n_parts < n_modules ? n_parts : n_modules;
	n_parts = n_parts < MAX_PARTS ? n_parts : MAX_PARTS;
	return n_parts ? n_parts : 1;
}

/* Neighbours stay together: what they import is imported once. */
static void open_parts(struct parts *parts, const struct session *session, const struct value *job)
{
	const struct value *modules = value_get(job, "modules");
	size_t n_modules = value_is_sequence(modules) ? modules->n_items : 0;
	size_t weight = 0, sum = 0, end = 0;

	parts->n_items = count_parts(session, n_modules);
	parts->items = mem_alloc(parts->n_items * sizeof(*parts->items));
	parts->workers = mem_alloc(parts->n_items * sizeof(*parts->workers));
	for (size_t i = 0; i < n_modules; i++)
		weight += weight_of(modules->items[i]);
	for (size_t i = 0; i < parts->n_items; i++) {
		size_t first = end, n_later = parts->n_items - i - 1;

		do {
			sum += end < n_modules ? weight_of(modules->items[end]) : 0;
			end++;
		} while (end + n_later < n_modules &&
			 (!n_later || sum * parts->n_items < weight * (i + 1)));
		part_open(&parts->items[i], session, job, first, n_modules ? end : 0);
	}
	parts->items[0].is_first = true;
}

static void close_parts(struct parts *parts)
{
	for (size_t i = 0; i < parts->n_items; i++)
		part_close(&parts->items[i]);
	free(parts->items);
	free(parts->workers);
}

/* Tells of the parts whose turn has come. */
static int tell_parts(struct parts *parts, struct err *err)
{
	while (parts->n_told < parts->n_items && parts->items[parts->n_told].is_over) {
		struct part *next = &parts->items[++parts->n_told];

		if (parts->n_told < parts->n_items && part_tell(next, err))
			return -1;
	}
	return 0;
}

/* --- the loop --- */

/* Waits for a worker's end, or for the time of the next look. */
static void wait_for_parts(struct parts *parts)
{
	bool is_quiet = true;
	size_t n_workers = 0;

	for (size_t i = parts->n_told; i < parts->n_items; i++) {
		if (parts->items[i].is_over)
			continue;
		is_quiet &= parts->items[i].is_quiet;
		parts->workers[n_workers++] = &parts->items[i].worker;
	}
	workers_wait(parts->workers, n_workers, is_quiet ? LONG_WAIT_MS : SHORT_WAIT_MS);
}

/* How far the copy is that the next message waits for. */
static void tell_work(const struct parts *parts)
{
	const struct part *part = &parts->items[parts->n_told];
	struct channel_place place = { 0 };
	uint64_t done = 0, total = 0;

	if (!part->session->on_work)
		return;
	if (!part->is_over && part->phase == PART_RUNNING) {
		channel_work(&part->worker.channel, &done, &total);
		channel_place(&part->worker.channel, &place);
	}
	part->session->on_work(part->session->context, place.step, done, total);
}

static int look_at_parts(struct parts *parts, const struct worker_options *options, struct err *err)
{
	bool is_over = true;

	for (size_t i = parts->n_told; i < parts->n_items; i++) {
		if (!parts->items[i].is_over && part_look(&parts->items[i], options, err))
			return -1;
		is_over &= parts->items[i].is_over;
	}
	if (!interrupt_signal())
		return tell_parts(parts, err);
	return is_over ? err_set(err, EXIT_TARGET, "interrupted") : 0;
}

static int run_parts(struct parts *parts, const struct worker_options *options, struct err *err)
{
	for (size_t i = 0; i < parts->n_items; i++)
		if (part_start(&parts->items[i], options, err))
			return -1;
	if (tell_parts(parts, err))
		return -1;
	while (parts->n_told < parts->n_items) {
		wait_for_parts(parts);
		tell_work(parts);
		if (look_at_parts(parts, options, err))
			return -1;
	}
	return 0;
}

static int choose_host(
	const struct session_options *options, struct worker_options *out, struct err *err)
{
	if (options->host == HOST_EMBED && options->wrap)
		return err_set(
			err, EXIT_USAGE, "--wrap needs an executed interpreter, not --host embed");
	if (options->host == HOST_EMBED && !out->python.library)
		return err_set(err, EXIT_UNAVAILABLE, "cannot embed python '%s': %s",
			out->python.executable, out->python.why_executed);
	out->embed = out->python.library && options->host != HOST_EXEC && !options->wrap;
	out->must_embed = options->host == HOST_EMBED;
	out->wrap = options->wrap;
	out->stdin_is_input = options->stdin_is_input;
	out->silent = options->silent;
	return 0;
}

/* A .npy file is mapped, and the devices are listed, without code of the user's. */
static bool runs_python(const struct value *job)
{
	const struct value *modules = value_get(job, "modules");

	for (size_t i = 0; value_is_sequence(modules) && i < modules->n_items; i++)
		if (!value_is_text(value_get(modules->items[i], "kind"), "npy"))
			return true;
	return false;
}

static int prepare(const struct session *session, struct worker_options *options, struct err *err)
{
	if (python_find(session->options.python, &options->python, err) ||
		choose_host(&session->options, options, err))
		return -1;
	return worker_find_module(options, err);
}

/* Tells all targets that no worker can be run. */
static int abandon_parts(struct parts *parts, const char *reason, struct err *err)
{
	for (size_t i = 0; i < parts->n_items; i++) {
		if (ledger_abandon(&parts->items[i].ledger, reason, err))
			return -1;
		parts->items[i].is_over = true;
	}
	return tell_parts(parts, err);
}

int session_run(const struct session *session, const struct value *job, struct err *err)
{
	struct worker_options options = { .runs_python = runs_python(job) };
	struct parts parts = { 0 };
	int status = prepare(session, &options, err);

	if (status && (err->code != EXIT_UNAVAILABLE || !session->options.goes_on))
		goto out;
	open_parts(&parts, session, job);
	if (status) {
		status = abandon_parts(&parts, err->message, err);
		close_parts(&parts);
		goto out;
	}
	interrupt_begin();
	orphans_adopt();
	status = run_parts(&parts, &options, err);
	close_parts(&parts);
	interrupt_end();
out:
	python_free(&options.python);
	free(options.module);
	free(options.bootstrap);
	return status;
}
