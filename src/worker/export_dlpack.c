// SPDX-License-Identifier: MIT
/*
 * Exports __dlpack__ and __dlpack_device__ (array API 2025.12, "Data interchange mechanisms";
 * dlpack.h 1.3; DLPack's python_spec). Only memory that the processor reaches, kDLCPU, so far.
 */
#include "worker/exported.h"

#include "base/memory.h"
#include "copy/host_copy.h"

#include <dlpack/dlpack.h>
#include <stdlib.h>
#include <string.h>

#define LEGACY_NAME "dltensor"
#define VERSIONED_NAME "dltensor_versioned"

/* What a consumer asked for. */
struct request {
	bool versioned;
	bool copy;
	uint32_t minor;
};

/* One export: the struct that the capsule holds, followed by the shape and the strides. */
struct managed {
	union {
		DLManagedTensor legacy;
		DLManagedTensorVersioned versioned;
	};
	int64_t shape_and_strides[];
};

static int adapt(struct arena *arena, struct element_array *elements, struct err *err)
{
	struct dtype dtype = elements->array.dtype;
	uint8_t code, bits;
	uint16_t lanes;

	(void)arena;
	dtype.foreign_order = false; /* a copy changes it */
	if (dtype_to_dlpack(&dtype, &code, &bits, &lanes, err))
		return -1;
	elements->descr = NULL;
	elements->format = NULL;
	return 0;
}

static const char *copy_reason(
	struct arena *arena, const struct array *array, int64_t interface_version)
{
	int64_t item_bytes = dtype_itemsize(&array->dtype);

	if (array->dtype.foreign_order)
		return "DLPack knows native byte order alone, and the source's is the other";
	if (interface_version == 0 && array->readonly == READONLY_YES)
		return "a legacy capsule cannot say read-only, and the source is";
	for (int i = 0; i < array->n_dims; i++)
		if (array->shape[i] > 1 && array->stride_bytes[i] % item_bytes != 0)
			return arena_printf(arena,
				"DLPack counts strides in elements, and %lld bytes are no multiple of %lld",
				(long long)array->stride_bytes[i], (long long)item_bytes);
	return NULL;
}

/* Any thread, with or without the GIL; a finalized interpreter has nothing left to release. */
static void release_owner(PyObject *owner)
{
	PyGILState_STATE state;

	if (!Py_IsInitialized())
		return;
	state = PyGILState_Ensure();
	Py_DecRef(owner);
	PyGILState_Release(state);
}

static void delete_legacy(DLManagedTensor *self)
{
	PyObject *owner = self->manager_ctx;

	free(self);
	release_owner(owner);
}

static void delete_versioned(DLManagedTensorVersioned *self)
{
	PyObject *owner = self->manager_ctx;

	free(self);
	release_owner(owner);
}

/* A consumer renames the capsule that it took; only what nobody took is deleted here. */
static void drop_capsule(PyObject *capsule)
{
	if (PyCapsule_IsValid(capsule, LEGACY_NAME))
		delete_legacy(PyCapsule_GetPointer(capsule, LEGACY_NAME));
	else if (PyCapsule_IsValid(capsule, VERSIONED_NAME))
		delete_versioned(PyCapsule_GetPointer(capsule, VERSIONED_NAME));
}

static void fill_tensor(DLTensor *tensor, const struct array *array, int64_t *shape)
{
	int64_t *strides = shape + array->n_dims, item_bytes = dtype_itemsize(&array->dtype);
	struct err ignored;

	*tensor = (DLTensor){
		.data = array_elements(array) ? (void *)(uintptr_t)array->pointer : NULL,
		.device = { .device_type = kDLCPU, .device_id = 0 },
		.ndim = array->n_dims,
		.shape = array->n_dims ? shape : NULL,
		.strides = array->n_dims ? strides : NULL,
	};
	(void)dtype_to_dlpack(&array->dtype, &tensor->dtype.code, &tensor->dtype.bits,
		&tensor->dtype.lanes, &ignored);
	for (int i = 0; i < array->n_dims; i++) {
		shape[i] = array->shape[i];
		strides[i] = array->stride_bytes[i] / item_bytes;
	}
}

/* Takes owner. */
static PyObject *make_capsule(
	const struct array *array, const struct request *request, PyObject *owner)
{
	struct managed *managed =
		mem_alloc(sizeof(*managed) + 2 * (size_t)array->n_dims * sizeof(int64_t));
	PyObject *capsule;

	if (request->versioned) {
		managed->versioned.version = (DLPackVersion){ 1, request->minor };
		managed->versioned.manager_ctx = owner;
		managed->versioned.deleter = delete_versioned;
		managed->versioned.flags = request->copy ? DLPACK_FLAG_BITMASK_IS_COPIED
					   : array->readonly == READONLY_YES
						   ? DLPACK_FLAG_BITMASK_READ_ONLY
						   : 0;
		fill_tensor(&managed->versioned.dl_tensor, array, managed->shape_and_strides);
	} else {
		managed->legacy.manager_ctx = owner;
		managed->legacy.deleter = delete_legacy;
		fill_tensor(&managed->legacy.dl_tensor, array, managed->shape_and_strides);
	}
	capsule = PyCapsule_New(
		managed, request->versioned ? VERSIONED_NAME : LEGACY_NAME, drop_capsule);
	if (!capsule) {
		free(managed);
		Py_DecRef(owner);
	}
	return capsule;
}

