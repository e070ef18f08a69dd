// SPDX-License-Identifier: MIT
#include "worker/capture_object.h"

#include "base/clock.h"
#include "base/limit.h"
#include "facts/capture_stream.h"
#include "facts/ignore_comment.h"
#include "protocols/trials.h"
#include "supervisor/shard.h"
#include "worker/capture/capture.h"
#include "worker/process/crash_notice.h"
#include "worker/process/fork.h"
#include "worker/process/process.h"
#include "worker/process/report.h"
#include "worker/process/stack.h"
#include "worker/python/definitions.h"
#include "worker/python/warnings.h"
#include "worker/trials/trials.h"
#include "worker/worker.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { POLL_MS = 5 };

/* The name of the object in suggestions. */
#define OBJECT_NAME "object"

/* Completes the job that the options describe. */
static void complete_job(struct arena *arena, const char *name, struct job *job)
{
	struct value *all = value_list(arena);

	for (size_t i = 0; captures[i]; i++)
		value_append(arena, all, value_text(arena, captures[i]->protocol->name));
	if (!job->protocols)
		job->protocols = all;
	if (!job->facts)
		job->facts = FACT_DICT | FACT_STRUCT | FACT_MEMORY;
	job->module = (struct job_module){ .kind = JOB_MODULE_CODE, .label = name };
	job_words_add(arena, &job->module.expressions, name);
}

static struct fact_target capture_new_target(
	const struct job *job, const struct job_capture *options)
{
	struct fact_target target = { .present = true,
		.module = fact_int(0),
		.index = fact_int(0),
		.target = job->module.label,
		.status = STATUS_OK,
		.ignores.known = true };

	if (options->file)
		target.source = (struct fact_source){ .present = true, .file = options->file };
	if (options->file && options->line > 0)
		target.source.line = fact_int(options->line);
	return target;
}

static PyObject *names_of_object(PyObject *object)
{
	PyObject *names = PyDict_New();

	if (names && PyDict_SetItemString(names, OBJECT_NAME, object)) {
		Py_DecRef(names);
		names = NULL;
	}
	return names;
}

/* The object to capture, and the job. */
struct captured {
	PyObject *object; /* or the function that makes it */
	const struct job *job;
	const struct job_capture *options;
};

/* The object: a new reference, or NULL with the reason in target. */
static PyObject *take_object(
	struct arena *arena, const struct captured *captured, struct fact_target *target)
{
	PyObject *object = captured->object;

	if (!captured->options->makes) {
		Py_IncRef(object);
		return object;
	}
	object = worker_step("evaluate") ? PyObject_CallNoArgs(object) : NULL;
	if (!object) {
		target->status = PyErr_Occurred() ? STATUS_RAISED : STATUS_UNAVAILABLE;
		target->step = "evaluate";
		target->error = object_take_error(arena);
	}
	worker_step_done();
	return object;
}

/* Takes object, which the trial may drop. */
static void try_object(
	struct arena *arena, const struct job *job, PyObject *object, struct fact_target *target)
{
	struct fact_target ignored = { .present = true };
	struct capture_context context = { .arena = arena, .job = job, .target = &ignored };
	struct fact_trial *record = FACT_LIST_ADD(arena, &target->trials);

	if (!trial_run(&context, object, &job->module.trials[0], record))
		target->status = STATUS_UNAVAILABLE;
}

/* Captures in the current process. *names keeps the object: a new reference, or NULL. -1 with an
 * exception pending. */
static int fill_target(struct arena *arena, const struct captured *captured, const struct job *job,
	struct fact_target *target, PyObject **names)
{
	struct capture_context context = { .arena = arena, .job = job, .target = target };
	int64_t since_ms = clock_ms();
	PyObject *object;
	int status = 0;

	*names = NULL;
	*target = capture_new_target(job, captured->options);
	object = take_object(arena, captured, target);
	if (object && job->module.trials) {
		try_object(arena, job, object, target);
	} else if (object) {
		*names = names_of_object(object);
		Py_DecRef(object);
		context.names = *names;
		if (*names)
			worker_capture(&context, OBJECT_NAME, object);
		status = *names ? 0 : -1;
	}
	target->spent_ms = fact_int(clock_ms() - since_ms);
	return status;
}

