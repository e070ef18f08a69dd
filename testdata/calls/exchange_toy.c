// SPDX-License-Identifier: MIT
/*
 * Types with DLPack's C exchange API, for bats/exchange.bats: `good` follows dlpack.h 1.3, and each
 * of the others violates one sentence. The part of a name before the underscore is the rule that
 * reports it.
 * gcc -shared -fPIC -I<Python> -I<DLPack> -o exchange_toy.abi3.so exchange_toy.c
 */
#define PY_SSIZE_T_CLEAN
#ifndef Py_GIL_DISABLED /* 3.13t and 3.14t have no stable ABI */
#define Py_LIMITED_API 0x030B0000
#endif
#include <Python.h>
#include <dlpack/dlpack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_ROWS = 2, N_COLUMNS = 3 };

struct toy {
	PyObject ob_base;
	float *memory;
	DLManagedTensorVersioned *source; /* whose memory it is; NULL: its own */
	void (*give_up)(DLManagedTensorVersioned *source);
};

/* A managed tensor and all that it points to. */
struct export
{
	DLManagedTensorVersioned managed;
	int64_t shape[3], strides[3];
	void *block; /* of the allocator */
};

static PyObject *good_type;

/* --- tensors --- */

static void delete_export(DLManagedTensorVersioned *managed)
{
	struct export *export = (struct export *)managed;

	if (managed->manager_ctx && Py_IsInitialized()) {
		PyGILState_STATE state = PyGILState_Ensure();

		Py_DecRef(managed->manager_ctx);
		PyGILState_Release(state);
	}
	free(export->block);
	free(export);
}

static void fill_tensor(DLTensor *tensor, float *memory, int64_t *shape, int64_t *strides)
{
	shape[0] = N_ROWS;
	shape[1] = N_COLUMNS;
	strides[0] = N_COLUMNS;
	strides[1] = 1;
	*tensor = (DLTensor){ .data = memory,
		.device = { kDLCPU, 0 },
		.ndim = 2,
		.dtype = { kDLFloat, 32, 1 },
		.shape = shape,
		.strides = strides };
}

static struct export *new_export(void *object)
{
	struct export *export = calloc(1, sizeof(*export));

	export->managed.version = (DLPackVersion){ DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION };
	export->managed.deleter = delete_export;
	export->managed.manager_ctx = object;
	Py_IncRef(object);
	fill_tensor(&export->managed.dl_tensor, ((struct toy *)object)->memory, export->shape,
		export->strides);
	return export;
}

/* --- the functions of `good` --- */

static int from_object(void *object, DLManagedTensorVersioned **out)
{
	*out = &new_export(object)->managed;
	return 0;
}

static int view_object(void *object, DLTensor *out)
{
	static int64_t shape[2], strides[2];

	fill_tensor(out, ((struct toy *)object)->memory, shape, strides);
	return 0;
}

static void give_up(DLManagedTensorVersioned *source)
{
	source->deleter(source);
}

static struct toy *make_of(DLManagedTensorVersioned *tensor)
{
	struct toy *toy = (struct toy *)PyObject_CallNoArgs(good_type);

	free(toy->memory);
	toy->memory = tensor->dl_tensor.data;
	toy->source = tensor;
	toy->give_up = give_up;
	return toy;
}

static int to_object(DLManagedTensorVersioned *tensor, void **out)
{
	*out = make_of(tensor);
	return 0;
}

/* Needs the tensor no longer than the call. */
static int copies_at_once(DLManagedTensorVersioned *tensor, void **out)
{
	struct toy *toy = (struct toy *)PyObject_CallNoArgs(good_type);

	memcpy(toy->memory, tensor->dl_tensor.data, N_ROWS * N_COLUMNS * sizeof(float));
	tensor->deleter(tensor);
	*out = toy;
	return 0;
}

static int allocate_like(const DLTensor *prototype, DLManagedTensorVersioned **out)
{
	struct export *export = calloc(1, sizeof(*export));
	int64_t n_bytes = 4;

	for (int32_t i = 0; i < prototype->ndim; i++)
		n_bytes *= prototype->shape[i];
	export->block = malloc((size_t)n_bytes);
	if (!export->block) {
		free(export);
		return -1;
	}
	export->managed.version = (DLPackVersion){ DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION };
	export->managed.deleter = delete_export;
	fill_tensor(&export->managed.dl_tensor, export->block, export->shape, export->strides);
	*out = &export->managed;
	return 0;
}

