// SPDX-License-Identifier: MIT
/*
 * Monitors a shard's worker: reads its ring, enforces its time limits, and if it ends early starts
 * the next, until the ledger has reported all.
 */
#include "supervisor/shard.h"

#include "base/array_size.h"
#include "base/clock.h"
#include "base/debug.h"
#include "base/signal_name.h"
#include "base/spool.h"
#include "base/text.h"
#include "model/wire.h"
#include "supervisor/interrupt.h"
#include "supervisor/stack.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	QUIET_MS = 100,
	LATE_MS = 100, /* the most that one poll counts: the time in which suai was stopped must not
			  count */
	ENDING_MS = 2000,   /* for the finalization of Python */
	ABORTING_MS = 1000, /* for faulthandler to show where the worker hangs */
	INTERRUPT_MS = 1000,
	GRACE_MS = 1000,   /* at most, for a step, after the time limit of its target */
	MAX_MESSAGES = 64, /* read in one poll, so that other shards have their turn */
};

/* The fraction of the time limit after which a step counts as hung. */
#define NEARLY_ALL 0.75

static void enter_phase(struct shard *shard, int phase)
{
	shard->phase = phase;
	shard->phase_ms = 0;
}

/* --- reports --- */

static int spool_message(struct shard *shard, const struct message *message, struct err *err)
{
	struct text wire = { 0 };
	int status;

	if (!shard->spool)
		shard->spool = spool_open(err);
	if (!shard->spool)
		return -1;
	message_write(&wire, message);
	status = spool_write_record(shard->spool, wire.bytes, wire.n_bytes, err);
	text_free(&wire);
	if (!status && shard->session->on_waiting && message->kind == MESSAGE_TARGET)
		shard->session->on_waiting(shard->session->context, 1);
	return status;
}

static int receive(void *context, struct arena *arena, struct message *message, struct err *err)
{
	struct shard *shard = context;

	if (!shard->has_turn)
		return spool_message(shard, message, err);
	return shard->session->on_message(shard->session->context, arena, message, err);
}

static int report_record(struct shard *shard, const struct text *wire, struct err *err)
{
	const struct session *session = shard->session;
	struct arena arena = { 0 };
	const struct value *value = wire_read(&arena, wire->bytes, wire->n_bytes, err);
	struct message message;
	int status = value ? message_read(&arena, value, &message, err) : -1;

	if (!status && session->on_waiting && message.kind == MESSAGE_TARGET)
		session->on_waiting(session->context, -1);
	if (!status)
		status = session->on_message(session->context, &arena, &message, err);
	arena_free(&arena);
	return status;
}

static int report_spool(struct shard *shard, struct text *wire, struct err *err)
{
	int status;

	if (spool_rewind(shard->spool, err))
		return -1;
	while ((status = spool_read_record(shard->spool, wire, err)) > 0) {
		if (interrupt_signal())
			return err_set(err, EXIT_TARGET, "interrupted");
		if (report_record(shard, wire, err))
			return -1;
	}
	return status;
}

int shard_report(struct shard *shard, struct err *err)
{
	struct text wire = { 0 };
	int status = shard->spool ? report_spool(shard, &wire, err) : 0;

	text_free(&wire);
	if (shard->spool)
		fclose(shard->spool);
	shard->spool = NULL;
	shard->has_turn = true;
	return status;
}

/* --- the worker --- */

static int report_lost_fork(struct shard *shard, const struct worker_options *options,
	const struct fact_lost_fork *lost, struct err *err);

/* Takes the arena, which holds the message, and leaves it empty. */
static int take_message(struct shard *shard, const struct worker_options *options,
	struct arena *arena, struct message *message, struct err *err)
{
	const struct fact_python *python = &message->hello.python;

