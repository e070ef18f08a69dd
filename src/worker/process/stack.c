// SPDX-License-Identifier: MIT
#include "worker/process/stack.h"

#include "base/array_size.h"
#include "worker/process/report.h"
#include "worker/python/import.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

enum { STACK_FD = 500 };

static const int fatal_signals[] = { SIGSEGV, SIGFPE, SIGABRT, SIGBUS,
	SIGILL }; /* faulthandler's */
static struct sigaction python_actions[ARRAY_SIZE(fatal_signals)];
static int stack_fd = STACK_FD;

/* Opens the descriptor, then lets faulthandler write, which ends the process. */
static void handle_fatal_signal(int number, siginfo_t *info, void *context)
{
	report_open_stack(stack_fd);
	for (size_t i = 0; i < ARRAY_SIZE(fatal_signals); i++) {
		const struct sigaction *action = &python_actions[i];

		if (fatal_signals[i] != number)
			continue;
		sigaction(number, action, NULL);
		if (action->sa_flags & SA_SIGINFO)
			action->sa_sigaction(number, info, context);
		else
			action->sa_handler(number);
	}
}

static void handle_fatal_signals(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(fatal_signals); i++) {
		struct sigaction action;

		if (sigaction(fatal_signals[i], NULL, &action) ||
			action.sa_sigaction == handle_fatal_signal || /* in a fork of a worker */
			(!(action.sa_flags & SA_SIGINFO) &&
				(action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN)))
			continue;
		python_actions[i] = action;
		action.sa_flags |= SA_SIGINFO;
		action.sa_sigaction = handle_fatal_signal;
		sigaction(fatal_signals[i], &action, NULL);
	}
}

/* os._exit(), the only exit from Python that runs no more code. */
static PyObject *exit_with_stack(PyObject *self, PyObject *arguments, PyObject *keywords)
{
	static const char *names[] = { "status", NULL };
	int status;

	(void)self;
	if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "i:_exit", (char **)names, &status))
		return NULL;
	if (report_is_open()) {
		report_open_stack(stack_fd);
		import_and_call("faulthandler", "dump_traceback", "i", stack_fd);
	}
	_exit(status);
}

static void replace_exit(void)
{
	static PyMethodDef definition = { "_exit", (PyCFunction)(void (*)(void))exit_with_stack,
		METH_VARARGS | METH_KEYWORDS, "Exit to the system with specified status." };
	static const char *const modules[] = { "posix", "os" };
	PyObject *name = PyUnicode_FromString("posix");
	PyObject *function = name ? PyCFunction_NewEx(&definition, NULL, name) : NULL;

	for (size_t i = 0; function && i < ARRAY_SIZE(modules); i++) {
		PyObject *module = import_for_suai(modules[i]);

		if (module)
			PyObject_SetAttrString(module, "_exit", function);
		Py_DecRef(module);
	}
	PyErr_Clear();
	Py_DecRef(function);
	Py_DecRef(name);
}

void stack_trace_ends(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur <= STACK_FD)
		stack_fd = (int)limit.rlim_cur - 1;
	import_and_call("faulthandler", "enable", "i", stack_fd);
	handle_fatal_signals();
	replace_exit();
}

void stack_trace_before(void (*end)(int number))
{
	struct sigaction action = { .sa_handler = end, .sa_flags = SA_ONSTACK | SA_NODEFER };

	import_and_call("faulthandler", "disable", NULL, 0);
	for (size_t i = 0; i < ARRAY_SIZE(fatal_signals); i++)
		sigaction(fatal_signals[i], &action, NULL);
	import_and_call("faulthandler", "enable", "i", stack_fd);
	handle_fatal_signals();
}
