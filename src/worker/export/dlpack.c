// SPDX-License-Identifier: MIT
/*
 * Exports __dlpack__ and __dlpack_device__ (array API 2025.12, "Data interchange mechanisms";
 * dlpack.h 1.3; DLPack's python_spec), of memory on the host or any device that DLPack names.
 */
#include "worker/export/dlpack.h"
#include "base/plural.h"
#include "worker/memory/device_session.h"

#include <dlpack/dlpack.h>
#include <string.h>

/* The keywords of a call. */
struct keywords {
	PyObject *stream, *max_version, *dl_device, *copy;
};

static int adapt_to_dlpack(struct arena *arena, struct element_array *elements, struct err *err)
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

static const char *dlpack_copy_reason(
	struct arena *arena, const struct array *array, int64_t interface_version)
{
	int64_t item_bytes = dtype_itemsize(&array->dtype);

	if (array->dtype.foreign_order)
		return "DLPack supports only native byte order, but the source is byte-swapped";
	if (interface_version == 0 && array->readonly == READONLY_YES)
		return "--interface-version 0 was given, but a legacy capsule cannot express that the source is read-only";
	for (int i = 0; i < array->n_dims; i++)
		if (array->shape[i] > 1 && array->stride_bytes[i] % item_bytes != 0)
			return arena_printf(arena,
				"DLPack strides are in elements, but a stride of %lld byte%s is not a multiple of the element size, %lld",
				(long long)array->stride_bytes[i], plural(array->stride_bytes[i]),
				(long long)item_bytes);
	return NULL;
}

static int refuse_dlpack(const char *why)
{
	PyErr_SetString(PyExc_BufferError, why);
	return -1;
}

/* Parses a pair of integers; -1 with TypeError set for anything else, and OverflowError for
 * integers beyond a C long. */
static int read_pair(PyObject *pair, const char *name, long *first, long *second)
{
	bool is_pair = PyTuple_Check(pair) && PyTuple_Size(pair) == 2;

	if (is_pair) {
		*first = PyLong_AsLong(PyTuple_GetItem(pair, 0));
		*second = PyErr_Occurred() ? -1 : PyLong_AsLong(PyTuple_GetItem(pair, 1));
	}
	if (is_pair && !PyErr_Occurred())
		return 0;
	if (!PyErr_Occurred() || !PyErr_ExceptionMatches(PyExc_OverflowError))
		PyErr_Format(PyExc_TypeError, "%s must be None or a tuple of two integers", name);
	return -1;
}

/* The version to return: legacy, or the consumer's if this header supports it. */
static int read_version(
	PyObject *max_version, int64_t interface_version, struct dlpack_request *request)
{
	long major = 0, minor = 0;

	if (max_version != Py_None && read_pair(max_version, "max_version", &major, &minor))
		return -1;
	request->versioned = major >= 1 && interface_version != 0;
	request->minor =
		major > 1 || minor > DLPACK_MINOR_VERSION ? DLPACK_MINOR_VERSION : (uint32_t)minor;
	return 0;
}

/* Whether dl_device is another device than the memory's, which must be the CPU. */
static int read_dl_device(const struct array *array, PyObject *dl_device, bool *to_cpu)
{
	long type = 0, id = 0;

	*to_cpu = false;
	if (dl_device == Py_None)
		return 0;
	if (read_pair(dl_device, "dl_device", &type, &id))
		return -1;
	if (type == device_type_code(array->device.type) && id == array->device.id)
		return 0;
	*to_cpu = type == kDLCPU && id == 0;
	return *to_cpu ? 0
		       : refuse_dlpack(
				 "this memory can be exported only to its own device or the CPU");
}

static int check_copy(PyObject *copy)
{
	if (copy == Py_None || PyBool_Check(copy))
		return 0;
	PyErr_SetString(PyExc_TypeError, "copy must be None, True or False");
	return -1;
}

/* A copy on the CPU is complete and takes no stream; otherwise the device's runtime decides. */
static int check_consumer_stream(const struct array *array, PyObject *stream, bool to_cpu)
{
	const struct device_runtime *runtime = device_runtime_of_type(array->device.type);

	if (stream == Py_None)
		return 0;
	if (runtime && !to_cpu)
		return session_check_stream(runtime, stream);
	PyErr_Format(PyExc_ValueError, "on %s, stream must be None",
		to_cpu ? "the CPU" : array->device.type);
	return -1;
}

/* -1: the producer must not synchronize. */
static bool forbids_wait(PyObject *stream)
{
	bool forbids = PyLong_Check(stream) && PyLong_AsLongLong(stream) == -1;

	PyErr_Clear();
	return forbids;
}

/* Whether copies are on the CPU: as requested, or since there is no session to allocate with. */
static bool copies_to_cpu(const struct exported *self, bool to_cpu)
{
	return to_cpu || !self->elements.location.session;
}

/* Whether a copy is requested on the memory's own device, but would be on the CPU. */
static bool loses_device(const struct exported *self, const struct keywords *keywords, bool to_cpu)
{
	return keywords->copy == Py_True && keywords->dl_device != Py_None && !to_cpu &&
	       copies_to_cpu(self, to_cpu) &&
	       device_type_code(self->elements.array.device.type) != kDLCPU;
}