	if (message->kind == MESSAGE_HELLO) {
		shard->hello = true;
		DEBUG_LOG("supervisor", "hello from %s, %s",
			python->executable ? python->executable : "?",
			python->version ? python->version : "?");
	} else if (message->kind == MESSAGE_DONE) {
		shard->done = true;
		enter_phase(shard, SHARD_ENDING);
		return ledger_finish(&shard->ledger, err);
	} else if (message->kind == MESSAGE_LOST && !shard->done && shard->ledger.module) {
		return report_lost_fork(shard, options, &message->lost, err);
	} else if (!shard->done) {
		return ledger_take(&shard->ledger, arena, message, err);
	}
	return 0;
}

/* Reads the available messages, all of them if the worker has ended. Returns how many, or -1 with
 * err set. */
static int drain(
	struct shard *shard, const struct worker_options *options, bool ended, struct err *err)
{
	struct arena arena = { 0 };
	struct message message;
	struct value *value;
	struct err why;
	int n = 0, status = 0;

	while (!status && !shard->broken[0] && (ended || n < MAX_MESSAGES)) {
		enum channel_outcome outcome =
			channel_read(&shard->worker.channel, &arena, &value, &why);

		if (outcome == CHANNEL_EMPTY)
			break;
		if (outcome == CHANNEL_BROKEN || message_read(&arena, value, &message, &why)) {
			snprintf(shard->broken, sizeof(shard->broken), "%.255s", why.message);
			worker_signal(&shard->worker, SIGKILL);
		} else {
			status = take_message(shard, options, &arena, &message, err);
			n++;
		}
		arena_free(&arena);
	}
	return status ? -1 : n;
}

/* Whether a long copy made progress since the last poll. */
static bool copy_made_progress(struct shard *shard)
{
	uint64_t done, total, was = shard->done_bytes;

	channel_work(&shard->worker.channel, &done, &total);
	shard->done_bytes = done;
	return total && done != was;
}

/* The worker is at another position. The import of a later worker for a target, and its return to
 * the target, count for the target; another target, and a step of a trial, restart the time. */
static void begin_visit(struct shard *shard, int32_t was_at)
{
	int32_t target = shard->position.target;
	bool imports_again = target < 0 && shard->ledger.n_exits;
	bool returns = target >= 0 && target == shard->timed_target && target != was_at;

	if (!imports_again && !returns)
		shard->spent_ms = 0;
	if (target >= 0)
		shard->timed_target = target;
	shard->half_time = shard->no_time = false;
}

/* Counts the time since the last poll; each block of a long copy restarts the time. */
static void count_time(struct shard *shard)
{
	int64_t now = clock_ms(), passed = now - shard->last_ms;
	struct worker_position was = shard->position;

	passed = passed > LATE_MS ? LATE_MS : passed;
	shard->last_ms = now;
	shard->phase_ms += passed;
	if (shard->phase != SHARD_RUNNING)
		return;
	shard->spent_ms += passed;
	shard->step_ms += passed;
	if (!channel_position(&shard->worker.channel, &shard->position))
		return;
	if (was.visits != shard->position.visits)
		begin_visit(shard, was.target);
	if (was.sequence != shard->position.sequence)
		shard->step_ms = 0;
	if (copy_made_progress(shard))
		shard->spent_ms = shard->step_ms = 0;
}

static void report_time_used(struct shard *shard, double limit_ms)
{
	if (!shard->half_time && (double)shard->spent_ms >= limit_ms / 2) {
		channel_halve_time(&shard->worker.channel, shard->position.visits);
		shard->half_time = true;
	}
	if (!shard->no_time && (double)shard->spent_ms >= limit_ms) {
		channel_end_time(&shard->worker.channel, shard->position.visits);
		shard->no_time = true;
	}
}

/* How many processes share a core, at least 1. A step takes longer by this factor. */
static int processes_per_core(void)
{
	const long n_cores = sysconf(_SC_NPROCESSORS_ONLN);
	double load;

	if (getloadavg(&load, 1) != 1 || n_cores < 1 || load <= (double)n_cores)
		return 1;
	return (int)(load / (double)n_cores) + 1;
}

