// SPDX-License-Identifier: MIT
/*
 * The loop of a session: start a worker, read its ring, keep its time limits, and after a loss
 * start the next, until the ledger says that all is told.
 */
#include "host/session.h"

#include "base/trace.h"
#include "host/find_python.h"
#include "host/interrupt.h"
#include "host/ledger.h"
#include "host/orphans.h"
#include "host/worker.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

enum {
	SHORT_WAIT_MS = 5, /* between looks at the ring while messages come */
	LONG_WAIT_MS = 50, /* and once nothing came for QUIET_MS */
	QUIET_MS = 100,
	LATE_MS = 100, /* the most that one look counts: a stopped suai is not the worker's fault */
	ENDING_MS = 2000,   /* for what ends a Python program */
	ABORTING_MS = 1000, /* for faulthandler to show where the worker hangs */
	INTERRUPT_MS = 1000,
};

/* One worker under watch. */
struct watch {
	const struct session *session;
	struct ledger *ledger;
	struct worker worker;
	enum { WATCH_RUNNING, WATCH_ENDING, WATCH_ABORTING, WATCH_INTERRUPTED } phase;
	bool hello, done, ended;
	bool hung;                  /* its time was up */
	char broken[256];           /* the channel was written over: how */
	struct channel_place place; /* where it was last */
	int64_t last_ms, phase_ms;  /* the latest look, and the time counted in this phase */
};

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void enter(struct watch *watch, int phase)
{
	watch->phase = phase;
	watch->phase_ms = 0;
}

static int take_message(
	struct watch *watch, struct arena *arena, struct value *message, struct err *err)
{
	const struct value *kind = value_get(message, "kind");
	const struct value *python = value_get(message, "python");

	if (value_is_text(kind, "hello")) {
		watch->hello = true;
		TRACE("host", "hello from %s, %s",
			value_text_or(value_get(python, "executable"), "?"),
			value_text_or(value_get(python, "version"), "?"));
	} else if (value_is_text(kind, "done")) {
		watch->done = true;
		enter(watch, WATCH_ENDING);
		return ledger_finish(watch->ledger, err);
	} else if (!watch->done) {
		return ledger_take(watch->ledger, arena, message, err);
	}
	return 0;
}

/* Takes all messages that are there. Returns how many, or -1 with err set. */
static int drain(struct watch *watch, struct err *err)
{
	struct arena arena = { 0 };
	struct value *message;
	struct err why;
	int n = 0, status = 0;

	while (!status && !watch->broken[0]) {
		enum channel_outcome outcome =
			channel_read(&watch->worker.channel, &arena, &message, &why);

		if (outcome == CHANNEL_EMPTY)
			break;
		if (outcome == CHANNEL_BROKEN) {
			snprintf(watch->broken, sizeof(watch->broken), "%.255s", why.message);
			worker_signal(&watch->worker, SIGKILL);
		} else {
			status = take_message(watch, &arena, message, err);
			n++;
		}
		arena_free(&arena);
	}
	return status ? -1 : n;
}

/* Counts the time since the last look; a new place begins a new time. */
static void count_time(struct watch *watch)
{
	int64_t now = now_ms(), passed = now - watch->last_ms;
	uint32_t visits = watch->place.visits;

	watch->last_ms = now;
	watch->phase_ms += passed > LATE_MS ? LATE_MS : passed;
	if (channel_place(&watch->worker.channel, &watch->place) && watch->phase == WATCH_RUNNING &&
		visits != watch->place.visits)
		watch->phase_ms = 0;
}

static void check_limits(struct watch *watch)
{
	double limit_ms = watch->session->options.timeout_seconds * 1000;

	if (watch->phase == WATCH_RUNNING && watch->ledger->wants_new_worker) {
		channel_stop(&watch->worker.channel);
		enter(watch, WATCH_ENDING);
	} else if (watch->phase == WATCH_RUNNING && limit_ms > 0 &&
		   (double)watch->phase_ms >= limit_ms) {
		watch->hung = true;
		worker_signal(&watch->worker, SIGABRT);
		enter(watch, WATCH_ABORTING);
	} else if (watch->phase == WATCH_ABORTING && watch->phase_ms >= ABORTING_MS) {
		worker_signal(&watch->worker, SIGKILL);
	} else if (watch->phase == WATCH_ENDING && watch->phase_ms >= ENDING_MS) {
		TRACE("host", "the worker does not end: killed");
		worker_signal(&watch->worker, SIGKILL);
	} else if (watch->phase == WATCH_INTERRUPTED &&
		   (watch->phase_ms >= INTERRUPT_MS || interrupt_count() > 1)) {
		worker_signal(&watch->worker, SIGKILL);
	}
}

/* ^C reaches the worker from the terminal; a signal sent to suai alone is passed on. Whoever reads
 * our output went away: the worker does not know SIGPIPE for an end. */
static void check_interrupt(struct watch *watch)
{
	int signal = interrupt_signal();

	if (!signal || watch->phase == WATCH_INTERRUPTED)
		return;
	channel_stop(&watch->worker.channel);
	if (!interrupt_is_from_terminal())
		worker_signal(&watch->worker, signal == SIGPIPE ? SIGTERM : signal);
	enter(watch, WATCH_INTERRUPTED);
}