/* Gives the owner of a copy, on the device or the CPU, with the layout of copy. */
static PyObject *make_dlpack_copy(
	const struct exported *self, struct element_array *copy, bool to_cpu, struct err *err)
{
	const struct element_array *elements = &self->elements;
	const struct transfer_end from = { &elements->array, &elements->location };
	const struct transfer_end to = { &copy->array, &copy->location };
	struct device_session *session =
		copies_to_cpu(self, to_cpu) ? NULL : elements->location.session;
	int64_t n_bytes = array_nbytes(&elements->array);
	struct transfer transfer = { 0 };
	struct session_memory memory = { .location = { .host_reaches = true, .host_owns = true } };
	int rc;

	*copy = *elements;
	array_set_compact_strides(&copy->array, 'C');
	copy->array.readonly = READONLY_NO;
	if (!session)
		memory.owner = memory_owner_allocate(n_bytes, &memory.address);
	else if (session_allocate(session, self->session_ref, session->runtime->device_kind,
			 n_bytes, &memory, err))
		return NULL;
	if (!memory.owner)
		return NULL;
	copy->location = memory.location;
	copy->array.pointer = memory.address;
	WITHOUT_GIL(rc = transfer_run(&transfer, &from, &to, TRANSFER_AUTO, err));
	if (!rc)
		return memory.owner;
	Py_DecRef(memory.owner);
	return NULL;
}

static PyObject *export_copy(
	const struct exported *self, struct dlpack_request *request, bool to_cpu)
{
	struct element_array copy;
	struct err err = { 0 };
	PyObject *owner = make_dlpack_copy(self, &copy, to_cpu, &err);

	if (!owner) {
		if (!PyErr_Occurred())
			PyErr_SetString(PyExc_BufferError, err.message);
		return NULL;
	}
	if (copies_to_cpu(self, to_cpu))
		copy.array.device = (struct device){ DEVICE_CPU, 0 };
	request->copied = true;
	return dlpack_capsule_new(&copy, request, owner);
}

static PyObject *export_memory(PyObject *object, const struct dlpack_request *request, bool to_cpu)
{
	struct element_array elements = ((struct exported *)object)->elements;

	if (to_cpu)
		elements.array.device = (struct device){ DEVICE_CPU, 0 };
	if (!request->versioned && elements.array.readonly == READONLY_YES) {
		refuse_dlpack(
			"a legacy capsule cannot express that the memory is read-only; pass max_version=(1, 0) or copy=True");
		return NULL;
	}
	Py_IncRef(object);
	return dlpack_capsule_new(&elements, request, object);
}

static PyObject *export_as_requested(PyObject *object, const struct keywords *keywords)
{
	const struct exported *self = (const struct exported *)object;
	const struct array *array = &self->elements.array;
	struct dlpack_request request = { 0 };
	bool to_cpu, moves;

	if (read_version(keywords->max_version, self->interface_version, &request) ||
		read_dl_device(array, keywords->dl_device, &to_cpu) || check_copy(keywords->copy) ||
		check_consumer_stream(array, keywords->stream, to_cpu))
		return NULL;
	moves = to_cpu && !self->elements.location.host_owns;
	if (moves && keywords->copy == Py_False) {
		refuse_dlpack(
			"the memory is on a device, and copy=False forbids copying it to the CPU");
		return NULL;
	}
	if (loses_device(self, keywords, to_cpu)) {
		refuse_dlpack(
			"copies of this memory are on the CPU; pass dl_device=(1, 0), or none");
		return NULL;
	}
	if (!forbids_wait(keywords->stream) && exported_wait(self))
		return NULL;
	if (moves || keywords->copy == Py_True)
		return export_copy(self, &request, to_cpu);
	return export_memory(object, &request, to_cpu);
}

static PyObject *dlpack(PyObject *object, PyObject *args, PyObject *kwargs)
{
	char *names[] = { (char[]){ "stream" }, (char[]){ "max_version" }, (char[]){ "dl_device" },
		(char[]){ "copy" }, NULL };
	struct keywords keywords = { Py_None, Py_None, Py_None, Py_None };

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$OOOO:__dlpack__", names, &keywords.stream,
		    &keywords.max_version, &keywords.dl_device, &keywords.copy))
		return NULL;
	return export_as_requested(object, &keywords);
}

static PyObject *dlpack_device(PyObject *object, PyObject *unused)
{
	const struct device *device = &((const struct exported *)object)->elements.array.device;

	(void)unused;
	return Py_BuildValue("(ii)", device_type_code(device->type), (int)device->id);
}

static PyMethodDef methods[] = {
	{ "__dlpack__", (PyCFunction)(void (*)(void))dlpack, METH_VARARGS | METH_KEYWORDS, NULL },
	{ "__dlpack_device__", dlpack_device, METH_NOARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

static const PyType_Slot slots[] = { { Py_tp_methods, methods }, { 0, NULL } };

const struct exporter dlpack_exporter = {
	.protocol = &dlpack_protocol,
	.adapt = adapt_to_dlpack,
	.copy_reason = dlpack_copy_reason,
	.native_order = true,
	.slots = slots,
};