/* The time limit of the import or the target that is under way. */
static double time_limit_ms(const struct shard *shard)
{
	const struct session_options *options = &shard->session->options;
	double limit_ms = options->timeout_seconds * 1000;
	double step_ms = options->step_timeout_seconds * 1000;

	if (shard->position.target < 0 || step_ms <= 0 || step_ms >= limit_ms)
		return limit_ms;
	if (options->step_timeout_grows && (double)shard->spent_ms >= step_ms)
		step_ms *= processes_per_core();
	return step_ms < limit_ms ? step_ms : limit_ms;
}

/*
 * Whether the worker must be ended. At the time limit it is signalled to start no further steps. A
 * step that took nearly all of the time counts as hung. A step that started later may continue: for
 * a grace period if everything was read before, otherwise until twice the limit.
 */
static bool is_time_over(struct shard *shard)
{
	double limit_ms = time_limit_ms(shard);
	double grace_ms = limit_ms / 4 < GRACE_MS ? limit_ms / 4 : GRACE_MS;

	if (shard->phase != SHARD_RUNNING || limit_ms <= 0)
		return false;
	shard->limit_ms = limit_ms;
	report_time_used(shard, limit_ms);
	if ((double)shard->spent_ms < limit_ms)
		return false;
	if (shard->position.target < 0 || (double)shard->step_ms >= limit_ms * NEARLY_ALL)
		return true;
	shard->cut = shard->position.all_read && (double)shard->spent_ms >= limit_ms + grace_ms;
	return shard->cut || (double)shard->spent_ms >= limit_ms * 2;
}

/* Whether a worker that sent its last message must be killed: after ENDING_MS or, in MPI_Finalize,
 * which waits for other ranks, after the time limit of a target. */
static bool is_end_over(struct shard *shard)
{
	double limit_ms = shard->session->options.timeout_seconds * 1000;
	struct worker_position position = { 0 };

	if (shard->phase != SHARD_ENDING || shard->phase_ms < ENDING_MS)
		return false;
	channel_position(&shard->worker.channel, &position);
	if (!position.in_step || strcmp(position.step, CHANNEL_FINALIZE_STEP) != 0)
		return true;
	shard->finalize_hung = limit_ms > 0 && (double)shard->phase_ms >= limit_ms;
	return shard->finalize_hung;
}

static void check_limits(struct shard *shard)
{
	if (is_time_over(shard)) {
		shard->hung = true;
		worker_signal(&shard->worker, shard->cut ? SIGKILL : SIGABRT);
		enter_phase(shard, SHARD_ABORTING);
	} else if (shard->phase == SHARD_ABORTING && shard->phase_ms >= ABORTING_MS) {
		worker_signal(&shard->worker, SIGKILL);
	} else if (is_end_over(shard)) {
		DEBUG_LOG("supervisor", "the worker does not exit and is killed");
		worker_signal(&shard->worker, SIGKILL);
	} else if (shard->phase == SHARD_INTERRUPTED &&
		   (shard->phase_ms >= INTERRUPT_MS || interrupt_count() > 1)) {
		worker_signal(&shard->worker, SIGKILL);
	}
}

/* ^C reaches suai's process group, and is passed on to the worker's; a signal sent only to suai is
 * passed on only to the worker. A worker that shares suai's terminal (worker.h) received ^C
 * already. SIGPIPE, from a closed output, becomes SIGTERM, since Python ignores SIGPIPE. */
static void check_interrupt(struct shard *shard)
{
	int signal = interrupt_signal();

	if (!signal || shard->phase == SHARD_INTERRUPTED)
		return;
	channel_stop(&shard->worker.channel);
	if (interrupt_is_from_terminal())
		worker_signal_group(&shard->worker, signal);
	else
		worker_signal(&shard->worker, signal == SIGPIPE ? SIGTERM : signal);
	enter_phase(shard, SHARD_INTERRUPTED);
}

/* --- the end of the worker --- */

