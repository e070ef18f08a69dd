// SPDX-License-Identifier: MIT
#include "worker/process/crash_notice.h"

#include "base/array_size.h"
#include "base/text.h"
#include "model/escape.h"
#include "worker/process/report.h"
#include "worker/process/step.h"
#include "worker/python/import.h"
#include "worker/python/python.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
	int number;
	const char *cause;
	struct sigaction earlier;
} crashes[] = { { .number = SIGSEGV, .cause = ": SIGSEGV" },
	{ .number = SIGBUS, .cause = ": SIGBUS" }, { .number = SIGFPE, .cause = ": SIGFPE" },
	{ .number = SIGILL, .cause = ": SIGILL" }, { .number = SIGABRT, .cause = ": SIGABRT" } };

static const struct crash_notice *volatile innermost;
static volatile sig_atomic_t was_written;

/* The id of the thread. Unlike pthread_self(), it differs in a child that the user's code
 * forked. */
static pid_t own_thread(void)
{
	return (pid_t)syscall(SYS_gettid);
}

/* --- as the process ends: async-signal-safe --- */

static void write_to(int fd, const char *text)
{
	size_t n_bytes = strlen(text);

	while (n_bytes) {
		ssize_t n = write(fd, text, n_bytes);

		if (n <= 0)
			return;
		text += n;
		n_bytes -= (size_t)n;
	}
}

static void write_notice(const struct crash_notice *notice, const char *event, const char *cause)
{
	bool in_step;
	const char *step = report_own_step(&in_step);
	const char *const words[] = { "\nsuai: ", notice->name, ": ", event,
		in_step ? " at " : " after ", *step ? step : "the start", cause,
		own_thread() == notice->thread ? "\n" : ", in another thread\n",
		notice->circumstances };

	was_written = true;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		write_to(notice->fd, words[i]);
}

/* Handles a fatal signal. A fault recurs when this returns, and then reaches the earlier action;
 * the signals of abort() and kill() are raised again. */
static void handle_crash(int number, siginfo_t *info, void *context)
{
	static const struct sigaction fatal = { .sa_handler = SIG_DFL };
	const struct crash_notice *notice = innermost;

	(void)context;
	for (size_t i = 0; i < ARRAY_SIZE(crashes); i++) {
		if (crashes[i].number != number)
			continue;
		/* A handler that the object's code installed can call this one again. */
		(void)sigaction(number, was_written ? &fatal : &crashes[i].earlier, NULL);
		if (notice && !was_written && getpid() == notice->process)
			write_notice(notice, "crashed", crashes[i].cause);
	}
	if (info->si_code <= 0)
		(void)raise(number);
}

/* Runs at exit(): if the object's code called it, not if the interpreter ends while another thread
 * reads. */
static void handle_exit(void)
{
	const struct crash_notice *notice = innermost;

	if (notice && getpid() == notice->process && own_thread() == notice->thread)
		write_notice(notice, "exited", "");
}

/* os._exit() during a read: no code runs after it. */
static PyObject *exit_after_notice(PyObject *self, PyObject *arguments, PyObject *keywords)
{
	static const char *names[] = { "status", NULL };
	int status;

	(void)self;
	if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "i:_exit", (char **)names, &status))
		return NULL;
	handle_exit();
	_exit(status);
}

/* --- before and after a read --- */

static bool is_own(const struct sigaction *action)
{
	return action->sa_flags & SA_SIGINFO && action->sa_sigaction == handle_crash;
}

/* Whether the action ends the process: the default one, or faulthandler's. Other handlers may
 * handle such signals without a crash, as the Java virtual machine does. */
