// SPDX-License-Identifier: MIT
/*
 * Drivers read files from the working directory: Intel's libintelocl.so has empty entries in its
 * DT_RUNPATH, so that the loader searches it for libz.so.1, and it reads cl.cfg, which names
 * libraries to load. If no target is Python code, drivers run in the root directory.
 */
#include "worker/process/process.h"
#include "base/array_size.h"
#include "base/environment.h"
#include "worker/process/report.h"
#include "worker/python/import.h"

#include <fcntl.h>
#include <stdio.h>
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

/* os._exit(), which is the only exit from Python that runs no more code. */
static PyObject *exit_with_stack(PyObject *self, PyObject *arguments, PyObject *keywords)
{
	static const char *names[] = { "status", NULL };
	int status;

	(void)self;
	if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "i:_exit", (char **)names, &status))
		return NULL;
	if (report_is_open())
		import_and_call("faulthandler", "dump_traceback", "i", report_stack_fd());
	_exit(status);
}

void process_trace_exits(void)
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

/* The interpreter is not finalized: NumPy with daemon threads hangs in Py_FinalizeEx(). */
_Noreturn void worker_end(void)
{
	PyErr_Clear();
	import_and_call("atexit", "_run_exitfuncs", NULL, 0);
	flush_stream("stdout");
	flush_stream("stderr");
	fflush(NULL);
	_exit(0);
}