static int allocate(DLTensor *prototype, DLManagedTensorVersioned **out, void *error_ctx,
	void (*SetError)(void *, const char *, const char *))
{
	if (!allocate_like(prototype, out))
		return 0;
	SetError(error_ctx, "MemoryError", "out of memory");
	return -1;
}

static int no_stream(DLDeviceType type, int32_t id, void **out)
{
	(void)type;
	(void)id;
	*out = NULL;
	return 0;
}

/* --- and those that break a sentence --- */

static int names_stream(DLDeviceType type, int32_t id, void **out)
{
	(void)type;
	(void)id;
	*out = (void *)1;
	return 0;
}

static int leaves_stream(DLDeviceType type, int32_t id, void **out)
{
	(void)type;
	(void)id;
	(void)out;
	return 0;
}

static int refuses_host(DLDeviceType type, int32_t id, void **out)
{
	(void)type;
	(void)id;
	(void)out;
	PyErr_SetString(PyExc_ValueError, "the host has no streams");
	return -1;
}

static int exports_integers(void *object, DLManagedTensorVersioned **out)
{
	from_object(object, out);
	(*out)->dl_tensor.dtype.code = kDLInt;
	return 0;
}

static int exports_one_dimension_more(void *object, DLManagedTensorVersioned **out)
{
	struct export *export = new_export(object);

	export->managed.dl_tensor.ndim = 3;
	export->shape[2] = export->strides[2] = 1;
	*out = &export->managed;
	return 0;
}

static int exports_read_only(void *object, DLManagedTensorVersioned **out)
{
	from_object(object, out);
	(*out)->flags = DLPACK_FLAG_BITMASK_READ_ONLY;
	return 0;
}

static int exports_copies(void *object, DLManagedTensorVersioned **out)
{
	struct export *export = new_export(object);

	export->block = calloc(N_ROWS * N_COLUMNS, sizeof(float));
	export->managed.dl_tensor.data = export->block;
	*out = &export->managed;
	return 0;
}

static int exports_of_another_device(void *object, DLManagedTensorVersioned **out)
{
	from_object(object, out);
	(*out)->dl_tensor.device.device_id = 1;
	return 0;
}

static int refuses_what_is_exported(void *object, DLManagedTensorVersioned **out)
{
	(void)object;
	(void)out;
	PyErr_SetString(PyExc_BufferError, "not by this road");
	return -1;
}

static int views_other_rows(void *object, DLTensor *out)
{
	view_object(object, out);
	out->strides[0] = -N_COLUMNS;
	return 0;
}

static int fails_silently(void *object, DLManagedTensorVersioned **out)
{
	(void)object;
	(void)out;
	return -1;
}

static int leaves_exception(void *object, DLManagedTensorVersioned **out)
{
	PyErr_SetString(PyExc_KeyError, "not found, and not missed");
	return from_object(object, out);
}

static int gives_nothing(void *object, DLManagedTensorVersioned **out)
{
	(void)object;
	(void)out;
	return 0;
}

static int sets_data_deleter(void *object, DLManagedTensorVersioned **out)
{
	from_object(object, out);
	(*out)->deleter = (void (*)(DLManagedTensorVersioned *))object;
	return 0;
}

static int raises_value_error(void *object, DLManagedTensorVersioned **out)
{
	(void)object;
	(void)out;
	PyErr_SetString(PyExc_ValueError, "cannot be described");
	return -1;
}

static int views_nothing(void *object, DLTensor *out)
{
	(void)object;
	(void)out;
	PyErr_SetString(PyExc_BufferError, "cannot be described");
	return -1;
}

static int makes_nothing(DLManagedTensorVersioned *tensor, void **out)
{
	(void)out;
	tensor->deleter(tensor);
	return 0;
}

static int makes_nothing_silently(DLManagedTensorVersioned *tensor, void **out)
{
	(void)tensor;
	(void)out;
	return -1;
}