/* Until the worker's end. Fails when a message's receiver does, or on an interrupt. */
static int watch_worker(struct watch *watch, struct err *err)
{
	int wait_ms = SHORT_WAIT_MS, n;

	watch->last_ms = now_ms();
	while (!watch->ended) {
		watch->ended = worker_wait(&watch->worker, wait_ms);
		n = drain(watch, err);
		if (n < 0 && !interrupt_signal())
			return -1;
		count_time(watch);
		check_interrupt(watch);
		check_limits(watch);
		wait_ms = n || watch->phase_ms < QUIET_MS ? SHORT_WAIT_MS : LONG_WAIT_MS;
	}
	if (interrupt_signal())
		return err_set(err, EXIT_TARGET, "interrupted");
	return 0;
}

/* "killed by SIGSEGV", "left with exit status 0". */
static void describe_end(const struct watch *watch, char *out, size_t n_chars)
{
	int status = watch->worker.status;
	const char *name = WIFSIGNALED(status) ? sigabbrev_np(WTERMSIG(status)) : NULL;

	if (name)
		snprintf(out, n_chars, "killed by SIG%s", name);
	else if (WIFSIGNALED(status))
		snprintf(out, n_chars, "killed by signal %d", WTERMSIG(status));
	else
		snprintf(out, n_chars, "left with exit status %d", WEXITSTATUS(status));
}

static int lose_worker(struct watch *watch, struct err *err)
{
	struct loss loss = { .status = "crashed", .place = watch->place };
	char end[64], message[512];

	describe_end(watch, end, sizeof(end));
	loss.message = message;
	snprintf(message, sizeof(message), "%s", end);
	if (watch->broken[0]) {
		snprintf(message, sizeof(message), "%s", watch->broken);
	} else if (watch->hung) {
		loss.status = "hung";
		snprintf(message, sizeof(message), "no end after %g s",
			watch->session->options.timeout_seconds);
	} else if (channel_has_no_memory(&watch->worker.channel)) {
		snprintf(message, sizeof(message), "out of memory");
	} else if (WIFEXITED(watch->worker.status)) {
		loss.status = "left";
		snprintf(message, sizeof(message), "the process %s (os._exit, exit in C, or exec)",
			end);
	}
	if (!loss.place.in_step && *loss.place.step)
		snprintf(message + strlen(message), sizeof(message) - strlen(message),
			", after this step");
	TRACE("host", "lost at %d.%d '%s': %s", loss.place.module, loss.place.target,
		loss.place.step, message);
	return ledger_lose(watch->ledger, &loss, err);
}

/* Python never came as far as the module. */
static int fail_start(
	const struct watch *watch, const struct worker_options *options, struct err *err)
{
	char refusal[CHANNEL_REFUSAL_CHARS], end[64];

	channel_refusal(&watch->worker.channel, refusal);
	describe_end(watch, end, sizeof(end));
	if (*refusal)
		return err_set(err, EXIT_UNAVAILABLE, "cannot use python '%s': %s",
			options->python.executable, refusal);
	if (watch->hung)
		return err_set(err, EXIT_UNAVAILABLE,
			"cannot use python '%s': no start within %g s", options->python.executable,
			watch->session->options.timeout_seconds);
	if (options->wrap)
		return err_set(err, EXIT_UNAVAILABLE,
			"cannot run python under '%s': it %s before suai's module was loaded",
			options->wrap, end);
	return err_set(err, EXIT_UNAVAILABLE,
		"cannot use python '%s': it %s before suai's module was loaded",
		options->python.executable, end);
}

static int run_worker(struct watch *watch, const struct worker_options *options,
	const struct value *job, struct err *err)
{
	int status = -1;

	if (worker_start(&watch->worker, options, job, err) || watch_worker(watch, err))
		goto out;
	if ((!watch->hello || !watch->ledger->n_modules) &&
		channel_has_no_memory(&watch->worker.channel))
		status = err_set(err, EXIT_BUG, "out of memory");
	else if (!watch->hello && !watch->broken[0])
		status = fail_start(watch, options, err);
	else if (watch->done || watch->ledger->wants_new_worker)
		status = 0;
	else if (watch->ledger->n_modules)
		status = lose_worker(watch, err);
	else
		status = err_set(err, EXIT_UNAVAILABLE, "the worker was lost at step '%s'",
			watch->place.step);
out:
	worker_stop(&watch->worker);
	return status;
}

static int run_workers(struct ledger *ledger, const struct session *session,
	const struct worker_options *options, struct err *err)
{
	const struct value *job;
	struct arena arena = { 0 };
	int status = 0;

	while (!status && (job = ledger_next_job(ledger, &arena))) {
		struct watch watch = { .session = session,
			.ledger = ledger,
			.place = { .module = -1, .target = -1 } };

		status = run_worker(&watch, options, job, err);
		arena_free(&arena);
	}
	return status;
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
	return 0;
}

int session_run(const struct session *session, const struct value *job, struct err *err)
{
	struct worker_options options = { 0 };
	struct ledger ledger;
	int status = -1;

	ledger_open(&ledger, session, job);
	if (python_find(session->options.python, &options.python, err) ||
		choose_host(&session->options, &options, err) ||
		worker_find_module(&options.module, err))
		goto out;
	interrupt_begin();
	orphans_adopt();
	status = run_workers(&ledger, session, &options, err);
	interrupt_end();
out:
	ledger_close(&ledger);
	python_free(&options.python);
	free(options.module);
	return status;
}