/* Describes how the worker ended: "killed by SIGSEGV", "exited with status 0". */
static void describe_end(const struct shard *shard, char *out, size_t n_chars)
{
	int status = shard->worker.status;
	char name[SIGNAL_NAME_BYTES];

	if (WIFSIGNALED(status))
		snprintf(out, n_chars, KILLED_BY "%s", signal_name(WTERMSIG(status), name));
	else
		snprintf(out, n_chars, "exited with status %d", WEXITSTATUS(status));
}

/* Replaces what next has, but extends the lists of what was read, unless next has all of it. */
static void merge_draft(struct arena *arena, struct fact_draft *into, const struct fact_draft *next)
{
	if (!into->present) {
		*into = *next;
		return;
	}
	into->type = next->type ? next->type : into->type;
	into->mro = next->mro.known ? next->mro : into->mro;
	into->aliases = next->aliases.known ? next->aliases : into->aliases;
	into->source = next->source.present ? next->source : into->source;
	into->ignores = next->ignores.known ? next->ignores : into->ignores;
	if (next->whole == ANSWER_YES) {
		into->interfaces = next->interfaces;
		into->calls = next->calls;
		into->planned = next->planned;
		return;
	}
	fact_list_extend(
		arena, &into->interfaces, &next->interfaces, sizeof(*into->interfaces.items));
	FACT_LIST_EXTEND(arena, &into->calls, &next->calls);
	FACT_LIST_EXTEND(arena, &into->planned, &next->planned);
}

/* Reads the drafts of the target that the worker left, merged, into the arena. */
static struct fact_draft read_drafts(struct shard *shard, struct arena *arena)
{
	struct fact_draft merged = { 0 }, draft;
	struct value *value;
	uint64_t offset = 0;
	struct err ignored;

	while (channel_read_draft(&shard->worker.channel, &offset, arena, &value))
		if (!fact_read(&fact_draft_record, arena, value, FACT_WIRE, NULL, &draft, &ignored))
			merge_draft(arena, &merged, &draft);
	return merged;
}

/* Reports to the ledger that the worker, or a process that it forked, crashed, hung or exited after
 * its start. stack: NULL if it is still in the channel. */
static int report_worker_exit(struct shard *shard, const struct worker_options *options,
	const char *stack, struct err *err)
{
	double limit_seconds = shard->limit_ms / 1000;
	struct worker_exit worker_exit = { .status = STATUS_CRASHED,
		.position = shard->position,
		.spent_ms = shard->spent_ms,
		.no_time = shard->hung && !shard->broken[0] };
	struct arena stack_arena = { 0 };
	char end[64], message[512];
	int status;

	describe_end(shard, end, sizeof(end));
	worker_exit.message = message;
	snprintf(message, sizeof(message), "%s", end);
	if (shard->broken[0]) {
		snprintf(message, sizeof(message), "%s", shard->broken);
	} else if (shard->cut) {
		worker_exit.status = STATUS_OK;
	} else if (shard->hung) {
		worker_exit.status = STATUS_HUNG;
		snprintf(message, sizeof(message),
			(double)shard->step_ms >= NEARLY_ALL * limit_seconds * 1000
				? "timed out after %g s"
				: "the time limit of %g s for the target was reached in this step",
			limit_seconds);
	} else if (channel_has_no_memory(&shard->worker.channel)) {
		snprintf(message, sizeof(message), "out of memory");
	} else if (WIFEXITED(shard->worker.status)) {
		worker_exit.status = STATUS_LEFT;
		snprintf(message, sizeof(message), "the process %s (os._exit, exit in C, or exec)",
			end);
	}
	if (!worker_exit.position.in_step && *worker_exit.position.step)
		snprintf(message + strlen(message), sizeof(message) - strlen(message),
			", after this step");
	if (!shard->broken[0])
		worker_exit.draft = read_drafts(shard, &worker_exit.draft_arena);
	if (!shard->broken[0] && !shard->cut)
		worker_exit.stack = stack_tidy(&stack_arena,
			stack ? stack : channel_stack(&shard->worker.channel, &stack_arena),
			options->bootstrap, shard->hung);
	DEBUG_LOG("supervisor", "worker ended at %zu.%d '%s': %s", shard->ledger.index,
		worker_exit.position.target, worker_exit.position.step, message);
	status = ledger_worker_exited(&shard->ledger, &worker_exit, err);
	arena_free(&worker_exit.draft_arena);
	arena_free(&stack_arena);
	return status;
}