static int allocates_silently(DLTensor *prototype, DLManagedTensorVersioned **out, void *error_ctx,
	void (*SetError)(void *, const char *, const char *))
{
	(void)error_ctx;
	(void)SetError;
	return allocate_like(prototype, out);
}

static int tells_twice(DLTensor *prototype, DLManagedTensorVersioned **out, void *error_ctx,
	void (*SetError)(void *, const char *, const char *))
{
	int status = allocate(prototype, out, error_ctx, SetError);

	if (status)
		SetError(error_ctx, "MemoryError", "still out of memory");
	return status;
}

static int tells_success(DLTensor *prototype, DLManagedTensorVersioned **out, void *error_ctx,
	void (*SetError)(void *, const char *, const char *))
{
	if (!allocate(prototype, out, error_ctx, SetError))
		SetError(error_ctx, "Success", "there is nothing to complain of");
	return *out ? 0 : -1;
}

static int allocates_vectors(DLTensor *prototype, DLManagedTensorVersioned **out, void *error_ctx,
	void (*SetError)(void *, const char *, const char *))
{
	int status = allocate(prototype, out, error_ctx, SetError);

	if (!status)
		(*out)->dl_tensor.ndim = 1;
	return status;
}

static int keeps_owner(void *object, DLManagedTensorVersioned **out)
{
	Py_IncRef(object);
	return from_object(object, out);
}

static int leaks(void *object, DLManagedTensorVersioned **out)
{
	return malloc(64) ? from_object(object, out) : -1;
}

static int aborts_late(void *object, DLManagedTensorVersioned **out)
{
	static int n_exports;

	if (n_exports++ == 60)
		abort();
	return from_object(object, out);
}

static void never(DLManagedTensorVersioned *source)
{
	(void)source;
}

static int never_deletes(DLManagedTensorVersioned *tensor, void **out)
{
	struct toy *toy = make_of(tensor);

	toy->give_up = never;
	*out = toy;
	return 0;
}

static void twice(DLManagedTensorVersioned *source)
{
	void (*deleter)(DLManagedTensorVersioned *) = source->deleter;

	deleter(source);
	deleter(source);
}

static int deletes_twice(DLManagedTensorVersioned *tensor, void **out)
{
	struct toy *toy = make_of(tensor);

	toy->give_up = twice;
	*out = toy;
	return 0;
}

static int deletes_early(DLManagedTensorVersioned *tensor, void **out)
{
	struct toy *toy = make_of(tensor);

	toy->give_up = never;
	tensor->deleter(tensor);
	*out = toy;
	return 0;
}

static int crashes(void *object, DLTensor *out)
{
	(void)object;
	(void)out;
	abort();
}

/* --- the types --- */

#define TABLE(...)                                                                                \
	{                                                                                         \
		.header = { .version = { DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION } },          \
		.managed_tensor_allocator = allocate,                                             \
		.managed_tensor_from_py_object_no_sync = from_object,                             \
		.managed_tensor_to_py_object_no_sync = to_object,                                 \
		.dltensor_from_py_object_no_sync = view_object, .current_work_stream = no_stream, \
		__VA_ARGS__                                                                       \
	}

#define FROM .managed_tensor_from_py_object_no_sync
#define TO .managed_tensor_to_py_object_no_sync
#define VIEW .dltensor_from_py_object_no_sync
#define ALLOCATOR .managed_tensor_allocator
#define STREAM .current_work_stream

