// SPDX-License-Identifier: MIT
/*
 * The loop of a session: each module of the job is a part with a worker of its own, so that no
 * script sees what another did to its process. As many run at a time as the options allow; their
 * messages are passed on in order.
 */
#include "supervisor/session.h"

#include "base/memory.h"
#include "supervisor/find_python.h"
#include "supervisor/forkserver.h"
#include "supervisor/interrupt.h"
#include "supervisor/orphans.h"
#include "supervisor/shard.h"
#include "supervisor/worker.h"

#include <stdlib.h>

enum {
	SHORT_WAIT_MS = 5, /* between looks at the rings while messages come */
	LONG_WAIT_MS = 50, /* and once none came for a while */
	MAX_WORKERS = 256,
	MAX_WAITING = 256, /* parts opened before their turn: each may have a file of its own */
};

/* The parts of a session under way. Those before n_told are over, passed on and closed; those from
 * n_opened on are not begun. */
struct parts {
	const struct session *session;
	const struct value *job;
	struct part *items;
	size_t n_items, n_told, n_opened;
	size_t n_running, max_running;
	struct forkserver server;
	struct worker *workers[MAX_WORKERS];
};

/* --- parts --- */

static void init_parts(struct parts *parts, const struct session *session, const struct value *job)
{
	const struct value *modules = value_get(job, "modules");
	int64_t jobs = session->options.jobs;

	*parts = (struct parts){ .session = session, .job = job, .n_items = 1 };
	if (value_is_sequence(modules) && modules->n_items)
		parts->n_items = modules->n_items;
	parts->max_running = jobs < 1 ? 1 : jobs < MAX_WORKERS ? (size_t)jobs : MAX_WORKERS;
	parts->items = mem_alloc(parts->n_items * sizeof(*parts->items));
}

static struct part *open_part(struct parts *parts)
{
	size_t index = parts->n_opened++;
	struct part *part = &parts->items[index];

	part_open(part, parts->session, parts->job, index);
	part->is_first = index == parts->n_told;
	return part;
}

static void close_parts(struct parts *parts)
{
	for (size_t i = parts->n_told; i < parts->n_opened; i++)
		part_close(&parts->items[i]);
	free(parts->items);
}

/* Passes on the messages of the parts whose turn has come. */
static int tell_parts(struct parts *parts, struct err *err)
{
	while (parts->n_told < parts->n_opened && parts->items[parts->n_told].is_over) {
		part_close(&parts->items[parts->n_told++]);
		if (parts->n_told < parts->n_opened && part_tell(&parts->items[parts->n_told], err))
			return -1;
	}
	return 0;
}

/* The first worker proves that the interpreter can be used; a server pays from the third on. */
static int start_parts(struct parts *parts, struct worker_options *options, struct err *err)
{
	const struct session *session = parts->session;

	while (parts->n_opened < parts->n_items && parts->n_running < parts->max_running &&
		parts->n_opened - parts->n_told < MAX_WAITING) {
		struct part *part = open_part(parts);
		int starts = session->on_start
				     ? session->on_start(session->context, part->ledger.index, err)
				     : 1;

		if (starts < 0)
			return -1;
		part->is_over = !starts;
		if (!starts)
			continue;
		if (parts->n_opened == 2 && parts->n_items > 2) {
			forkserver_start(&parts->server, options);
			options->forkserver = &parts->server;
		}
		if (part_start(part, options, err))
			return -1;
		parts->n_running += !part->is_over;
	}
	return 0;
}

/* --- the loop --- */

/* Waits for a worker's end, or for the time of the next look. */
static void wait_for_parts(struct parts *parts)
{
	bool is_quiet = true;
	size_t n_workers = 0;

	for (size_t i = parts->n_told; i < parts->n_opened && n_workers < MAX_WORKERS; i++) {
		if (parts->items[i].is_over)
			continue;
		is_quiet &= parts->items[i].is_quiet;
		parts->workers[n_workers++] = &parts->items[i].worker;
	}
	if (n_workers)
		workers_wait(parts->workers, n_workers, is_quiet ? LONG_WAIT_MS : SHORT_WAIT_MS);
}

/* How far the copy is that the next message waits for. */
static void tell_work(const struct parts *parts)
{
	const struct session *session = parts->session;
	const struct part *part = &parts->items[parts->n_told];
	struct channel_place place = { 0 };
	uint64_t done = 0, total = 0;

	if (!session->on_work || parts->n_told >= parts->n_opened)
		return;
	if (!part->is_over && part->phase == PART_RUNNING) {
		channel_work(&part->worker.channel, &done, &total);
		channel_place(&part->worker.channel, &place);
	}
	session->on_work(session->context, place.step, done, total);
}

static int look_at_parts(struct parts *parts, const struct worker_options *options, struct err *err)
{
	for (size_t i = parts->n_told; i < parts->n_opened; i++) {
		struct part *part = &parts->items[i];

		if (part->is_over)
			continue;
		if (part_look(part, options, err))
			return -1;
		parts->n_running -= part->is_over;
	}
	if (!interrupt_signal())
		return tell_parts(parts, err);
	return parts->n_running ? 0 : err_set(err, EXIT_TARGET, "interrupted");
}

static int run_parts(struct parts *parts, struct worker_options *options, struct err *err)
{
	while (parts->n_told < parts->n_items) {
		if (!interrupt_signal() && start_parts(parts, options, err))
			return -1;
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
	out->timeout_seconds = options->timeout_seconds;
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
	while (parts->n_opened < parts->n_items) {
		struct part *part = open_part(parts);

		part->is_over = true;
		if (ledger_abandon(&part->ledger, reason, err) || tell_parts(parts, err))
			return -1;
	}
	return 0;
}

int session_run(const struct session *session, const struct value *job, struct err *err)
{
	struct worker_options options = { .runs_python = runs_python(job) };
	struct parts parts = { 0 };
	int status = prepare(session, &options, err);

	if (status && (err->code != EXIT_UNAVAILABLE || !session->options.goes_on))
		goto out;
	init_parts(&parts, session, job);
	if (status) {
		status = abandon_parts(&parts, err->message, err);
		close_parts(&parts);
		goto out;
	}
	interrupt_begin();
	orphans_adopt();
	status = run_parts(&parts, &options, err);
	close_parts(&parts);
	if (options.forkserver)
		forkserver_stop(&parts.server);
	interrupt_end();
out:
	python_free(&options.python);
	free(options.module);
	free(options.bootstrap);
	return status;
}
