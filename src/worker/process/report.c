// SPDX-License-Identifier: MIT
/*
 * The worker's half of the channel (supervisor/channel.h): announces steps and puts messages into
 * the ring. A child process does not inherit the mapping, and drops the pointer to it.
 */
#include "worker/process/report.h"

#include "base/utf8.h"
#include "worker/process/fork.h"
#include "worker/process/process.h"
#include "worker/process/step.h"
#include "worker/python/object.h"
#include "worker/python/python.h"

#include "base/clock.h"
#include "base/crc32.h"
#include "base/debug.h"
#include "base/limit.h"
#include "base/memory.h"
#include "model/wire.h"
#include "supervisor/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static struct {
	struct channel_state *state; /* NULL: not opened, or a forked child */
	unsigned char *ring;
	size_t n_bytes; /* of the mapping */
	int32_t target;
	int64_t since_ms;      /* of worker_at() */
	const struct job *job; /* whose steps are skipped; or NULL */
	char path[64];         /* of the channel; empty: an inherited descriptor */
	bool inherited;        /* by the child of report_begin_fork() */
	bool forked;
	char own_step[CHANNEL_STEP_CHARS]; /* without a channel */
	bool in_own_step;
} report;

static void report_no_memory(void)
{
	if (report.state)
		atomic_store_explicit(&report.state->no_memory, 1, memory_order_relaxed);
}

static void forget_in_child(void)
{
	if (report.inherited)
		return;
	report.state = NULL;
	report.forked = true;
}