static struct kind {
	const char *name;
	DLPackExchangeAPI table;
} kinds[] = {
	{ "good", TABLE() },
	{ "good_that_copies", TABLE(TO = copies_at_once) },
	{ "good_without_view", TABLE(VIEW = NULL) },
	{ "good_undescribable", TABLE(FROM = refuses_what_is_exported, VIEW = views_nothing) },
	{ "CXA102_no_allocator", TABLE(ALLOCATOR = NULL) },
	{ "CXA102_nothing_but_streams",
		TABLE(ALLOCATOR = NULL, FROM = NULL, TO = NULL, VIEW = NULL) },
	{ "CXA601_names_stream", TABLE(STREAM = names_stream) },
	{ "CXA601_leaves_stream", TABLE(STREAM = leaves_stream) },
	{ "CXA601_refuses_host", TABLE(STREAM = refuses_host) },
	{ "CXA801_integers", TABLE(FROM = exports_integers) },
	{ "CXA801_one_dimension_more", TABLE(FROM = exports_one_dimension_more) },
	{ "CXA801_read_only", TABLE(FROM = exports_read_only) },
	{ "CXA801_copies", TABLE(FROM = exports_copies) },
	{ "CXA801_another_device", TABLE(FROM = exports_of_another_device) },
	{ "CXA801_refuses", TABLE(FROM = refuses_what_is_exported) },
	{ "CXA801_views_other_rows", TABLE(VIEW = views_other_rows) },
	{ "CXA802_fails_silently", TABLE(FROM = fails_silently) },
	{ "CXA802_leaves_exception", TABLE(FROM = leaves_exception) },
	{ "CXA802_gives_nothing", TABLE(FROM = gives_nothing) },
	{ "CXA802_sets_data_deleter", TABLE(FROM = sets_data_deleter) },
	{ "CXA804_undescribable", TABLE(FROM = raises_value_error, VIEW = views_nothing) },
	{ "CXA802_makes_nothing", TABLE(TO = makes_nothing) },
	{ "CXA802_makes_nothing_silently", TABLE(TO = makes_nothing_silently) },
	{ "CXA803_silent", TABLE(ALLOCATOR = allocates_silently) },
	{ "CXA803_tells_twice", TABLE(ALLOCATOR = tells_twice) },
	{ "CXA803_tells_success", TABLE(ALLOCATOR = tells_success) },
	{ "CXA803_vectors", TABLE(ALLOCATOR = allocates_vectors) },
	{ "CXA004_moves", TABLE() },
	{ "CXA004_dies", TABLE() },
	{ "CXA701_keeps_owner", TABLE(FROM = keeps_owner) },
	{ "CXA701_leaks", TABLE(FROM = leaks) },
	{ "CXA701_aborts_late", TABLE(FROM = aborts_late) },
	{ "CXA701_never_deletes", TABLE(TO = never_deletes) },
	{ "CXA701_deletes_twice", TABLE(TO = deletes_twice) },
	{ "CXA701_deletes_early", TABLE(TO = deletes_early) },
	{ "crashes", TABLE(VIEW = crashes) },
};

static int toy_init(PyObject *self, PyObject *args, PyObject *keywords)
{
	(void)args;
	(void)keywords;
	((struct toy *)self)->memory = calloc(N_ROWS * N_COLUMNS, sizeof(float));
	return 0;
}

static void toy_end(PyObject *self)
{
	struct toy *toy = (struct toy *)self;
	PyTypeObject *type = Py_TYPE(self);
	freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

	if (toy->source)
		toy->give_up(toy->source);
	else
		free(toy->memory);
	release(self);
	Py_DecRef((PyObject *)type);
}

static void delete_unused(PyObject *capsule)
{
	DLManagedTensorVersioned *managed;

	if (!PyCapsule_IsValid(capsule, "dltensor_versioned"))
		return;
	managed = PyCapsule_GetPointer(capsule, "dltensor_versioned");
	managed->deleter(managed);
}

/* Refuses without max_version, as the standard allows, and what it cannot describe. */
static PyObject *toy_dlpack(PyObject *self, PyObject *args, PyObject *keywords)
{
	static char *names[] = { "stream", "max_version", "dl_device", "copy", NULL };
	PyObject *stream = Py_None, *version = Py_None, *device = Py_None, *copy = Py_None;
	int major = 0, minor, type = kDLCPU, id = 0;
	PyObject *name, *is_odd;

	if (!PyArg_ParseTupleAndKeywords(
		    args, keywords, "|$OOOO", names, &stream, &version, &device, &copy) ||
		(version != Py_None && !PyArg_ParseTuple(version, "ii", &major, &minor)) ||
		(device != Py_None && !PyArg_ParseTuple(device, "ii", &type, &id)))
		return NULL;
	if (stream != Py_None)
		return PyErr_Format(PyExc_ValueError, "the host has no streams");
	name = PyType_GetName(Py_TYPE(self));
	is_odd = PyUnicode_FromString("undescribable");
	major = PyUnicode_Contains(name, is_odd) ? 0 : major;
	Py_DecRef(is_odd);
	Py_DecRef(name);
	if (major < 1 || type != kDLCPU || copy == Py_True)
		return PyErr_Format(PyExc_BufferError, "it cannot be exported like that");
	return PyCapsule_New(&new_export(self)->managed, "dltensor_versioned", delete_unused);
}

