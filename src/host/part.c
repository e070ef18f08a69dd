// SPDX-License-Identifier: MIT
/*
 * Watches a part's worker: reads its ring, keeps its time limits, and after a loss starts the next,
 * until the ledger says that all is told.
 */
#include "host/part.h"

#include "base/spool.h"
#include "base/text.h"
#include "base/trace.h"
#include "host/interrupt.h"
#include "host/lost.h"
#include "model/wire.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
	QUIET_MS = 100,
	LATE_MS = 100, /* the most that one look counts: a stopped suai is not the worker's fault */
	ENDING_MS = 2000,   /* for what ends a Python program */
	ABORTING_MS = 1000, /* for faulthandler to show where the worker hangs */
	INTERRUPT_MS = 1000,
	MAX_MESSAGES = 64, /* taken in one look, so that other parts have their turn */
};

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void enter(struct part *part, int phase)
{
	part->phase = phase;
	part->phase_ms = 0;
}

/* --- what is told --- */

static int spool_message(struct part *part, const struct value *message, struct err *err)
{
	struct text wire = { 0 };
	size_t n_bytes;
	int status = 0;

	if (!part->spool)
		part->spool = spool_open(err);
	if (!part->spool)
		return -1;
	wire_write(&wire, message);
	n_bytes = wire.n_bytes;
	if (fwrite(&n_bytes, sizeof(n_bytes), 1, part->spool) != 1 ||
		fwrite(wire.bytes, 1, n_bytes, part->spool) != n_bytes)
		status = err_set(
			err, EXIT_USAGE, "cannot write a temporary file: %s", strerror(errno));
	text_free(&wire);
	if (!status && part->session->on_waiting)
		part->session->on_waiting(part->session->context, message, 1);
	return status;
}

static int receive(void *context, const struct value *message, struct err *err)
{
	struct part *part = context;

	if (!part->is_first)
		return spool_message(part, message, err);
	return part->session->on_message(part->session->context, message, err);
}

static int tell_record(struct part *part, struct text *wire, size_t n_bytes, struct err *err)
{
	const struct session *session = part->session;
	struct arena arena = { 0 };
	const struct value *message = wire_read(&arena, wire->bytes, n_bytes, err);
	int status = -1;

	if (message && session->on_waiting)
		session->on_waiting(session->context, message, -1);
	if (message)
		status = session->on_message(session->context, message, err);
	arena_free(&arena);
	return status;
}

static int tell_spool(struct part *part, struct text *wire, struct err *err)
{
	char block[4096];
	size_t n_bytes;

	if (spool_rewind(part->spool, err))
		return -1;
	while (fread(&n_bytes, sizeof(n_bytes), 1, part->spool) == 1) {
		text_clear(wire);
		while (wire->n_bytes < n_bytes) {
			size_t left = n_bytes - wire->n_bytes;
			size_t n = fread(
				block, 1, left < sizeof(block) ? left : sizeof(block), part->spool);

			if (!n)
				return err_set(err, EXIT_USAGE, "cannot read a temporary file: %s",
					strerror(errno));
			text_add_bytes(wire, block, n);
		}
		if (interrupt_signal())
			return err_set(err, EXIT_TARGET, "interrupted");
		if (tell_record(part, wire, n_bytes, err))
			return -1;
	}
	return 0;
}

int part_tell(struct part *part, struct err *err)
{
	struct text wire = { 0 };
	int status = part->spool ? tell_spool(part, &wire, err) : 0;

	text_free(&wire);
	if (part->spool)
		fclose(part->spool);
	part->spool = NULL;
	part->is_first = true;
	return status;
}

/* --- the worker --- */

static int take_message(
	struct part *part, struct arena *arena, struct value *message, struct err *err)
{
	const struct value *kind = value_get(message, "kind");
	const struct value *python = value_get(message, "python");

	if (value_is_text(kind, "hello")) {
		part->hello = true;
		TRACE("host", "hello from %s, %s",
			value_text_or(value_get(python, "executable"), "?"),
			value_text_or(value_get(python, "version"), "?"));
	} else if (value_is_text(kind, "done")) {
		part->done = true;
		enter(part, PART_ENDING);
		return ledger_finish(&part->ledger, err);
	} else if (!part->done) {
		return ledger_take(&part->ledger, arena, message, err);
	}
	return 0;
}

/* Takes messages that are there, all of them where the worker has ended. Returns how many, or -1
 * with err set. */
static int drain(struct part *part, bool ended, struct err *err)
{
	struct arena arena = { 0 };
	struct value *message;
	struct err why;
	int n = 0, status = 0;

	while (!status && !part->broken[0] && (ended || n < MAX_MESSAGES)) {
		enum channel_outcome outcome =
			channel_read(&part->worker.channel, &arena, &message, &why);

		if (outcome == CHANNEL_EMPTY)
			break;
		if (outcome == CHANNEL_BROKEN) {
			snprintf(part->broken, sizeof(part->broken), "%.255s", why.message);
			worker_signal(&part->worker, SIGKILL);
		} else {
			status = take_message(part, &arena, message, err);
			n++;
		}
		arena_free(&arena);
	}
	return status ? -1 : n;
}