static PyObject *export_copy(const struct array *array, const struct request *request)
{
	struct array copy = *array;
	struct copy_plan plan;
	struct err err;
	PyObject *owner = exported_allocate(array_nbytes(array), &copy.pointer);

	if (!owner)
		return NULL;
	array_set_compact_strides(&copy, 'C');
	copy.readonly = READONLY_NO;
	if (plan_make(&plan, array, &copy, &err)) {
		Py_DecRef(owner);
		PyErr_SetString(PyExc_BufferError, err.message);
		return NULL;
	}
	WITHOUT_GIL(host_copy(
		&plan, (const void *)(uintptr_t)array->pointer, (void *)(uintptr_t)copy.pointer));
	return make_capsule(&copy, request, owner);
}

static int refuse(const char *why)
{
	PyErr_SetString(PyExc_BufferError, why);
	return -1;
}

/* A pair of integers; -1 with TypeError set for anything else. */
static int read_pair(PyObject *pair, const char *name, long *first, long *second)
{
	bool is_pair = PyTuple_Check(pair) && PyTuple_Size(pair) == 2;

	if (is_pair) {
		*first = PyLong_AsLong(PyTuple_GetItem(pair, 0));
		*second = PyErr_Occurred() ? -1 : PyLong_AsLong(PyTuple_GetItem(pair, 1));
	}
	if (is_pair && !PyErr_Occurred())
		return 0;
	PyErr_Format(PyExc_TypeError, "%s must be None or a tuple of two integers", name);
	return -1;
}

/* The version to answer with: legacy, or the consumer's own where this header can write it. */
static int read_version(PyObject *max_version, int64_t interface_version, struct request *request)
{
	long major = 0, minor = 0;

	if (max_version != Py_None && read_pair(max_version, "max_version", &major, &minor))
		return -1;
	request->versioned = major >= 1 && interface_version != 0;
	request->minor =
		major > 1 || minor > DLPACK_MINOR_VERSION ? DLPACK_MINOR_VERSION : (uint32_t)minor;
	return 0;
}

static int read_device(PyObject *dl_device)
{
	long type = 0, id = 0;

	if (dl_device == Py_None)
		return 0;
	if (read_pair(dl_device, "dl_device", &type, &id))
		return -1;
	return type == kDLCPU && id == 0 ? 0
					 : refuse("this memory can be exported on the CPU alone");
}

static int read_copy(PyObject *copy, struct request *request)
{
	request->copy = copy == Py_True;
	if (copy == Py_None || PyBool_Check(copy))
		return 0;
	PyErr_SetString(PyExc_TypeError, "copy must be None, True or False");
	return -1;
}

static PyObject *dlpack(PyObject *object, PyObject *args, PyObject *kwargs)
{
	char *names[] = { (char[]){ "stream" }, (char[]){ "max_version" }, (char[]){ "dl_device" },
		(char[]){ "copy" }, NULL };
	const struct exported *self = (const struct exported *)object;
	const struct array *array = &self->elements.array;
	PyObject *stream = Py_None, *version = Py_None, *device = Py_None, *copy = Py_None;
	struct request request;

	if (!PyArg_ParseTupleAndKeywords(
		    args, kwargs, "|$OOOO:__dlpack__", names, &stream, &version, &device, &copy))
		return NULL;
	if (stream != Py_None) {
		PyErr_SetString(PyExc_ValueError, "on the CPU stream must be None");
		return NULL;
	}
	if (read_version(version, self->interface_version, &request) || read_device(device) ||
		read_copy(copy, &request))
		return NULL;
	if (request.copy)
		return export_copy(array, &request);
	if (!request.versioned && array->readonly == READONLY_YES) {
		refuse("a legacy capsule cannot say that the memory is read-only; ask for "
		       "max_version=(1, 0) or copy=True");
		return NULL;
	}
	Py_IncRef(object);
	return make_capsule(array, &request, object);
}

static PyObject *dlpack_device(PyObject *object, PyObject *unused)
{
	(void)object;
	(void)unused;
	return Py_BuildValue("(ii)", (int)kDLCPU, 0);
}

static PyMethodDef methods[] = {
	{ "__dlpack__", (PyCFunction)(void (*)(void))dlpack, METH_VARARGS | METH_KEYWORDS, NULL },
	{ "__dlpack_device__", dlpack_device, METH_NOARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

static const PyType_Slot slots[] = { { Py_tp_methods, methods }, { 0, NULL } };

const struct exporter dlpack_exporter = {
	.protocol = "dlpack",
	.adapt = adapt,
	.copy_reason = copy_reason,
	.native_order = true,
	.slots = slots,
};
