// SPDX-License-Identifier: MIT
/*
 * A module that reaches the CUDA driver as CUDA's runtime does: dlopen(), dlsym() of
 * cuGetProcAddress_v2, and cuGetProcAddress_v2() of everything else.
 *
 * copier.copy(name, version, flags, with_gil, count, argument...) calls a function count times and
 * returns the sum of the results; -1: there is no such function.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <dlfcn.h>
#include <pthread.h>

typedef int (*find_function)(const char *, void **, int, unsigned long long, int *);
typedef int (*driver_call)(size_t, size_t, size_t, size_t);

struct job {
	driver_call function;
	size_t arguments[4];
	int count, result;
};

static void *work(void *opaque)
{
	struct job *job = opaque;

	for (int i = 0; i < job->count; i++)
		job->result += job->function(
			job->arguments[0], job->arguments[1], job->arguments[2], job->arguments[3]);
	return NULL;
}

static driver_call find(const char *name, int version, unsigned long long flags)
{
	static void *driver, *first;
	find_function find_named;
	void *found = NULL;
	int query_status;

	driver = driver ? driver : dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	first = first || !driver ? first : dlsym(driver, "cuGetProcAddress_v2");
	if (!first)
		return NULL;
	find_named = (find_function)first;
	/* As CUDA's runtime does, which asks for the newest cuGetProcAddress. */
	if (find_named("cuGetProcAddress", &found, 12000, 0, &query_status))
		return NULL;
	find_named = (find_function)found;
	return find_named(name, &found, version, flags, &query_status) ? NULL : (driver_call)found;
}

static PyObject *copy(PyObject *module, PyObject *arguments)
{
	const char *name;
	struct job job = { 0 };
	unsigned long long flags;
	int version, with_gil;
	pthread_t thread;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "siKii|nnnn", &name, &version, &flags, &with_gil,
		    &job.count, &job.arguments[0], &job.arguments[1], &job.arguments[2],
		    &job.arguments[3]))
		return NULL;
	job.function = find(name, version, flags);
	if (!job.function)
		return PyLong_FromLong(-1);
	if (with_gil == 1) {
		work(&job);
		return PyLong_FromLong(job.result);
	}
	Py_BEGIN_ALLOW_THREADS if (with_gil == 2 && !pthread_create(&thread, NULL, work, &job))
		pthread_join(thread, NULL); /* a thread without Python */
	else work(&job);
	Py_END_ALLOW_THREADS return PyLong_FromLong(job.result);
}

/* RTLD_NEXT and RTLD_DEFAULT depend on the object that contains the call. */
static PyObject *lookups(PyObject *module, PyObject *none)
{
	void *next = dlsym(RTLD_NEXT, "PyInit_copier"),
	     *own = dlsym(RTLD_DEFAULT, "PyLong_FromLong");

	(void)module;
	(void)none;
	return Py_BuildValue("ii", next == NULL, own == (void *)PyLong_FromLong);
}

static PyMethodDef methods[] = {
	{ "copy", copy, METH_VARARGS, NULL },
	{ "lookups", lookups, METH_NOARGS, NULL },
	{ 0 },
};

static struct PyModuleDef definition = { PyModuleDef_HEAD_INIT, "copier", NULL, -1, methods };

PyMODINIT_FUNC PyInit_copier(void)
{
	PyObject *module = PyModule_Create(&definition);

#ifdef Py_GIL_DISABLED
	PyUnstable_Module_SetGIL(module, Py_MOD_GIL_NOT_USED);
#endif
	return module;
}