/* --- in forks --- */

/* Runs in the fork: a worker with one target, which its parent monitors as the judge does. */
static _Noreturn void run_fork(const struct captured *captured, int channel_fd)
{
	struct message message = { .kind = MESSAGE_MODULE };
	struct arena arena = { 0 };
	const struct value *value;
	PyObject *names;
	char channel[64];
	struct err err;
	struct job job;

	PyOS_AfterFork_Child();
	snprintf(channel, sizeof(channel), "/proc/self/fd/%d", channel_fd);
	if (report_reopen(channel, &err) || !report_claim() ||
		!(value = report_read_job(&arena, &err)))
		_exit(EXIT_BUG);
	job = job_from_value(&arena, value);
	report_skip_steps(&job);
	stack_trace_ends();
	worker_send(&(const struct message){
		.kind = MESSAGE_HELLO, .hello = worker_hello(&arena, "fork") });
	message.module = (struct fact_module_result){
		.present = true, .module = fact_int(0), .status = STATUS_OK
	};
	worker_send(&message);
	worker_at(0);
	message.kind = MESSAGE_TARGET;
	if (fill_target(&arena, captured, &job, &message.target, &names))
		_exit(EXIT_BUG);
	worker_send(&message);
	if (names && captured->options->makes && worker_step("release"))
		Py_DecRef(names);
	PyErr_Clear();
	worker_step_done();
	worker_send(&(const struct message){ .kind = MESSAGE_DONE });
	process_flush();
	_exit(0);
}

/* Catches the warning that JAX issues at every fork. Only if JAX is loaded, since catching warnings
 * resets which ones Python has already shown. */
static struct caught_warnings catch_fork_warnings(void)
{
	PyObject *modules = PySys_GetObject("modules"); /* borrowed */
	const struct caught_warnings none = { 0 };

	return modules && PyDict_Check(modules) && PyDict_GetItemString(modules, "jax")
		       ? warnings_catch()
		       : none;
}

/* `start` of struct worker_options. */
static int start_fork(struct worker *worker, const struct worker_options *options,
	const struct value *job, struct err *err)
{
	struct caught_warnings caught;
	pid_t parent = getpid();
	/* A terminal stops a background process group that reads from it, for instance in a
	 * debugger. */
	bool has_group = !isatty(STDIN_FILENO);

	*worker = (struct worker){ .pidfd = -1, .channel = { .fd = -1 } };
	if (channel_open(&worker->channel, job, err))
		return -1;
	process_flush(); /* the fork must not write buffered output again */
	caught = catch_fork_warnings();
	PyOS_BeforeFork();
	warnings_release(&caught);
	worker->pid = fork();
	if (!worker->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(EXIT_BUG);
		if (has_group)
			setpgid(0, 0);
		run_fork(options->start_context, worker->channel.fd);
	}
	PyOS_AfterFork_Parent();
	if (worker->pid > 0) {
		/* Set in the parent as well, since the fork may be stopped before it has run. */
		if (has_group && (!setpgid(worker->pid, worker->pid) || errno == EACCES))
			worker->group = worker->pid;
		worker->pidfd = (int)syscall(SYS_pidfd_open, worker->pid, 0);
		return 0;
	}
	worker->pid = 0;
	return err_set(err, EXIT_UNAVAILABLE, "cannot start a process: %s%s", strerror(errno),
		limit_advice(errno));
}

/* What forks reported, in the arena. */
struct fork_result {
	struct arena *arena;
	struct fact_target target;
	struct fact_trial_step last_step;
};

static int keep_fork_message(
	void *context, struct arena *arena, struct message *message, struct err *err)
{
	struct fork_result *result = context;

	(void)err;
	if (message->kind == MESSAGE_TARGET)
		result->target = message->target;
	else if (message->kind == MESSAGE_TRIAL)
		result->last_step = message->trial;
	else
		return 0;
	arena_join(result->arena, arena);
	return 0;
}