static bool is_fatal(const struct sigaction *action)
{
	Dl_info handler, interpreter;

	if (!(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL)
		return true;
	return action->sa_flags & SA_NODEFER &&
	       dladdr(*(void *const *)&action->sa_handler, &handler) &&
	       dladdr((void *)(uintptr_t)Py_IsInitialized, &interpreter) &&
	       handler.dli_fbase == interpreter.dli_fbase;
}

static void handle_crashes(void)
{
	const struct sigaction action = { .sa_sigaction = handle_crash,
		.sa_flags = SA_SIGINFO | SA_ONSTACK };

	was_written = false;
	for (size_t i = 0; i < ARRAY_SIZE(crashes); i++)
		if (!sigaction(crashes[i].number, NULL, &crashes[i].earlier) &&
			is_fatal(&crashes[i].earlier))
			(void)sigaction(crashes[i].number, &action, NULL);
}

static char alternate_stack[1 << 16]; /* after a stack overflow; of the thread that reads */

static void add_alternate_stack(void)
{
	const stack_t own = { .ss_sp = alternate_stack, .ss_size = sizeof(alternate_stack) };
	stack_t found;

	if (!sigaltstack(NULL, &found) && found.ss_flags & SS_DISABLE)
		(void)sigaltstack(&own, NULL);
}

static void remove_alternate_stack(void)
{
	const stack_t none = { .ss_flags = SS_DISABLE };
	stack_t found;

	if (!sigaltstack(NULL, &found) && found.ss_sp == alternate_stack)
		(void)sigaltstack(&none, NULL);
}

static void restore_actions(void)
{
	struct sigaction action;

	for (size_t i = 0; i < ARRAY_SIZE(crashes); i++)
		if (!sigaction(crashes[i].number, NULL, &action) && is_own(&action))
			(void)sigaction(crashes[i].number, &crashes[i].earlier, NULL);
}

static PyObject *earlier_exit; /* os._exit, while another function replaces it */

static void replace_os_exit(void)
{
	static PyMethodDef definition = { "_exit", (PyCFunction)(void (*)(void))exit_after_notice,
		METH_VARARGS | METH_KEYWORDS, "Exit to the system with specified status." };
	PyObject *os = import_for_suai("os");
	PyObject *function = PyCFunction_NewEx(&definition, NULL, NULL);

	earlier_exit = os ? PyObject_GetAttrString(os, "_exit") : NULL;
	if (earlier_exit && function)
		PyObject_SetAttrString(os, "_exit", function);
	PyErr_Clear();
	Py_DecRef(function);
	Py_DecRef(os);
}

/* Leaves the pending exception. */
static void restore_os_exit(void)
{
	PyObject *type, *exception, *traceback, *os;

	PyErr_Fetch(&type, &exception, &traceback);
	os = import_for_suai("os");
	if (os && earlier_exit)
		PyObject_SetAttrString(os, "_exit", earlier_exit);
	Py_DecRef(earlier_exit);
	Py_DecRef(os);
	PyErr_Restore(type, exception, traceback);
}

static const char *describe_circumstances(struct arena *arena, const char *reason, const char *test)
{
	struct text text = { 0 };
	const char *copy;

	if (reason)
		text_printf(&text, "suai: it was not read in a fork: %s\n", reason);
	if (test) {
		text_add(&text, "suai: the current test is ");
		escape_text(&text, test, strlen(test), ESCAPE_TERMINAL);
		text_add(&text, "\n");
	}
	copy = arena_copy(arena, text.n_bytes ? text.bytes : "", text.n_bytes);
	text_free(&text);
	return copy;
}

void crash_notice_begin(struct crash_notice *notice, struct arena *arena,
	const struct job_notice *destination, const char *name, const char *reason)
{
	static bool is_registered;
	struct text escaped = { 0 };

	escape_text(&escaped, name, strlen(name), ESCAPE_TERMINAL);
	*notice = (struct crash_notice){ .name = arena_copy(arena, escaped.bytes, escaped.n_bytes),
		.circumstances = describe_circumstances(arena, reason, destination->test),
		.fd = (int)destination->fd,
		.process = getpid(),
		.thread = own_thread(),
		.outer = innermost };
	text_free(&escaped);
	worker_at(0); /* no step yet */
	if (!is_registered)
		(void)atexit(handle_exit);
	is_registered = true;
	if (!innermost) {
		add_alternate_stack();
		handle_crashes();
		replace_os_exit();
	}
	innermost = notice;
}

void crash_notice_end(const struct crash_notice *notice)
{
	innermost = notice->outer;
	if (!innermost) {
		restore_actions();
		remove_alternate_stack();
		restore_os_exit();
	}
}
