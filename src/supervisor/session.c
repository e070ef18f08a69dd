// SPDX-License-Identifier: MIT
/*
 * The loop of a session: each module of the job is a shard with its own worker, so that a script
 * cannot affect the process of another. As many run in parallel as the options allow; their
 * messages are passed on in order.
 */
#include "supervisor/session.h"

#include "base/debug.h"
#include "base/memory.h"
#include "supervisor/find_python.h"
#include "supervisor/forkserver.h"
#include "supervisor/interrupt.h"
#include "supervisor/orphans.h"
#include "supervisor/shard.h"
#include "supervisor/worker.h"

#include <stdlib.h>

enum {
	SHORT_WAIT_MS = 5, /* between polls of the rings while messages arrive */
	LONG_WAIT_MS = 50, /* and once none arrived for a while */
	MAX_WORKERS = 256,
	MAX_WAITING = 256, /* shards opened before their turn: each may have its own file */
};

/* The shards of a running session. Those before n_reported are reported and closed; those from
 * n_opened on are not opened. */
struct shard_list {
	const struct session *session;
	const struct job *job;
	const struct job_modules *modules;
	struct shard *items;
	size_t n_items, n_reported, n_opened;
	size_t n_running, max_running;
	struct forkserver server;
	struct worker *workers[MAX_WORKERS];
};

/* --- shards --- */

static void init_shards(struct shard_list *shards, const struct session *session,
	const struct job *job, const struct job_modules *modules)
{
	int64_t jobs = session->options.jobs;

	*shards = (struct shard_list){ .session = session,
		.job = job,
		.modules = modules,
		.n_items = modules->n_items ? modules->n_items : 1 };
	shards->max_running = jobs < 1 ? 1 : jobs < MAX_WORKERS ? (size_t)jobs : MAX_WORKERS;
	shards->items = mem_alloc(shards->n_items * sizeof(*shards->items));
}

static struct shard *open_next_shard(struct shard_list *shards)
{
	size_t index = shards->n_opened++;
	struct shard *shard = &shards->items[index];

	shard_open(shard, shards->session, shards->job,
		shards->modules->n_items ? shards->modules->items[index] : NULL, index);
	shard->has_turn = index == shards->n_reported;
	return shard;
}

static void close_shards(struct shard_list *shards)
{
	for (size_t i = shards->n_reported; i < shards->n_opened; i++)
		shard_close(&shards->items[i]);
	free(shards->items);
}

/* Passes on the messages of the shards whose turn has come. */
static int report_shards(struct shard_list *shards, struct err *err)
{
	while (shards->n_reported < shards->n_opened && shards->items[shards->n_reported].is_over) {
		shard_close(&shards->items[shards->n_reported++]);
		if (shards->n_reported < shards->n_opened &&
			shard_report(&shards->items[shards->n_reported], err))
			return -1;
	}
	return 0;
}

/* Whether the shard, whose worker could not be started, can wait until another worker has ended.
 * From then on, no more workers run at a time than now. */
static bool can_postpone(
	struct shard_list *shards, const struct shard *shard, const struct err *err)
{
	if (!shard->waits || !shards->n_running || err->code != EXIT_UNAVAILABLE)
		return false;
	DEBUG_LOG("supervisor", "%zu workers at a time: %s", shards->n_running, err->message);
	shards->max_running = shards->n_running;
	return true;
}

static int start_shard(struct shard_list *shards, struct shard *shard,
	const struct worker_options *options, struct err *err)
{
	if (shard_start(shard, options, err))
		return can_postpone(shards, shard, err) ? 0 : -1;
	shards->n_running += !shard->is_over;
	return 0;
}

/* Starts the shards that wait. */
static int start_waiting_shards(
	struct shard_list *shards, const struct worker_options *options, struct err *err)
{
	for (size_t i = shards->n_reported; i < shards->n_opened; i++)
		if (shards->items[i].waits && shards->n_running < shards->max_running &&
			start_shard(shards, &shards->items[i], options, err))
			return -1;
	return 0;
}

/* Starts shards up to the number of jobs. The first worker shows that the interpreter works; a fork
 * server pays off from the third one on. */
static int start_shards(struct shard_list *shards, struct worker_options *options, struct err *err)
{
	const struct session *session = shards->session;

	if (start_waiting_shards(shards, options, err))
		return -1;
	while (shards->n_opened < shards->n_items && shards->n_running < shards->max_running &&
		shards->n_opened - shards->n_reported < MAX_WAITING) {
		struct shard *shard = open_next_shard(shards);
		int starts = session->on_start
				     ? session->on_start(session->context, shard->ledger.index, err)
				     : 1;

		if (starts < 0)
			return -1;
		shard->is_over = !starts;
		if (!starts)
			continue;
		if (shards->n_opened == 2 && shards->n_items > 2) {
			forkserver_start(&shards->server, options);
			options->forkserver = &shards->server;
		}
		if (start_shard(shards, shard, options, err))
			return -1;
	}
	return 0;
}