/* -1 with err set, or with an exception pending: a signal's handler raised it. */
static int run_forks(const struct captured *captured, struct fork_result *result, struct err *err)
{
	const struct session session = { .options.timeout_seconds =
						 (double)captured->options->timeout_ms / 1000,
		.on_message = keep_fork_message,
		.context = result };
	char self[] = "a fork of this process";
	const struct worker_options options = { .start = start_fork,
		.start_context = (void *)captured,
		.python.executable = self,
		.bootstrap = (char *)captured->options->own_file };
	struct shard shard;
	struct worker *worker = &shard.worker;
	int status;

	shard_open(&shard, &session, captured->job, &captured->job->module, 0);
	shard.has_turn = true;
	status = shard_start(&shard, &options, err);
	while (!status && !shard.is_over) {
		WITHOUT_GIL(workers_wait(&worker, 1, POLL_MS));
		status = PyErr_CheckSignals();
		if (!status)
			status = shard_poll(&shard, &options, err);
	}
	shard_close(&shard);
	return status;
}

/* One trial in a fork. */
static int run_trial_fork(const struct captured *captured, struct job_trial *id,
	const struct trial_kind *kind, struct arena *arena, struct fact_trial_list *list,
	struct err *err)
{
	struct job job = *captured->job;
	const struct captured tried = { captured->object, &job, captured->options };
	struct fork_result result = { .arena = arena };
	struct fact_trial *record = FACT_LIST_ADD(arena, list);

	if (kind->flags &
		TRIAL_AT_EXIT) { /* it would run the exit functions of the user's process */
		*record = (struct fact_trial){
			.present = true,
			.trial = id->name,
			.protocol = id->protocol,
			.outcome = TRIAL_SKIPPED,
			.error = { .present = true,
				.message =
					"a fork cannot finalize the interpreter; 'suai validate --lifetime' can" }
		};
		return 0;
	}
	job.module.trials = id;
	if (run_forks(&tried, &result, err))
		return -1;
	trial_take_record(arena, id, &result.target, &result.last_step, record);
	return 0;
}

/* The trials that the job requests, each on a new object in a fork. */
static int run_trial_forks(const struct captured *captured, struct arena *arena,
	struct fact_target *target, struct err *err)
{
	const struct fact_interface_list *interfaces = &target->interfaces;

	for (size_t i = 0; i < interfaces->n_items; i++)
		for (const struct trial_kind *kind = trial_kinds; kind->name; kind++) {
			struct job_trial id = { .name = kind->name,
				.protocol = interfaces->items[i].protocol };

			if (trial_applies(arena, captured->job, kind, &interfaces->items[i]) &&
				run_trial_fork(captured, &id, kind, arena, &target->trials, err))
				return -1;
		}
	return 0;
}

/* Captures in forks, and runs the trials there. -1 as run_forks(). */
static int capture_in_forks(struct arena *arena, const struct captured *captured,
	struct fact_target *target, struct err *err)
{
	struct fork_result result = { .arena = arena };

	if (run_forks(captured, &result, err))
		return -1;
	*target = result.target;
	if (!(captured->job->facts & (FACT_LIFETIME | FACT_LIVE)))
		return 0;
	target->trials.known = true;
	return run_trial_forks(captured, arena, target, err);
}

/* Fills the target, and host and not_isolated of hello. -1 with an exception pending. */
static int capture_isolated(struct arena *arena, const struct captured *captured,
	struct fact_hello *hello, struct fact_target *target)
{
	enum job_isolation isolation = captured->options->isolation;
	bool has_trials = captured->job->facts & (FACT_LIFETIME | FACT_LIVE);
	const char *obstacle =
		isolation == JOB_ISOLATION_NEVER
			? "isolate=False"
			: process_fork_obstacle((struct process_idle){
				  .n_threads = (int)captured->options->n_idle_threads,
				  .has_timer = captured->options->has_idle_timer });
	struct crash_notice notice;
	PyObject *names;
	struct err err;
	int status;

