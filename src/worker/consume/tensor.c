// SPDX-License-Identifier: MIT
/*
 * Tracers that export a dictionary, __array_struct__ or the buffer protocol. Whoever uses the
 * memory keeps the object, or has not released the buffer.
 */
#include "worker/consume/tensor.h"

#include "base/array_size.h"
#include "base/memory.h"
#include "protocols/shared.h"
#include "worker/memory/sycl_capsule.h"

#include <stdlib.h>
#include <string.h>

/* Flags of PyArrayInterface (numpy/ndarraytypes.h). */
enum { STRUCT_ALIGNED = 0x100, STRUCT_NATIVE = 0x200, STRUCT_WRITEABLE = 0x400 };

/* PyArrayInterface of numpy/ndarraytypes.h, with the arrays that it points to. */
struct tensor_struct {
	int two, nd;
	char typekind;
	int itemsize, flags;
	int64_t *shape, *strides;
	void *data;
	PyObject *descr;
	int64_t extents[ARRAY_MAX_DIMS], stride_bytes[ARRAY_MAX_DIMS];
};

/* The array as the row makes it, and a record of the call. NULL with an exception. */
static struct tracer *read_tensor(PyObject *object, const char *call, struct array *array)
{
	struct tracer *tracer = tensor_open_tracer(object);
	const struct consumer_case *row;
	int64_t n_bytes;

	if (!tracer)
		return NULL;
	row = tracer->row;
	fact_texts_add(tracer->arena, &tracer->calls, call);
	consumer_case_describe(row, array, &n_bytes); /* the type, whatever the layout is */
	array->n_dims = consumer_case_extents(row, array->shape, array->stride_bytes);
	array->pointer = row->flags & CASE_NULL_DATA
				 ? 0
				 : (uint64_t)(uintptr_t)tracer->memory.low + tracer->layout.pointer;
	return tracer;
}

PyObject *tensor_integers(const int64_t *items, int n_items)
{
	PyObject *tuple = PyTuple_New(n_items);

	for (int i = 0; tuple && i < n_items; i++)
		PyTuple_SetItem(tuple, i, PyLong_FromLongLong(items[i]));
	return tuple;
}

/* --- __array_interface__ --- */

/* Adds the items of a row. */
static bool replace_items(PyObject *interface, const char *items)
{
	PyObject *code = Py_CompileString(items, "<case>", Py_eval_input);
	PyObject *names = PyDict_New(), *replaced = NULL;
	bool is_done;

	if (code && names)
		replaced = PyEval_EvalCode(code, names, names);
	is_done = replaced && !PyDict_Update(interface, replaced);
	Py_DecRef(replaced);
	Py_DecRef(names);
	Py_DecRef(code);
	return is_done;
}

/* Adds an item, a reference that this takes; NULL: an exception is set. */
static bool add_dictionary_item(PyObject *interface, const char *key, PyObject *item)
{
	bool is_done = item && !PyDict_SetItemString(interface, key, item);

	Py_DecRef(item);
	return is_done;
}

static bool add_cuda_items(PyObject *interface, const struct tracer *tracer)
{
	(void)tracer;
	return !PyDict_SetItemString(interface, "stream", Py_None);
}

/* The address is that of the memory, from which offset counts; an invalid tensor may have no queue.
 */
static bool add_sycl_items(PyObject *interface, const struct tracer *tracer)
{
	int64_t offset = (int64_t)tracer->layout.pointer;
	bool is_null = tracer->row->flags & CASE_NULL_DATA || !tracer->has_layout;
	PyObject *queue = Py_None;

	if (tracer->session)
		queue = sycl_capsule_new(tracer->session);
	else
		Py_IncRef(queue);
	offset = is_null ? 0 : offset / dtype_itemsize(&tracer->layout.dtype);
	return add_dictionary_item(interface, "offset", PyLong_FromLongLong(offset)) &&
	       add_dictionary_item(interface, "syclobj", queue);
}

/* How the dictionary of a protocol differs from that of __array_interface__. */
struct tensor_dictionary {
	const struct protocol *protocol;
	bool (*add_items)(PyObject *interface, const struct tracer *tracer); /* NULL: none */
};

