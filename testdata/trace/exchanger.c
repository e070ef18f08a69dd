// SPDX-License-Identifier: MIT
/*
 * A module that exports and consumes DLPack capsules in unusual ways, for bats/trace_*.bats.
 *
 * export(n_bytes, how): "plain"; "static": the struct is not on the heap; "no-deleter"; "reused":
 * one struct that is exported again and again, whose deleter may be called any number of times;
 * "direct": the capsule's destructor frees the struct without its deleter; "copy": flagged as a
 * copy; "cuda": it claims to be on CUDA; "unfinished": the struct is filled after the capsule was
 * created; "late-destructor": it is set after the capsule was created; "context": the deleter
 * finds the struct by its context; "shared-context": all structs have the same one.
 * consume(capsule, how): "release" at once; "early": before the capsule is renamed; "unnamed": the
 * capsule keeps its name, and loses its destructor; "rearm": it is given back; "hold" by the
 * returned object; "hold-without-gil": it gives up the GIL to release the tensor; "copy": it holds
 * a copy of the struct; "leak"; "twice"; "thread": released by a thread without the GIL; "exit": by
 * exit(), after the interpreter was finalized. view(object, how): keeps a Py_buffer until the
 * returned object is gone; "copy": releases a copy of the struct; "leak": never. parse(object):
 * lets the interpreter request a view, and releases it. is_own(capsule): whether its deleter is
 * that of export(). has_own_destructor(capsule): the same of its destructor. deleted(): how often a
 * deleter was called. end_thread(): ends the thread that calls it. simple_exporter(): an object
 * with the buffer protocol whose views have no valid format unless that is requested.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <dlpack/dlpack.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static long n_deleted;
static DLManagedTensor reused, in_static_memory;
static int64_t reused_extent;

static void delete_plain(DLManagedTensor *managed)
{
	__atomic_add_fetch(&n_deleted, 1, __ATOMIC_RELAXED);
	free(managed->dl_tensor.shape);
	free(managed->dl_tensor.data);
	free(managed);
}

static void delete_by_context(DLManagedTensor *managed)
{
	delete_plain(managed->manager_ctx);
}

static void delete_versioned(DLManagedTensorVersioned *managed)
{
	__atomic_add_fetch(&n_deleted, 1, __ATOMIC_RELAXED);
	free(managed->dl_tensor.shape);
	free(managed->dl_tensor.data);
	free(managed);
}

static void delete_nothing(DLManagedTensor *managed)
{
	(void)managed;
	__atomic_add_fetch(&n_deleted, 1, __ATOMIC_RELAXED);
}

static void destroy_exported(PyObject *capsule)
{
	if (PyCapsule_IsValid(capsule, "dltensor")) {
		DLManagedTensor *managed = PyCapsule_GetPointer(capsule, "dltensor");

		if (managed->deleter)
			managed->deleter(managed);
	} else if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
		DLManagedTensorVersioned *managed =
			PyCapsule_GetPointer(capsule, "dltensor_versioned");

		managed->deleter(managed);
	}
}

static void destroy_directly(PyObject *capsule)
{
	DLManagedTensor *managed;

	if (!PyCapsule_IsValid(capsule, "dltensor"))
		return;
	managed = PyCapsule_GetPointer(capsule, "dltensor");
	free(managed->dl_tensor.shape);
	free(managed->dl_tensor.data);
	free(managed);
}

static DLTensor make_tensor(int64_t n_bytes, int64_t *extent)
{
	*extent = n_bytes;
	return (DLTensor){ .data = calloc(1, (size_t)n_bytes + 1),
		.device = { kDLCPU, 0 },
		.ndim = 1,
		.dtype = { kDLUInt, 8, 1 },
		.shape = extent };
}

static PyObject *export_tensor(PyObject *self, PyObject *arguments)
{
	DLManagedTensor *managed = NULL;
	const char *how;
	Py_ssize_t n_bytes;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "ns", &n_bytes, &how))
		return NULL;
	if (!strcmp(how, "copy")) {
		DLManagedTensorVersioned *versioned = calloc(1, sizeof(*versioned));

		versioned->version.major = 1;
		versioned->flags = DLPACK_FLAG_BITMASK_IS_COPIED;
		versioned->dl_tensor = make_tensor(n_bytes, malloc(sizeof(int64_t)));
		versioned->deleter = delete_versioned;
		return PyCapsule_New(versioned, "dltensor_versioned", destroy_exported);
	}
	if (!strcmp(how, "reused")) {
		managed = &reused;
		if (!managed->deleter) {
			/* On the heap, and never freed. */
			managed = calloc(1, sizeof(*managed));
			managed->dl_tensor = make_tensor(n_bytes, &reused_extent);
			managed->deleter = delete_nothing;
			reused.manager_ctx = managed;
			reused.deleter = delete_nothing;
		} else {
			managed = reused.manager_ctx;
		}
	} else if (!strcmp(how, "static")) {
		managed = &in_static_memory;
		managed->dl_tensor = make_tensor(n_bytes, &reused_extent);
		managed->deleter = delete_nothing;
	} else {
		managed = calloc(1, sizeof(*managed));
		managed->dl_tensor = make_tensor(n_bytes, malloc(sizeof(int64_t)));
		managed->deleter = strcmp(how, "no-deleter") ? delete_plain : NULL;
		if (!strcmp(how, "context")) {
			managed->manager_ctx = managed;
			managed->deleter = delete_by_context;
		} else if (!strcmp(how, "shared-context")) {
			managed->manager_ctx = &n_deleted;
			managed->deleter = delete_nothing;
		}
		if (!strcmp(how, "cuda"))
			managed->dl_tensor.device.device_type = kDLCUDA;
	}
	if (!strcmp(how, "unfinished")) {
		const DLManagedTensor complete = *managed;
		PyObject *capsule;

		/* As memory may be that was just allocated. */
		memset(&managed->dl_tensor, 0x11, sizeof(managed->dl_tensor));
		managed->dl_tensor.ndim = 3;
		capsule = PyCapsule_New(managed, "dltensor", destroy_exported);
		managed->dl_tensor = complete.dl_tensor;
		return capsule;
	}
	if (!strcmp(how, "late-destructor")) {
		PyObject *capsule = PyCapsule_New(managed, "dltensor", NULL);

		PyCapsule_SetDestructor(capsule, destroy_exported);
		return capsule;
	}
	return PyCapsule_New(
		managed, "dltensor", strcmp(how, "direct") ? destroy_exported : destroy_directly);
}