	if (!obstacle) {
		if (!capture_in_forks(arena, captured, target, &err))
			return 0;
		if (PyErr_Occurred())
			return -1;
		obstacle = arena_copy(arena, err.message, strlen(err.message));
	}
	if (isolation == JOB_ISOLATION_ALWAYS || has_trials) {
		PyErr_Format(PyExc_RuntimeError, "cannot isolate the %s: %s",
			has_trials ? "trials" : "capture", obstacle);
		return -1;
	}
	hello->host = "process";
	hello->not_isolated = obstacle;
	object_begin_interruptible();
	crash_notice_begin(
		&notice, arena, &captured->options->notice, captured->job->module.label, obstacle);
	status = fill_target(arena, captured, captured->job, target, &names);
	Py_DecRef(names);
	crash_notice_end(&notice);
	if (object_end_interruptible() && !status) { /* ^C of the user, who is waiting */
		PyErr_SetNone(PyExc_KeyboardInterrupt);
		status = -1;
	}
	return status;
}

/* The key `piece` of the options. -1 with an exception pending. */
static int read_piece(struct arena *arena, const struct value *value, struct fact_piece *out)
{
	struct err err = { 0 };

	if (fact_read(&fact_piece_record, arena, value, FACT_DOCUMENT, NULL, out, &err))
		PyErr_Format(PyExc_ValueError, "piece: %s", err.message);
	else if (out->present && (!out->of || !out->offset.known))
		PyErr_Format(
			PyExc_ValueError, "piece: missing key '%s'", out->of ? "offset" : "of");
	else
		return 0;
	return -1;
}

/* The key `comments` of the options: those on the lines of the call. */
static void read_comments(
	struct arena *arena, const struct value *comments, struct fact_ignore_list *out)
{
	const struct value *item;

	for (size_t i = 0; (item = value_item(comments, i)); i++) {
		struct job_comment comment = job_comment_from_value(item);

		ignore_comment_add(arena, comment.line, comment.text, out);
	}
}

PyObject *capture_object(PyObject *object, PyObject *options)
{
	struct arena arena = { 0 };
	const struct value *value = object_to_value(&arena, options);
	const struct job_capture capture = job_capture_from_value(value);
	struct job job = job_from_value(&arena, value);
	const struct captured captured = { object, &job, &capture };
	struct message hello = { .kind = MESSAGE_HELLO, .hello = worker_hello(&arena, "fork") };
	struct message target = { .kind = MESSAGE_TARGET };
	struct fact_piece piece;
	struct text out = { 0 };
	PyObject *bytes = NULL;

	complete_job(&arena, capture.name ? capture.name : OBJECT_NAME, &job);
	if (!read_piece(&arena, value_get(value, "piece"), &piece) &&
		!capture_isolated(&arena, &captured, &hello.hello, &target.target)) {
		target.target.piece = piece;
		read_comments(&arena, value_get(value, "comments"), &target.target.ignores);
		capture_stream_begin(&out);
		capture_stream_add(&out, &hello);
		capture_stream_add(&out, &target);
		capture_stream_add(&out, &(struct message){ .kind = MESSAGE_DONE });
		bytes = PyBytes_FromStringAndSize(out.bytes, (Py_ssize_t)out.n_bytes);
	}
	text_free(&out);
	arena_free(&arena);
	return bytes;
}

PyObject *capture_read_hellos(PyObject *bytes)
{
	struct capture_stream stream = { 0 };
	struct arena arena = { 0 };
	struct value *hellos = value_list(&arena);
	struct message message;
	PyObject *list = NULL;
	struct err err;
	char *start;
	Py_ssize_t n_bytes;
	int status;

	if (PyBytes_AsStringAndSize(bytes, &start, &n_bytes))
		return NULL;
	stream.bytes = (const unsigned char *)start;
	stream.n_bytes = (size_t)n_bytes;
	while ((status = capture_stream_next(&stream, &arena, &message, &err)) > 0)
		if (message.kind == MESSAGE_HELLO)
			value_append(&arena, hellos,
				fact_write(&fact_hello_record, &arena, &message.hello, FACT_WIRE,
					NULL));
	if (status)
		PyErr_SetString(PyExc_ValueError, err.message);
	else
		list = object_from_value(hellos);
	arena_free(&arena);
	return list;
}