static const struct tensor_dictionary numpy_dictionary = { &numpy_protocol, NULL };
static const struct tensor_dictionary cuda_dictionary = { &cuda_protocol, add_cuda_items };
static const struct tensor_dictionary sycl_dictionary = { &sycl_protocol, add_sycl_items };

/* closure: a tensor_dictionary. */
static PyObject *tensor_array_interface(PyObject *object, void *closure)
{
	const struct tensor_dictionary *dictionary = closure;
	const struct protocol *protocol = dictionary->protocol;
	struct array array;
	struct tracer *tracer = read_tensor(object, protocol->attribute, &array);
	char typestr[DTYPE_TEXT_BYTES];
	PyObject *interface;
	struct err ignored;

	if (!tracer)
		return NULL;
	dtype_to_typestr(&array.dtype, typestr, &ignored); /* consumer_case_fits() */
	for (int i = 0; protocol->counts_elements && i < array.n_dims; i++)
		array.stride_bytes[i] /= dtype_itemsize(&array.dtype);
	if (tracer->interface->has_offset && array.pointer)
		array.pointer = (uint64_t)(uintptr_t)tracer->memory.low;
	interface = Py_BuildValue("{sisNsssNs(KO)}", "version", tracer->interface->version, "shape",
		tensor_integers(array.shape, array.n_dims), "typestr", typestr, "strides",
		tensor_integers(array.stride_bytes, array.n_dims), "data",
		(unsigned long long)array.pointer,
		array.readonly == READONLY_YES ? Py_True : Py_False);
	if (interface &&
		((dictionary->add_items && !dictionary->add_items(interface, tracer)) ||
			(tracer->row->items && !replace_items(interface, tracer->row->items)))) {
		Py_DecRef(interface);
		return NULL;
	}
	tracer->n_reads += interface != NULL;
	return interface;
}

/* --- __array_struct__ --- */

static void free_struct(PyObject *capsule)
{
	free(PyCapsule_GetPointer(capsule, NULL));
}

static PyObject *tensor_array_struct(PyObject *object, void *closure)
{
	struct array array;
	struct tracer *tracer = read_tensor(object, numpy_struct_protocol.attribute, &array);
	struct tensor_struct *made;
	char typestr[DTYPE_TEXT_BYTES];
	struct err ignored;

	(void)closure;
	if (!tracer)
		return NULL;
	dtype_to_typestr(&array.dtype, typestr, &ignored); /* consumer_case_fits() */
	made = mem_alloc(sizeof(*made));
	*made = (struct tensor_struct){ .two = 2,
		.nd = array.n_dims,
		.typekind = typestr[1],
		.itemsize = (int)dtype_itemsize(&array.dtype),
		.flags = STRUCT_ALIGNED | (array.dtype.foreign_order ? 0 : STRUCT_NATIVE) |
			 (array.readonly == READONLY_YES ? 0 : STRUCT_WRITEABLE) |
			 (array_is_c_contiguous(&array) ? 1 : 0) |
			 (array_is_f_contiguous(&array) ? 2 : 0),
		.shape = made->extents,
		.strides = made->stride_bytes,
		.data = (void *)(uintptr_t)array.pointer }; // NOLINT(performance-no-int-to-ptr)
	memcpy(made->extents, array.shape, sizeof(made->extents));
	memcpy(made->stride_bytes, array.stride_bytes, sizeof(made->stride_bytes));
	tracer->n_reads++;
	return PyCapsule_New(made, NULL, free_struct);
}

/* --- the buffer protocol --- */

/* Why the tensor cannot be exported as flags ask; NULL: it can. A request without a format or a
 * shape is for bytes, which only tensors of uint8 are. */
