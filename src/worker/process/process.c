// SPDX-License-Identifier: MIT
/*
 * Drivers read files from the working directory: Intel's libintelocl.so has empty entries in its
 * DT_RUNPATH, so that the loader searches it for libz.so.1, and it reads cl.cfg, which names
 * libraries to load. If no target is Python code, drivers run in the root directory.
 */
#include "worker/process/process.h"
#include "base/environment.h"
#include "supervisor/channel.h"
#include "worker/process/mpi.h"
#include "worker/process/step.h"
#include "worker/python/import.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int left_fd = AT_FDCWD;

void directory_leave(void)
{
	int fd = left_fd == AT_FDCWD ? open(".", O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd < 0)
		return;
	environment_make_absolute("OCL_ICD_VENDORS");
	if (chdir("/"))
		close(fd);
	else
		left_fd = fd;
}

bool directory_return(void)
{
	if (left_fd == AT_FDCWD || fchdir(left_fd))
		return false;
	close(left_fd);
	left_fd = AT_FDCWD;
	return true;
}

int directory_open(const char *path, int flags)
{
	return openat(left_fd, path, flags | O_CLOEXEC);
}

/* --- the end --- */

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

/* The interpreter is not finalized: NumPy with daemon threads hangs in Py_FinalizeEx(). */
static void run_exit_functions(void)
{
	PyErr_Clear();
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