/* A process that the worker forked for a trial ended early; the worker goes on. */
static int report_lost_fork(struct shard *shard, const struct worker_options *options,
	const struct fact_lost_fork *lost, struct err *err)
{
	const struct worker_position position = shard->position;
	int status;

	shard->position.target = (int32_t)fact_int_or(lost->target, -1);
	shard->position.in_step = lost->in_step == ANSWER_YES;
	snprintf(shard->position.step, sizeof(shard->position.step), "%s",
		fact_text_or(lost->step, ""));
	shard->worker.status = (int)fact_int_or(lost->wait_status, 0);
	status = report_worker_exit(shard, options, fact_text_or(lost->stack, ""), err);
	shard->position = position;
	return status;
}

/* Appends the file in PYTHONPATH that Python loads instead of the package encodings. It is the only
 * package outside of the interpreter that Python requires to start. */
static void add_shadowing(struct err *err)
{
	static const char *const names[] = { "encodings/__init__.py", "encodings.py" };
	const char *path = getenv("PYTHONPATH");
	size_t used = strlen(err->message);

	for (; path && *path; path += strcspn(path, ":"), path += *path == ':')
		for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
			char file[PATH_MAX];
			int n_chars = snprintf(file, sizeof(file), "%.*s/%s",
				(int)strcspn(path, ":"), path, names[i]);

			if (n_chars >= (int)sizeof(file) || *path == ':' || access(file, R_OK))
				continue;
			snprintf(err->message + used, sizeof(err->message) - used,
				"; PYTHONPATH contains '%s', which replaces a package of Python's standard library",
				file);
			return;
		}
}

/* Python did not load the module: EXIT_UNAVAILABLE, with the reason. Returns -1. */
static int fail_worker_start(
	const struct shard *shard, const struct worker_options *options, struct err *err)
{
	char refusal[CHANNEL_REFUSAL_CHARS], end[64];

	channel_refusal(&shard->worker.channel, refusal);
	describe_end(shard, end, sizeof(end));
	if (*refusal)
		return err_set(err, EXIT_UNAVAILABLE, "cannot use python '%s': %s",
			options->python.executable, refusal);
	if (shard->hung && options->wrap)
		return err_set(err, EXIT_UNAVAILABLE,
			"cannot run python under '%s': suai's module was not loaded within %g s; "
			"--timeout sets the limit",
			options->wrap, shard->session->options.timeout_seconds);
	if (shard->hung)
		return err_set(err, EXIT_UNAVAILABLE,
			"cannot use python '%s': it did not start within %g s; --timeout sets the limit",
			options->python.executable, shard->session->options.timeout_seconds);
	if (options->wrap)
		return err_set(err, EXIT_UNAVAILABLE,
			"cannot run python under '%s': %s before suai's module was loaded",
			options->wrap, end);
	err_set(err, EXIT_UNAVAILABLE, "cannot use python '%s': %s before suai's module was loaded",
		options->python.executable, end);
	add_shadowing(err);
	return -1;
}

/* Handles the end of the worker. */
static int handle_worker_end(
	struct shard *shard, const struct worker_options *options, struct err *err)
{
	struct ledger *ledger = &shard->ledger;
	char end[64];

