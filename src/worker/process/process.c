// SPDX-License-Identifier: MIT
/* The garbage of the process, and its end. */
#include "worker/process/process.h"
#include "supervisor/channel.h"
#include "worker/process/mpi.h"
#include "worker/process/step.h"
#include "worker/python/import.h"
#include "worker/python/object.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void flush_stream(const char *name)
{
	PyObject *stream = PySys_GetObject(name); /* borrowed */
	PyObject *result;

	if (!stream || stream == Py_None)
		return;
	result = PyObject_CallMethod(stream, "flush", NULL);
	if (!result)
		PyErr_Clear();
	Py_XDECREF(result);
}

void process_flush(void)
{
	flush_stream("stdout");
	flush_stream("stderr");
	fflush(NULL);
}

static bool is_frozen;

void process_freeze_objects(void)
{
	object_collect_garbage();
	import_and_call("gc", "freeze", NULL, 0);
	is_frozen = true;
}

/* The interpreter is not finalized: NumPy with daemon threads hangs in Py_FinalizeEx(). */
static void run_exit_functions(void)
{
	PyErr_Clear();
	if (is_frozen)
		import_and_call("gc", "unfreeze", NULL, 0);
	import_and_call("atexit", "_run_exitfuncs", NULL, 0);
	process_flush();
}

_Noreturn void worker_end(void)
{
	run_exit_functions();
	_exit(0);
}

_Noreturn void worker_finish(void)
{
	bool is_rank = mpi_is_active();

	if (is_rank)
		worker_step(CHANNEL_FINALIZE_STEP); /* exit functions, too, may wait for ranks */
	run_exit_functions();
	if (!is_rank)
		_exit(0);
	mpi_finalize();
	exit(0); /* MPICH 5 disconnects from the launcher in an exit handler */
}