int report_open(const char *channel, struct err *err)
{
	static bool is_registered;
	int fd = channel[0] == '/' ? open(channel, O_RDWR | O_CLOEXEC) : atoi(channel);
	struct stat stat;
	void *base;

	if (fd < 0 || fstat(fd, &stat))
		return err_set(err, EXIT_BUG, "cannot open suai's channel '%s': %s", channel,
			strerror(errno));
	if (stat.st_size < CHANNEL_PAGE_BYTES + CHANNEL_RING_BYTES)
		return err_set(err, EXIT_BUG, "suai's channel '%s' has only %lld bytes", channel,
			(long long)stat.st_size);
	base = mmap(NULL, (size_t)stat.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (base == MAP_FAILED)
		return err_set(err, EXIT_BUG, "cannot map %lld bytes of shared memory: %s%s",
			(long long)stat.st_size, strerror(errno), limit_advice(errno));
	madvise(base, (size_t)stat.st_size, MADV_DONTFORK);
	report.state = base;
	report.n_bytes = (size_t)stat.st_size;
	if (report.state->magic != CHANNEL_MAGIC ||
		channel_total_bytes(report.state->job_bytes) != (uint64_t)stat.st_size)
		return err_set(err, EXIT_BUG, "suai and its module have different versions");
	report.ring = (unsigned char *)base + channel_ring_offset(report.state->job_bytes);
	if (channel[0] == '/')
		snprintf(report.path, sizeof(report.path), "%s", channel);
	if (!is_registered)
		pthread_atfork(NULL, NULL, forget_in_child);
	is_registered = true;
	mem_on_failure(report_no_memory);
	return 0;
}

int report_reopen(const char *channel, struct err *err)
{
	memset(&report, 0, sizeof(report));
	if (report_open(channel, err))
		return -1;
	atomic_store_explicit(&report.state->started, (uint32_t)getpid(), memory_order_relaxed);
	return 0;
}

void report_begin_fork(void)
{
	if (!report.state)
		return;
	madvise(report.state, report.n_bytes, MADV_DOFORK);
	report.inherited = true;
}

void report_end_fork(void)
{
	report.inherited = false;
	if (report.state)
		madvise(report.state, report.n_bytes, MADV_DONTFORK);
}

/* Whether the process was forked and has executed no program since: PF_FORKNOEXEC, the ninth field
 * of its stat. */
static bool is_bare_fork(void)
{
	const unsigned long fork_no_exec = 0x40;
	unsigned long flags = 0;
	char text[512], *end;
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	end = strrchr(text, ')'); /* the name may contain any character */
	if (end && sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %lu", &flags) != 1)
		return false;
	return flags & fork_no_exec;
}

/* A wrapper may fork the interpreter; an embedded interpreter runs in the process that was started.
 */
bool report_claim(void)
{
	uint32_t nobody = 0, self = (uint32_t)getpid();
	bool is_started =
		atomic_load_explicit(&report.state->started, memory_order_relaxed) == self;

	if ((is_started || !is_bare_fork()) &&
		atomic_compare_exchange_strong(&report.state->writer, &nobody, self))
		return true;
	forget_in_child();
	return false;
}

const struct value *report_read_job(struct arena *arena, struct err *err)
{
	const unsigned char *base = (const unsigned char *)report.state;

	return wire_read(arena, base + CHANNEL_PAGE_BYTES, report.state->job_bytes, err);
}

bool report_is_open(void)
{
	return report.state != NULL;
}

void report_open_stack(int stack_fd)
{
	int fd = report.state && report.path[0] ? open(report.path, O_WRONLY | O_CLOEXEC) : -1;

	if (fd >= 0 &&
		lseek(fd, (off_t)channel_stack_offset(report.state->job_bytes), SEEK_SET) > 0)
		dup3(fd, stack_fd, O_CLOEXEC);
	else
		dup3(STDERR_FILENO, stack_fd, O_CLOEXEC);
}

void report_skip_steps(const struct job *job)
{
	report.job = job;
}

/* --- the step under way --- */

static void begin_change(void)
{
	atomic_fetch_add_explicit(&report.state->step_sequence, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
}

static void end_change(void)
{
	atomic_fetch_add_explicit(&report.state->step_sequence, 1, memory_order_release);
}

/* A step's name truncated to the size of the state's field, at a character boundary. */
static void cut_step(char out[CHANNEL_STEP_CHARS], const char *step)
{
	memset(out, 0, CHANNEL_STEP_CHARS);
	memcpy(out, step,
		utf8_truncated(step, strnlen(step, CHANNEL_STEP_CHARS), CHANNEL_STEP_CHARS - 1));
}

/* Whether the step releases what an earlier one returned. */
static bool is_release(const char *step)
{
	return !strncmp(step, "deleter of ", strlen("deleter of ")) ||
	       !strncmp(step, "release", strlen("release"));
}

const char *worker_loss(const char *step)
{
	if (!report.state && object_is_interrupted() && !is_release(step))
		return "interrupted";
	for (size_t i = 0; report.job && i < report.job->n_skip; i++)
		if (report.job->skip[i].target == report.target &&
			!strcmp(report.job->skip[i].step, step))
			return report.job->skip[i].reason;
	return NULL;
}

/* A child that the user's code forked exits here, as a script's child would; so does a worker that
 * the judge asked to stop. */
static void end_if_stopped(void)
{
	if (report.forked ||
		(report.state && atomic_load_explicit(&report.state->stop, memory_order_relaxed)))
		worker_end();
}

void worker_draft(const struct fact_draft *draft)
{
	struct arena arena = { 0 };
	struct text wire = { 0 };
	struct channel_record record = { 0 };
	uint64_t at;

	if (!report.state)
		return;
	at = atomic_load_explicit(&report.state->draft_bytes, memory_order_relaxed);
	wire_write(&wire, fact_write(&fact_draft_record, &arena, draft, FACT_WIRE, NULL));
	arena_free(&arena);
	if (at + channel_record_bytes(wire.n_bytes) <= CHANNEL_DRAFT_BYTES &&
		wire.n_bytes <= VALUE_MAX_WIRE_BYTES) {
		record.n_bytes = (uint32_t)wire.n_bytes;
		record.crc32 = crc32_add(0, wire.bytes, wire.n_bytes);
		memcpy(report.ring + CHANNEL_RING_BYTES + at, &record, sizeof(record));
		memcpy(report.ring + CHANNEL_RING_BYTES + at + sizeof(record), wire.bytes,
			wire.n_bytes);
		atomic_store_explicit(&report.state->draft_bytes,
			at + channel_record_bytes(wire.n_bytes), memory_order_release);
	}
	text_free(&wire);
}

void worker_at(int target)
{
	end_if_stopped();
	report.target = target;
	report.since_ms = clock_ms();
	report.own_step[0] = '\0';
	report.in_own_step = false;
	if (!report.state)
		return;
	begin_change();
	atomic_fetch_add_explicit(&report.state->visits, 1, memory_order_relaxed);
	atomic_store_explicit(&report.state->target, target, memory_order_relaxed);
	atomic_store_explicit(&report.state->in_step, 0, memory_order_relaxed);
	report.state->step[0] = '\0';
	atomic_store_explicit(&report.state->draft_bytes, 0, memory_order_relaxed);
	end_change();
}

void report_visit(void)
{
	if (report.state)
		atomic_fetch_add_explicit(&report.state->visits, 1, memory_order_relaxed);
}

bool worker_has_time(void)
{
	return !report.state ||
	       atomic_load_explicit(&report.state->no_time, memory_order_relaxed) !=
		       atomic_load_explicit(&report.state->visits, memory_order_relaxed);
}

bool worker_has_half_time(void)
{
	return worker_has_time() &&
	       (!report.state ||
		       atomic_load_explicit(&report.state->half_time, memory_order_relaxed) !=
			       atomic_load_explicit(&report.state->visits, memory_order_relaxed));
}

void worker_all_read(void)
{
	if (report.state)
		atomic_store_explicit(&report.state->all_read,
			atomic_load_explicit(&report.state->visits, memory_order_relaxed),
			memory_order_relaxed);
}

int64_t report_spent_ms(void)
{
	return clock_ms() - report.since_ms;
}

/* Sends the worker SUAI_FAIL_SIGNAL, or SIGKILL, at the step that SUAI_FAIL_STEP names. */
static void end_at_chosen_step(const char *step)
{
	const char *chosen = getenv("SUAI_FAIL_STEP"), *number = getenv("SUAI_FAIL_SIGNAL");

	DEBUG_LOG("steps", "%d: %s", report.target, step);
	if (chosen && !strcmp(chosen, step))
		kill(getpid(), number ? atoi(number) : SIGKILL);
}

bool worker_step(const char *step)
{
	char name[CHANNEL_STEP_CHARS];

	end_if_stopped();
	cut_step(name, step);
	if (worker_loss(name))
		return false;
	if (!report.state) {
		memcpy(report.own_step, name, sizeof(name));
		report.in_own_step = true;
		return true;
	}
	begin_change();
	memcpy(report.state->step, name, sizeof(name));
	atomic_store_explicit(&report.state->in_step, 1, memory_order_relaxed);
	end_change();
	end_at_chosen_step(name);
	return true;
}

void worker_step_done(void)
{
	end_if_stopped();
	report.in_own_step = false;
	if (report.state)
		atomic_store_explicit(&report.state->in_step, 0, memory_order_release);
}

const char *report_own_step(bool *in_step)
{
	*in_step = report.in_own_step;
	return report.own_step;
}

void worker_work(uint64_t done_bytes, uint64_t total_bytes)
{
	if (!report.state)
		return;
	atomic_store_explicit(&report.state->done_bytes, done_bytes, memory_order_relaxed);
	atomic_store_explicit(&report.state->work_bytes, total_bytes, memory_order_relaxed);
}

/* --- messages --- */

/* Copies into the ring at an offset that may wrap around its end. */
static void copy_in(uint64_t at, const void *bytes, size_t n_bytes)
{
	size_t start = (size_t)(at % CHANNEL_RING_BYTES);
	size_t first = CHANNEL_RING_BYTES - start < n_bytes ? CHANNEL_RING_BYTES - start : n_bytes;

	memcpy(report.ring + start, bytes, first);
	memcpy(report.ring, (const unsigned char *)bytes + first, n_bytes - first);
}

static void put_record(const struct text *wire)
{
	const struct timespec pause = { .tv_nsec = 100000 };
	struct channel_state *state = report.state;
	uint64_t head = atomic_load_explicit(&state->head, memory_order_relaxed);
	uint64_t n_bytes = channel_record_bytes(wire->n_bytes);
	struct channel_record record = { .n_bytes = (uint32_t)wire->n_bytes,
		.crc32 = crc32_add(0, wire->bytes, wire->n_bytes),
		.sequence = atomic_load_explicit(&state->n_records, memory_order_relaxed) };

	while (head + n_bytes - atomic_load_explicit(&state->tail, memory_order_acquire) >
		CHANNEL_RING_BYTES) {
		end_if_stopped();
		WITHOUT_GIL(nanosleep(&pause, NULL));
	}
	copy_in(head, &record, sizeof(record));
	copy_in(head + sizeof(record), wire->bytes, wire->n_bytes);
	atomic_store_explicit(&state->head, head + n_bytes, memory_order_release);
	atomic_store_explicit(&state->n_records, record.sequence + 1, memory_order_relaxed);
}

void worker_send(const struct message *message)
{
	struct text wire = { 0 };

	if (!report.state)
		return;
	message_write(&wire, message);
	put_record(&wire);
	text_free(&wire);
}

void worker_send_target(const struct fact_target *target)
{
	worker_send(&(const struct message){ .kind = MESSAGE_TARGET, .target = *target });
}

/* Cuts what faulthandler wrote to the first line and the thread that crashed. */
static const char *cut_stack(struct arena *arena, const char *stack)
{
	const char *current = strstr(stack, "Current thread "), *end;

	if (!current)
		return stack;
	end = strstr(current, "\n\n");
	return arena_printf(arena, "%.*s\n\n%.*s\n", (int)strcspn(stack, "\n"), stack,
		end ? (int)(end - current) : (int)strlen(current), current);
}

void report_end_of_fork(int wait_status, bool is_thread)
{
	struct message message = { .kind = MESSAGE_LOST };
	struct arena arena = { 0 };
	char step[CHANNEL_STEP_CHARS], *stack;
	const char *text;

	if (!report.state)
		return;
	stack = (char *)report.state + channel_stack_offset(report.state->job_bytes);
	if (atomic_load_explicit(&report.state->no_memory, memory_order_relaxed))
		_exit(EXIT_BUG); /* the judge reports it */
	memcpy(step, report.state->step, sizeof(step));
	step[sizeof(step) - 1] = '\0';
	message.lost = (struct fact_lost_fork){ .present = true,
		.wait_status = fact_int(wait_status),
		.target =
			fact_int(atomic_load_explicit(&report.state->target, memory_order_relaxed)),
		.step = step,
		.in_step = answer_of(
			atomic_load_explicit(&report.state->in_step, memory_order_relaxed)) };
	text = arena_printf(&arena, "%.*s", CHANNEL_STACK_BYTES, stack);
	if (*stack)
		message.lost.stack =
			value_text_escaped(&arena, is_thread ? cut_stack(&arena, text) : text)
				->bytes;
	worker_send(&message);
	arena_free(&arena);
	memset(stack, 0, CHANNEL_STACK_BYTES);
}

int report_target(void)
{
	return report.state ? atomic_load_explicit(&report.state->target, memory_order_relaxed)
			    : report.target;
}

void report_done(void)
{
	if (process_is_child())
		process_end_child();
	worker_send(&(const struct message){ .kind = MESSAGE_DONE });
}