	if ((!shard->hello || !ledger->module) && channel_has_no_memory(&shard->worker.channel))
		return err_set(err, EXIT_BUG, "out of memory");
	/* A worker that replaces another may have little time left for its start. */
	if (!shard->hello && !shard->broken[0] && !(shard->hung && ledger->n_exits))
		return fail_worker_start(shard, options, err);
	if (shard->finalize_hung)
		return err_set(err, EXIT_TARGET,
			"%s did not return within %g s: other MPI ranks are still running; "
			"--timeout sets the limit",
			CHANNEL_FINALIZE_STEP, shard->session->options.timeout_seconds);
	if (shard->done)
		return 0;
	if (ledger->module)
		return report_worker_exit(shard, options, NULL, err);
	if (shard->hung)
		return err_set(err, EXIT_UNAVAILABLE,
			"step '%s' did not return within %g s; --timeout sets the limit",
			shard->position.step, shard->session->options.timeout_seconds);
	describe_end(shard, end, sizeof(end));
	return err_set(err, EXIT_UNAVAILABLE, "at step '%s' the worker %s%s", shard->position.step,
		WIFSIGNALED(shard->worker.status) ? "was " : "", end);
}

int shard_start(struct shard *shard, const struct worker_options *options, struct err *err)
{
	struct arena arena = { 0 };
	const struct value *job = ledger_next_job(&shard->ledger, &arena);
	int status = 0;

	shard->is_over = !job;
	shard->hello = shard->done = shard->hung = shard->cut = shard->is_quiet = false;
	shard->finalize_hung = false;
	shard->broken[0] = '\0';
	shard->position = (struct worker_position){ .target = -1 };
	shard->half_time = shard->no_time = false;
	shard->step_ms = 0;
	if (!shard->ledger.n_exits)
		shard->spent_ms = 0;
	enter_phase(shard, job ? SHARD_RUNNING : SHARD_IDLE);
	if (job)
		status = options->start(&shard->worker, options, job, err);
	shard->last_ms = clock_ms();
	shard->waits = status != 0;
	if (status) {
		enter_phase(shard, SHARD_IDLE);
		worker_stop(&shard->worker);
	}
	arena_free(&arena);
	return status;
}

int shard_poll(struct shard *shard, const struct worker_options *options, struct err *err)
{
	bool ended = worker_has_ended(&shard->worker);
	/* Read before the messages: what the worker sent of earlier targets is then among them. */
	struct worker_position position = { .target = -1 };
	bool has_position = channel_position(&shard->worker.channel, &position);
	/* After a signal no result is passed on, since the signal may have caused it. */
	int n = interrupt_signal() ? 0 : drain(shard, options, ended, err);

	if (n >= 0 && n < MAX_MESSAGES && has_position && !shard->done && !shard->broken[0] &&
		!interrupt_signal() && ledger_arrive(&shard->ledger, position.target, err))
		n = -1;
	if (n < 0 && !interrupt_signal())
		return -1;
	count_time(shard);
	check_interrupt(shard);
	check_limits(shard);
	shard->is_quiet = n <= 0 && shard->phase_ms >= QUIET_MS;
	if (!ended)
		return 0;
	shard->is_over = interrupt_signal() != 0;
	if (!shard->is_over && handle_worker_end(shard, options, err)) {
		if (err->code != EXIT_UNAVAILABLE || !shard->session->options.goes_on)
			return -1;
		shard->is_over = true;
		if (ledger_abandon(&shard->ledger, err->message, err))
			return -1;
	}
	worker_stop(&shard->worker);
	return shard->is_over ? 0 : shard_start(shard, options, err);
}

void shard_open(struct shard *shard, const struct session *session, const struct job *job,
	const struct job_module *module, size_t index)
{
	*shard = (struct shard){ .session = session,
		.timed_target = -1,
		.worker = { .pidfd = -1, .channel = { .fd = -1 } } };
	shard->receiver = (struct message_receiver){ .on_message = receive, .context = shard };
	ledger_open(&shard->ledger, &shard->receiver, job, module, index);
}

void shard_close(struct shard *shard)
{
	worker_stop(&shard->worker);
	ledger_close(&shard->ledger);
	if (shard->spool)
		fclose(shard->spool);
	shard->spool = NULL;
}