/* Whether a long copy went on since the last look. */
static bool goes_on(struct part *part)
{
	uint64_t done, total, was = part->done_bytes;

	channel_work(&part->worker.channel, &done, &total);
	part->done_bytes = done;
	return total && done != was;
}

/* Counts the time since the last look; a new place begins a new time, and so does a step of a copy.
 */
static void count_time(struct part *part)
{
	int64_t now = now_ms(), passed = now - part->last_ms;
	uint32_t visits = part->place.visits;

	part->last_ms = now;
	part->phase_ms += passed > LATE_MS ? LATE_MS : passed;
	if (channel_place(&part->worker.channel, &part->place) && part->phase == PART_RUNNING &&
		(visits != part->place.visits || goes_on(part)))
		part->phase_ms = 0;
}

static void check_limits(struct part *part)
{
	double limit_ms = part->session->options.timeout_seconds * 1000;

	if (part->phase == PART_RUNNING && limit_ms > 0 && (double)part->phase_ms >= limit_ms) {
		part->hung = true;
		worker_signal(&part->worker, SIGABRT);
		enter(part, PART_ABORTING);
	} else if (part->phase == PART_ABORTING && part->phase_ms >= ABORTING_MS) {
		worker_signal(&part->worker, SIGKILL);
	} else if (part->phase == PART_ENDING && part->phase_ms >= ENDING_MS) {
		TRACE("host", "the worker does not end: killed");
		worker_signal(&part->worker, SIGKILL);
	} else if (part->phase == PART_INTERRUPTED &&
		   (part->phase_ms >= INTERRUPT_MS || interrupt_count() > 1)) {
		worker_signal(&part->worker, SIGKILL);
	}
}

/* ^C reaches suai's process group, and is passed on to the worker's; a signal sent to suai only is
 * passed on to the worker only. A worker that shares suai's terminal (worker.h) has ^C already.
 * Whoever reads our output went away: the worker does not know SIGPIPE for an end. */
static void check_interrupt(struct part *part)
{
	int signal = interrupt_signal();

	if (!signal || part->phase == PART_INTERRUPTED)
		return;
	channel_stop(&part->worker.channel);
	if (interrupt_is_from_terminal())
		worker_signal_group(&part->worker, signal);
	else
		worker_signal(&part->worker, signal == SIGPIPE ? SIGTERM : signal);
	enter(part, PART_INTERRUPTED);
}

/* The worker ended: what that means for what it had to do. */
static int settle(struct part *part, const struct worker_options *options, struct err *err)
{
	struct ledger *ledger = &part->ledger;

	if ((!part->hello || !ledger->module) && channel_has_no_memory(&part->worker.channel))
		return err_set(err, EXIT_BUG, "out of memory");
	if (!part->hello && !part->broken[0])
		return lost_at_start(part, options, err);
	if (part->done)
		return 0;
	if (ledger->module)
		return lost_at_work(part, err);
	return err_set(err, EXIT_UNAVAILABLE, "the worker was lost at step '%s'", part->place.step);
}

int part_start(struct part *part, const struct worker_options *options, struct err *err)
{
	struct arena arena = { 0 };
	const struct value *job = ledger_next_job(&part->ledger, &arena);
	int status = 0;

	part->is_over = !job;
	part->hello = part->done = part->hung = part->is_quiet = false;
	part->broken[0] = '\0';
	part->place = (struct channel_place){ .target = -1 };
	enter(part, job ? PART_RUNNING : PART_IDLE);
	if (job)
		status = worker_start(&part->worker, options, job, err);
	part->last_ms = now_ms();
	arena_free(&arena);
	return status;
}

int part_look(struct part *part, const struct worker_options *options, struct err *err)
{
	bool ended = worker_has_ended(&part->worker);
	/* What is told next may have been cut short by the signal: a session within this one. */
	int n = interrupt_signal() ? 0 : drain(part, ended, err);

	if (n < 0 && !interrupt_signal())
		return -1;
	count_time(part);
	check_interrupt(part);
	check_limits(part);
	part->is_quiet = n <= 0 && part->phase_ms >= QUIET_MS;
	if (!ended)
		return 0;
	part->is_over = interrupt_signal() != 0;
	if (!part->is_over && settle(part, options, err)) {
		if (err->code != EXIT_UNAVAILABLE || !part->session->options.goes_on)
			return -1;
		part->is_over = true;
		if (ledger_abandon(&part->ledger, err->message, err))
			return -1;
	}
	worker_stop(&part->worker);
	return part->is_over ? 0 : part_start(part, options, err);
}

void part_open(
	struct part *part, const struct session *session, const struct value *job, size_t index)
{
	*part = (struct part){ .session = session,
		.worker = { .pidfd = -1, .channel = { .fd = -1 } } };
	part->receiving = (struct session){ .on_message = receive, .context = part };
	ledger_open(&part->ledger, &part->receiving, job, index);
}

void part_close(struct part *part)
{
	worker_stop(&part->worker);
	ledger_close(&part->ledger);
	if (part->spool)
		fclose(part->spool);
	part->spool = NULL;
}