/* --- the loop --- */

/* Waits for a worker's end, or until the next poll. */
static void wait_for_shards(struct shard_list *shards)
{
	bool is_quiet = true;
	size_t n_workers = 0;

	for (size_t i = shards->n_reported; i < shards->n_opened && n_workers < MAX_WORKERS; i++) {
		if (shards->items[i].is_over || shards->items[i].waits)
			continue;
		is_quiet &= shards->items[i].is_quiet;
		shards->workers[n_workers++] = &shards->items[i].worker;
	}
	if (n_workers)
		workers_wait(shards->workers, n_workers, is_quiet ? LONG_WAIT_MS : SHORT_WAIT_MS);
}

/* Reports the position, and the progress of the copy, that the next message waits for. */
static void report_work_done(const struct shard_list *shards)
{
	const struct session *session = shards->session;
	const struct shard *shard = &shards->items[shards->n_reported];
	struct worker_position position = { 0 };
	uint64_t done = 0, total = 0;

	if (shards->n_reported >= shards->n_opened)
		return;
	if (session->on_position)
		session->on_position(session->context, shard->ledger.index, shard->position.target);
	if (!session->on_work)
		return;
	if (!shard->is_over && shard->phase == SHARD_RUNNING) {
		channel_work(&shard->worker.channel, &done, &total);
		channel_position(&shard->worker.channel, &position);
	}
	session->on_work(session->context, position.step, done, total);
}

static int poll_shards(
	struct shard_list *shards, const struct worker_options *options, struct err *err)
{
	for (size_t i = shards->n_reported; i < shards->n_opened; i++) {
		struct shard *shard = &shards->items[i];

		if (shard->is_over || shard->waits)
			continue;
		if (!shard_poll(shard, options, err)) {
			shards->n_running -= shard->is_over;
			continue;
		}
		shards->n_running -= shard->waits;
		if (!can_postpone(shards, shard, err))
			return -1;
	}
	if (!interrupt_signal())
		return report_shards(shards, err);
	return shards->n_running ? 0 : err_set(err, EXIT_TARGET, "interrupted");
}

static int run_shards(struct shard_list *shards, struct worker_options *options, struct err *err)
{
	while (shards->n_reported < shards->n_items) {
		if (!interrupt_signal() && start_shards(shards, options, err))
			return -1;
		wait_for_shards(shards);
		report_work_done(shards);
		if (poll_shards(shards, options, err))
			return -1;
	}
	return 0;
}

static int choose_host(
	const struct session_options *options, struct worker_options *out, struct err *err)
{
	if (options->host == HOST_EMBED && options->wrap)
		return err_set(err, EXIT_USAGE, "--wrap cannot be used with --host embed");
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

/* Mapping a .npy file and listing devices run no user code. */
static bool runs_python(const struct job_modules *modules)
{
	for (size_t i = 0; i < modules->n_items; i++)
		if (modules->items[i]->kind != JOB_MODULE_NPY)
			return true;
	return false;
}

static int prepare_workers(
	const struct session *session, struct worker_options *options, struct err *err)
{
	const char *source = session->options.python_source;

	if (python_find(session->options.python, &options->python, err))
		return source && err->code == EXIT_USAGE ? err_wrap(err, "%s", source) : -1;
	if (choose_host(&session->options, options, err))
		return -1;
	return worker_find_module(options, err);
}

/* Reports for all targets that no worker can be run. */
static int abandon_shards(struct shard_list *shards, const char *reason, struct err *err)
{
	while (shards->n_opened < shards->n_items) {
		struct shard *shard = open_next_shard(shards);

		shard->is_over = true;
		if (ledger_abandon(&shard->ledger, reason, err) || report_shards(shards, err))
			return -1;
	}
	return 0;
}

int session_run(const struct session *session, const struct job *job,
	const struct job_modules *modules, struct err *err)
{
	struct worker_options options = { .start = forkserver_start_worker,
		.runs_python = runs_python(modules) };
	struct shard_list shards = { 0 };
	int status = prepare_workers(session, &options, err);

	if (status && (err->code != EXIT_UNAVAILABLE || !session->options.goes_on))
		goto out;
	init_shards(&shards, session, job, modules);
	if (status) {
		status = abandon_shards(&shards, err->message, err);
		close_shards(&shards);
		goto out;
	}
	interrupt_begin();
	orphans_adopt();
	status = run_shards(&shards, &options, err);
	close_shards(&shards);
	if (options.forkserver)
		forkserver_stop(&shards.server);
	interrupt_end();
out:
	python_free(&options.python);
	free(options.module);
	free(options.bootstrap);
	return status;
}