static void release_held(PyObject *capsule)
{
	DLManagedTensor *managed = PyCapsule_GetPointer(capsule, "held");

	managed->deleter(managed);
}

static void release_held_without_gil(PyObject *capsule)
{
	DLManagedTensor *managed = PyCapsule_GetPointer(capsule, "held");

	Py_BEGIN_ALLOW_THREADS managed->deleter(managed);
	Py_END_ALLOW_THREADS
}

static void release_copy(PyObject *capsule)
{
	DLManagedTensor *copy = PyCapsule_GetPointer(capsule, "copy");

	copy->deleter(copy);
	free(copy);
}

static PyObject *hold_copy(const DLManagedTensor *managed)
{
	DLManagedTensor *copy = malloc(sizeof(*copy));

	*copy = *managed;
	return PyCapsule_New(copy, "copy", release_copy);
}

static void *release_in_thread(void *managed)
{
	((DLManagedTensor *)managed)->deleter(managed);
	return NULL;
}

static DLManagedTensor *released_at_exit;

static void release_at_exit(void)
{
	released_at_exit->deleter(released_at_exit);
}

static void release_view(PyObject *capsule)
{
	Py_buffer *view = PyCapsule_GetPointer(capsule, "view");

	PyBuffer_Release(view);
	free(view);
}

static PyObject *view_buffer(PyObject *self, PyObject *arguments)
{
	Py_buffer *view = malloc(sizeof(*view)), *copy = malloc(sizeof(*copy));
	const char *how;
	PyObject *object;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "Os", &object, &how) ||
		PyObject_GetBuffer(object, view, PyBUF_SIMPLE))
		return NULL;
	memcpy(copy, view, sizeof(*copy));
	if (!strcmp(how, "leak"))
		Py_RETURN_NONE;
	if (strcmp(how, "copy"))
		return PyCapsule_New(view, "view", release_view);
	memset(view, 0, sizeof(*view));
	return PyCapsule_New(copy, "view", release_view);
}

static PyObject *parse_buffer(PyObject *self, PyObject *arguments)
{
	Py_buffer view;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "y*", &view))
		return NULL;
	PyBuffer_Release(&view);
	Py_RETURN_NONE;
}

static PyObject *consume_tensor(PyObject *self, PyObject *arguments)
{
	const char *how, *name = "dltensor", *used = "used_dltensor";
	PyObject *capsule;
	DLManagedTensor *managed;
	pthread_t thread;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "Os", &capsule, &how))
		return NULL;
	if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
		DLManagedTensorVersioned *versioned =
			PyCapsule_GetPointer(capsule, "dltensor_versioned");

		PyCapsule_SetName(capsule, "used_dltensor_versioned");
		versioned->deleter(versioned);
		Py_RETURN_NONE;
	}
	managed = PyCapsule_GetPointer(capsule, name);
	if (!managed)
		return NULL;
	if (!strcmp(how, "early"))
		managed->deleter(managed);
	if (!strcmp(how, "unnamed")) {
		PyCapsule_SetDestructor(capsule, NULL);
		managed->deleter(managed);
		Py_RETURN_NONE;
	}
	if (!strcmp(how, "rearm")) {
		PyCapsule_Destructor destructor = PyCapsule_GetDestructor(capsule);

		PyCapsule_SetDestructor(capsule, NULL);
		PyCapsule_SetDestructor(capsule, destructor);
		Py_RETURN_NONE;
	}
	if (PyCapsule_SetName(capsule, used))
		return NULL;
	if (!strcmp(how, "copy"))
		return hold_copy(managed);
	if (!strcmp(how, "hold"))
		return PyCapsule_New(managed, "held", release_held);
	if (!strcmp(how, "hold-without-gil"))
		return PyCapsule_New(managed, "held", release_held_without_gil);
	if ((!strcmp(how, "release") || !strcmp(how, "twice")) && managed->deleter)
		managed->deleter(managed);
	if (!strcmp(how, "twice"))
		managed->deleter(managed);
	if (!strcmp(how, "exit")) {
		released_at_exit = managed;
		atexit(release_at_exit);
	}
	if (!strcmp(how, "thread")) {
		Py_BEGIN_ALLOW_THREADS pthread_create(&thread, NULL, release_in_thread, managed);
		pthread_join(thread, NULL);
		Py_END_ALLOW_THREADS
	}
	Py_RETURN_NONE;
}