static PyObject *toy_device(PyObject *self, PyObject *nothing)
{
	(void)self;
	(void)nothing;
	return Py_BuildValue("ii", kDLCPU, 0);
}

static PyMethodDef methods[] = {
	{ "__dlpack__", (PyCFunction)(void (*)(void))toy_dlpack, METH_VARARGS | METH_KEYWORDS,
		NULL },
	{ "__dlpack_device__", toy_device, METH_NOARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

static PyType_Slot slots[] = {
	{ Py_tp_new, PyType_GenericNew },
	{ Py_tp_init, toy_init },
	{ Py_tp_dealloc, toy_end },
	{ Py_tp_methods, methods },
	{ 0, NULL },
};

/* --- attributes that are made at each look --- */

static PyObject *get_moving(PyObject *self, PyObject *object, PyObject *type)
{
	DLPackExchangeAPI *table = malloc(sizeof(*table));

	(void)self;
	(void)object;
	(void)type;
	*table = kinds[0].table;
	return PyCapsule_New(table, "dlpack_exchange_api", NULL);
}

static DLPackExchangeAPI *shared_table;
static int n_shared;

static void end_shared(PyObject *capsule)
{
	(void)capsule;
	if (!--n_shared)
		free(shared_table);
}

/* One table, as long as somebody has a capsule of it. */
static PyObject *get_dying(PyObject *self, PyObject *object, PyObject *type)
{
	(void)self;
	(void)object;
	(void)type;
	if (!n_shared++) {
		shared_table = malloc(sizeof(*shared_table));
		*shared_table = kinds[0].table;
	}
	return PyCapsule_New(shared_table, "dlpack_exchange_api", end_shared);
}

static PyObject *new_descriptor(descrgetfunc get)
{
	PyType_Slot descriptor_slots[] = { { Py_tp_descr_get, get }, { 0, NULL } };
	PyType_Spec spec = { "exchange_toy.descriptor", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT,
		descriptor_slots };
	PyObject *type = PyType_FromSpec(&spec), *descriptor = PyObject_CallNoArgs(type);

	Py_DecRef(type);
	return descriptor;
}

static PyObject *new_attribute(struct kind *kind)
{
	if (!strcmp(kind->name, "CXA004_moves"))
		return new_descriptor(get_moving);
	if (!strcmp(kind->name, "CXA004_dies"))
		return new_descriptor(get_dying);
	return PyCapsule_New(&kind->table, "dlpack_exchange_api", NULL);
}

static PyModuleDef module = { PyModuleDef_HEAD_INIT, .m_name = "exchange_toy", .m_size = -1 };

PyMODINIT_FUNC PyInit_exchange_toy(void)
{
	PyObject *made = PyModule_Create(&module), *names = PyList_New(0);

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		PyType_Spec spec = { .basicsize = sizeof(struct toy),
			.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
			.slots = slots };
		char *name = malloc(80); /* the type keeps it */
		PyObject *type, *attribute = new_attribute(&kinds[i]);

		snprintf(name, 80, "exchange_toy.%s", kinds[i].name);
		spec.name = name;
		type = PyType_FromSpec(&spec);
		PyObject_SetAttrString(type, "__dlpack_c_exchange_api__", attribute);
		Py_DecRef(attribute);
		PyModule_AddObjectRef(made, kinds[i].name, type);
		PyList_Append(names, PyUnicode_FromString(kinds[i].name));
		if (!i)
			good_type = type;
	}
	PyModule_AddObjectRef(made, "names", names);
#ifdef Py_GIL_DISABLED
	PyUnstable_Module_SetGIL(made, Py_MOD_GIL_NOT_USED);
#endif
	return made;
}
