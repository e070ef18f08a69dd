// SPDX-License-Identifier: MIT
/*
 * Watches a part's worker: reads its ring, keeps its time limits, and after a loss starts the next,
 * until the ledger says that all is told.
 */
#include "supervisor/shard.h"

#include "base/spool.h"
#include "base/text.h"
#include "base/trace.h"
#include "model/wire.h"
#include "supervisor/interrupt.h"
#include "supervisor/worker_exit.h"

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
	GRACE_MS = 1000,   /* at most, for a step, when the time limit of its target is used up */
	MAX_MESSAGES = 64, /* taken in one look, so that other parts have their turn */
};

/* The part of the time limit that a step which hangs has taken itself. */
#define NEARLY_ALL 0.75

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

/* The worker is at another place. A later worker's import for a target, and its return there, count
 * for the target; another target, and a step of a trial, begin a new time. */
static void begin_visit(struct part *part, int32_t was_at)
{
	int32_t target = part->place.target;
	bool imports_again = target < 0 && part->ledger.n_losses;
	bool returns = target >= 0 && target == part->timed_target && target != was_at;

	if (!imports_again && !returns)
		part->spent_ms = 0;
	if (target >= 0)
		part->timed_target = target;
	part->half_time = part->no_time = false;
}

/* Counts the time since the last look; a part of a long copy begins a new time. */
static void count_time(struct part *part)
{
	int64_t now = now_ms(), passed = now - part->last_ms;
	struct channel_place was = part->place;

	passed = passed > LATE_MS ? LATE_MS : passed;
	part->last_ms = now;
	part->phase_ms += passed;
	if (part->phase != PART_RUNNING)
		return;
	part->spent_ms += passed;
	part->step_ms += passed;
	if (!channel_place(&part->worker.channel, &part->place))
		return;
	if (was.visits != part->place.visits)
		begin_visit(part, was.target);
	if (was.sequence != part->place.sequence)
		part->step_ms = 0;
	if (goes_on(part))
		part->spent_ms = part->step_ms = 0;
}

static void tell_time(struct part *part, double limit_ms)
{
	if (!part->half_time && (double)part->spent_ms >= limit_ms / 2) {
		channel_halve_time(&part->worker.channel, part->place.visits);
		part->half_time = true;
	}
	if (!part->no_time && (double)part->spent_ms >= limit_ms) {
		channel_end_time(&part->worker.channel, part->place.visits);
		part->no_time = true;
	}
}

/*
 * The worker is told that nothing more is to be begun when the time is used up. A step that took
 * nearly all of the time itself hangs. One that began later is not to blame: it has a moment to
 * end, where all was read before, and else as long as one that has all of the time.
 */
static bool is_time_over(struct part *part)
{
	double limit_ms = part->session->options.timeout_seconds * 1000;
	double grace_ms = limit_ms / 4 < GRACE_MS ? limit_ms / 4 : GRACE_MS;

	if (part->phase != PART_RUNNING || limit_ms <= 0)
		return false;
	tell_time(part, limit_ms);
	if ((double)part->spent_ms < limit_ms)
		return false;
	if (part->place.target < 0 || (double)part->step_ms >= limit_ms * NEARLY_ALL)
		return true;
	part->cut = part->place.all_read && (double)part->spent_ms >= limit_ms + grace_ms;
	return part->cut || (double)part->spent_ms >= limit_ms * 2;
}

static void check_limits(struct part *part)
{
	if (is_time_over(part)) {
		part->hung = true;
		worker_signal(&part->worker, part->cut ? SIGKILL : SIGABRT);
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
	/* A worker that follows a lost one may have little time left for its start. */
	if (!part->hello && !part->broken[0] && !(part->hung && ledger->n_losses))
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
	part->hello = part->done = part->hung = part->cut = part->is_quiet = false;
	part->broken[0] = '\0';
	part->place = (struct channel_place){ .target = -1 };
	part->half_time = part->no_time = false;
	part->step_ms = 0;
	if (!part->ledger.n_losses)
		part->spent_ms = 0;
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
	/* After a signal no result is passed on: it may tell of the signal. */
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
		.timed_target = -1,
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