static PyObject *compare_deleter(PyObject *self, PyObject *capsule)
{
	DLManagedTensor *managed = PyCapsule_GetPointer(capsule, "dltensor");

	(void)self;
	return managed ? PyBool_FromLong(managed->deleter == delete_plain) : NULL;
}

static PyObject *compare_destructor(PyObject *self, PyObject *capsule)
{
	(void)self;
	return PyBool_FromLong(PyCapsule_GetDestructor(capsule) == destroy_exported);
}

static int fill_simple_view(PyObject *object, Py_buffer *view, int flags)
{
	static char format[] = "B", data[8];

	if (PyBuffer_FillInfo(view, object, data, sizeof(data), 0, flags))
		return -1;
	view->format = flags & PyBUF_FORMAT ? format : (char *)1;
	return 0;
}

static PyObject *create_exporter(PyType_Slot *slots)
{
	PyType_Spec spec = { MODULE_NAME ".SimpleExporter", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT,
		slots };
	PyObject *type = PyType_FromSpec(&spec), *object = PyObject_CallNoArgs(type);

	Py_DECREF(type);
	return object;
}

static PyObject *create_simple_exporter(PyObject *self, PyObject *arguments)
{
	(void)self;
	(void)arguments;
	return create_exporter(
		(PyType_Slot[]){ { Py_bf_getbuffer, fill_simple_view }, { 0, NULL } });
}

static void release_simple_view(PyObject *object, Py_buffer *view)
{
	(void)object;
	(void)view;
}

/* NumPy keeps a memoryview of an object whose views have to be released. */
static PyObject *create_releasing_exporter(PyObject *self, PyObject *arguments)
{
	(void)self;
	(void)arguments;
	return create_exporter((PyType_Slot[]){ { Py_bf_getbuffer, fill_simple_view },
		{ Py_bf_releasebuffer, release_simple_view }, { 0, NULL } });
}

static PyObject *count_deleted(PyObject *self, PyObject *arguments)
{
	(void)self;
	(void)arguments;
	return PyLong_FromLong(__atomic_load_n(&n_deleted, __ATOMIC_RELAXED));
}

static PyObject *read_attribute(PyObject *self, PyObject *object)
{
	PyObject *value = PyObject_GetAttrString(object, "__array_interface__");

	(void)self;
	if (!value)
		return NULL;
	Py_DECREF(value);
	Py_RETURN_NONE;
}

/* Python does not notice that the thread has ended. */
static PyObject *end_thread(PyObject *self, PyObject *arguments)
{
	(void)self;
	(void)arguments;
	PyEval_SaveThread();
	pthread_exit(NULL);
}

static PyMethodDef methods[] = {
	{ "export", export_tensor, METH_VARARGS, NULL },
	{ "consume", consume_tensor, METH_VARARGS, NULL },
	{ "view", view_buffer, METH_VARARGS, NULL },
	{ "parse", parse_buffer, METH_VARARGS, NULL },
	{ "read", read_attribute, METH_O, NULL },
	{ "is_own", compare_deleter, METH_O, NULL },
	{ "has_own_destructor", compare_destructor, METH_O, NULL },
	{ "simple_exporter", create_simple_exporter, METH_NOARGS, NULL },
	{ "releasing_exporter", create_releasing_exporter, METH_NOARGS, NULL },
	{ "end_thread", end_thread, METH_NOARGS, NULL },
	{ "deleted", count_deleted, METH_NOARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

static PyModuleDef_Slot slots[] = {
#if PY_VERSION_HEX >= 0x030c0000
	{ Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED },
#endif
#ifdef Py_GIL_DISABLED
	{ Py_mod_gil, Py_MOD_GIL_NOT_USED },
#endif
	{ 0, NULL },
};

static struct PyModuleDef definition = { PyModuleDef_HEAD_INIT, MODULE_NAME, NULL, 0, methods,
	slots, NULL, NULL, NULL };

PyMODINIT_FUNC MODULE_INIT(void)
{
	return PyModuleDef_Init(&definition);
}