static const char *find_buffer_refusal(const struct array *array, int flags)
{
	bool is_c = array_is_c_contiguous(array), is_f = array_is_f_contiguous(array);
	bool is_of_bytes = array->dtype.kind == DTYPE_UINT && array->dtype.bits == 8;

	if (!is_of_bytes && (!(flags & PyBUF_FORMAT) || (flags & PyBUF_ND) != PyBUF_ND))
		return "suai: the elements of this tensor are not bytes: PyBUF_ND and PyBUF_FORMAT are required";
	if (flags & PyBUF_WRITABLE && array->readonly == READONLY_YES)
		return "suai: this tensor is read-only";
	if (((flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS ||
		    (flags & PyBUF_STRIDES) != PyBUF_STRIDES) &&
		!is_c)
		return "suai: this tensor is not C-contiguous";
	if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS && !is_f)
		return "suai: this tensor is not Fortran-contiguous";
	if ((flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS && !is_c && !is_f)
		return "suai: this tensor is not contiguous";
	return NULL;
}

static int tensor_get_buffer(PyObject *object, Py_buffer *view, int flags)
{
	struct tensor_object *self = (struct tensor_object *)object;
	struct array array;
	struct tracer *tracer = read_tensor(object, buffer_protocol.attribute, &array);
	const char *refusal;
	struct err ignored;
	bool has_shape;

	memset(view, 0, sizeof(*view));
	if (!tracer)
		return -1;
	refusal = find_buffer_refusal(&array, flags);
	if (refusal) {
		PyErr_SetString(PyExc_BufferError, refusal);
		return -1;
	}
	dtype_to_pep3118(&array.dtype, self->format, &ignored); /* consumer_case_fits() */
	memcpy(self->shape, array.shape, sizeof(self->shape));
	memcpy(self->stride_bytes, array.stride_bytes, sizeof(self->stride_bytes));
	has_shape = array.n_dims > 0 && (flags & PyBUF_ND) == PyBUF_ND;
	view->buf = (void *)(uintptr_t)array.pointer; // NOLINT(performance-no-int-to-ptr)
	view->itemsize = (Py_ssize_t)dtype_itemsize(&array.dtype);
	view->len = (Py_ssize_t)array_nbytes(&array);
	view->readonly = array.readonly == READONLY_YES;
	view->ndim = (flags & PyBUF_ND) == PyBUF_ND ? array.n_dims : 1;
	view->format = flags & PyBUF_FORMAT ? self->format : NULL;
	view->shape = has_shape ? (Py_ssize_t *)self->shape : NULL;
	view->strides = has_shape && (flags & PyBUF_STRIDES) == PyBUF_STRIDES
				? (Py_ssize_t *)self->stride_bytes
				: NULL;
	Py_IncRef(object);
	view->obj = object;
	tracer->n_reads++;
	return 0;
}

static void tensor_release_buffer(PyObject *object, Py_buffer *view)
{
	struct tracer *tracer = ((struct tensor_object *)object)->tracer;

	(void)view;
	if (tracer)
		tracer->n_released++;
}

static PyGetSetDef numpy_getters[] = {
	{ "__array_interface__", tensor_array_interface, NULL, NULL, (void *)&numpy_dictionary },
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyGetSetDef cuda_getters[] = {
	{ "__cuda_array_interface__", tensor_array_interface, NULL, NULL,
		(void *)&cuda_dictionary },
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyGetSetDef sycl_getters[] = {
	{ "__sycl_usm_array_interface__", tensor_array_interface, NULL, NULL,
		(void *)&sycl_dictionary },
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyGetSetDef struct_getters[] = {
	{ "__array_struct__", tensor_array_struct, NULL, NULL, NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

static const PyType_Slot buffer_slots[] = {
	{ Py_bf_getbuffer, (void *)tensor_get_buffer },
	{ Py_bf_releasebuffer, (void *)tensor_release_buffer },
	{ 0, NULL },
};

const PyType_Slot *tensor_slots(const struct protocol *protocol)
{
	static const PyType_Slot numpy_slots[] = { { Py_tp_getset, numpy_getters }, { 0, NULL } };
	static const PyType_Slot cuda_slots[] = { { Py_tp_getset, cuda_getters }, { 0, NULL } };
	static const PyType_Slot sycl_slots[] = { { Py_tp_getset, sycl_getters }, { 0, NULL } };
	static const PyType_Slot struct_slots[] = { { Py_tp_getset, struct_getters }, { 0, NULL } };
	static const struct {
		const struct protocol *protocol;
		const PyType_Slot *slots;
	} rows[] = {
		{ &numpy_protocol, numpy_slots },
		{ &numpy_struct_protocol, struct_slots },
		{ &buffer_protocol, buffer_slots },
		{ &sycl_protocol, sycl_slots },
		{ &cuda_protocol, cuda_slots },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].protocol == protocol)
			return rows[i].slots;
	return NULL;
}
