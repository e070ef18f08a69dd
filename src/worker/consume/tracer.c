// SPDX-License-Identifier: MIT
/*
 * Tracers: memory with known elements, and a Python object whose __dlpack__ returns structs that
 * record what becomes of them. Deleters are C, and require neither the GIL nor a thread of Python.
 */
#include "worker/consume/device_memory.h"
#include "worker/consume/exchange.h"

#include "base/memory.h"
#include "model/element.h"
#include "worker/python/object.h"

#include <dlpack/dlpack.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LEGACY_NAME "dltensor"
#define VERSIONED_NAME "dltensor_versioned"

enum { NEWEST_MINOR = 3, UNKNOWN_FLAG = 1 << 20 };

/* One export: the struct that the capsule holds comes first. */
struct tracer_export {
	union {
		DLManagedTensor legacy;
		DLManagedTensorVersioned versioned;
	};
	int64_t shape[ARRAY_MAX_DIMS], strides[ARRAY_MAX_DIMS];
	atomic_int n_deleted;
	PyObject *capsule; /* without a destructor: suai releases nothing; NULL: released */
	/* By the C exchange API. In cases about that API, byte_offset of __dlpack__ is 0. */
	bool of_table;
	bool is_renamed;
	bool has_deleter;
	struct tracer_export *next;
};

/* --- elements --- */

/* The scalar number n of a type, none of which is NaN, as bytes. Every other pair is negative if
 * the type has a sign. Integers are odd and need all of their bits, so that neither a narrower type
 * nor a floating-point type of the same size can represent them. */
static void make_scalar(const struct dtype *dtype, int64_t n, unsigned char *bytes)
{
	unsigned char native[sizeof(uint64_t)];
	int64_t n_bytes = dtype->bits / 8;
	float single = (float)n + 0.5F;
	double real = (double)n + 1.0 / 3;
	int64_t small = n % 113;
	bool is_negative = n & 2;
	uint64_t natural;

	switch (dtype->kind) {
	case DTYPE_BOOL:
		natural = (uint64_t)(n * n / 3 % 2);
		break;
	case DTYPE_INT:
	case DTYPE_UINT:
		natural = n_bytes == 1 ? (uint64_t)(small + 1)
				       : (UINT64_C(1) << (dtype->bits - 2)) +
						 (uint64_t)(n % 8000 * 2 + 1);
		if (dtype->kind == DTYPE_UINT)
			natural |= UINT64_C(1) << (dtype->bits - 1);
		else if (is_negative)
			natural = -natural;
		break;
	case DTYPE_FLOAT:
		real = is_negative ? -real : real;
		single = is_negative ? -single : single;
		if (n_bytes == 8)
			memcpy(&natural, &real, sizeof(real));
		else if (n_bytes == 4)
			memcpy(&natural, &single, sizeof(single));
		else
			natural = (is_negative ? 0xBC00 : 0x3C00) +
				  (uint64_t)(n % 1000); /* half: from 1 on */
		break;
	case DTYPE_BFLOAT:
		natural = (is_negative ? 0xBF80 : 0x3F80) + (uint64_t)small; /* from 1 on */
		break;
	default:
		natural = (is_negative ? 0x88 : 0x08) + (uint64_t)(small % 0x60); /* of 8 bits */
		break;
	}
	memcpy(native, &natural, sizeof(native));
	for (int64_t i = 0; i < n_bytes && i < (int64_t)sizeof(native); i++)
		bytes[i] = native[dtype->foreign_order ? n_bytes - 1 - i : i];
}

/* The type of the numbers that an element consists of: one lane, and a part of a complex number. */
static struct dtype scalar_type(const struct dtype *dtype)
{
	struct dtype scalar = *dtype;

	scalar.lanes = 1;
	if (scalar.kind == DTYPE_COMPLEX) {
		scalar.kind = DTYPE_FLOAT;
		scalar.bits /= 2;
	}
	return scalar;
}

void tracer_fill(struct tracer *tracer, int generation)
{
	struct guarded *memory = &tracer->memory;
	const struct dtype scalar = scalar_type(&tracer->layout.dtype);
	size_t n_scalar_bytes = tracer->has_layout ? (size_t)scalar.bits / 8 : 1;
	size_t first = (size_t)(memory->low - memory->pages) % n_scalar_bytes;
	int64_t n = generation;

	memset(tracer->image, TRACER_POISON, memory->n_page_bytes);
	for (size_t at = first; at + n_scalar_bytes <= memory->n_page_bytes; at += n_scalar_bytes)
		make_scalar(&scalar, n++, tracer->image + at);
	memcpy(memory->pages, tracer->image, memory->n_page_bytes);
}

void tracer_poison(struct tracer *tracer)
{
	memset(tracer->memory.pages, TRACER_POISON, tracer->memory.n_page_bytes);
	tracer->is_poisoned = true;
}

/* The offset of an element from the first page; false: it is not in the pages. */
static bool find_element(const struct tracer *tracer, const struct array *layout,
	const int64_t *index, size_t *offset)
{
	const struct guarded *memory = &tracer->memory;
	int64_t at = (int64_t)layout->pointer + (memory->low - memory->pages);
	int64_t item_bytes = dtype_itemsize(&layout->dtype);

	for (int i = 0; i < layout->n_dims; i++)
		at += index[i] * layout->stride_bytes[i];
	*offset = (size_t)at;
	return at >= 0 && at + item_bytes <= (int64_t)memory->n_page_bytes;
}

struct value *tracer_element(const struct tracer *tracer, const struct array *layout,
	const int64_t *index, struct arena *arena)
{
	size_t offset;

	return find_element(tracer, layout, index, &offset)
		       ? element_to_value(arena, &layout->dtype, tracer->image + offset)
		       : NULL;
}

int64_t tracer_count_changed(const struct tracer *tracer, bool *changed_elements)
{
	const struct guarded *memory = &tracer->memory;
	size_t item_bytes = (size_t)dtype_itemsize(&tracer->layout.dtype), offset;
	unsigned char *differs = mem_alloc(memory->n_page_bytes);
	int64_t index[ARRAY_MAX_DIMS] = { 0 }, n_changed = 0;

	*changed_elements = false;
	for (size_t i = 0; i < memory->n_page_bytes; i++)
		differs[i] = memory->pages[i] != tracer->image[i];
	if (tracer->has_layout && array_elements(&tracer->layout) > 0)
		do {
			if (!find_element(tracer, &tracer->layout, index, &offset))
				continue;
			for (size_t i = 0; i < item_bytes; i++) {
				*changed_elements |= differs[offset + i];
				differs[offset + i] = 0;
			}
		} while (array_next_index(&tracer->layout, index, tracer->layout.n_dims));
	for (size_t i = 0; i < memory->n_page_bytes; i++)
		n_changed += differs[i];
	free(differs);
	return n_changed;
}

bool tracer_has_address(const struct tracer *tracer, uint64_t address)
{
	return address >= tracer->low && address < tracer->high;
}

/* --- structs --- */

static void delete_legacy_tracer(DLManagedTensor *self)
{
	atomic_fetch_add(&((struct tracer_export *)self)->n_deleted, 1);
}

static void delete_versioned_tracer(DLManagedTensorVersioned *self)
{
	atomic_fetch_add(&((struct tracer_export *)self)->n_deleted, 1);
}

static void fill_tensor_of_case(
	const struct tracer *tracer, struct tracer_export *export, DLTensor *tensor)
{
	const struct consumer_case *row = tracer->row;
	const struct array *layout = &tracer->layout;
	bool is_float32 = !row->code && !row->bits && !row->lanes;
	int n_dims = row->n_unit_dims + row->n_dims;
	int64_t stride = 1;
	int64_t byte_offset = row->exchange && !export->of_table ? 0 : row->byte_offset;
	unsigned char *data = tracer->memory.low + layout->pointer - (size_t)byte_offset;

	for (int i = n_dims - 1; i >= 0; i--) {
		int at = i - row->n_unit_dims;

		export->shape[i] = at < 0 ? 1 : row->shape[at];
		export->strides[i] = at >= 0 && row->has_strides ? row->strides[at] : stride;
		if (__builtin_mul_overflow(stride, export->shape[i], &stride))
			stride = INT64_MAX;
	}
	*tensor = (DLTensor){
		.data = row->flags & CASE_NULL_DATA ? NULL : data,
		.device = { .device_type =
				    (DLDeviceType)(row->device_type ? row->device_type : kDLCPU),
			.device_id = row->device_id },
		.ndim = row->ndim ? (int32_t)row->ndim : n_dims,
		.dtype = { .code = is_float32 ? kDLFloat : (uint8_t)row->code,
			.bits = is_float32 ? 32 : (uint8_t)row->bits,
			.lanes = is_float32 ? 1 : (uint16_t)row->lanes },
		.shape = row->flags & CASE_NULL_SHAPE ? NULL : export->shape,
		.strides = row->flags & CASE_NULL_STRIDES ? NULL : export->strides,
		.byte_offset = row->wrong_offset ? row->wrong_offset : (uint64_t)byte_offset,
	};
}

static uint64_t flags_of_case(int flags)
{
	return (flags & CASE_READONLY ? DLPACK_FLAG_BITMASK_READ_ONLY : 0) |
	       (flags & CASE_COPIED ? DLPACK_FLAG_BITMASK_IS_COPIED : 0) |
	       (flags & CASE_UNKNOWN_FLAG ? UNKNOWN_FLAG : 0);
}

static void fill_versioned(const struct tracer *tracer, struct tracer_export *export, int minor)
{
	const struct consumer_case *row = tracer->row;
	DLManagedTensorVersioned *managed = &export->versioned;

	*managed = (DLManagedTensorVersioned){
		.version = { (uint32_t)(row->major ? row->major : DLPACK_MAJOR_VERSION),
			(uint32_t)(row->major ? row->minor : minor) },
		.manager_ctx = row->flags & CASE_NULL_CONTEXT ? NULL : export,
		.deleter = export->has_deleter ? delete_versioned_tracer : NULL,
		.flags = flags_of_case(row->flags),
	};
	fill_tensor_of_case(tracer, export, &managed->dl_tensor);
	if (row->flags & CASE_GARBAGE)
		memset(&managed->flags, 0xFF,
			sizeof(*managed) - offsetof(DLManagedTensorVersioned, flags));
}

/* minor < 0: a legacy struct. */
static PyObject *new_capsule(struct tracer *tracer, int minor)
{
	const struct consumer_case *row = tracer->row;
	struct tracer_export *export = mem_alloc(sizeof(*export));
	const char *name = minor < 0 ? LEGACY_NAME : VERSIONED_NAME;

	*export = (struct tracer_export){ .next = tracer->exports,
		.has_deleter = !(row->flags & CASE_NULL_DELETER) };
	if (minor < 0) {
		export->legacy.deleter = export->has_deleter ? delete_legacy_tracer : NULL;
		export->legacy.manager_ctx = row->flags & CASE_NULL_CONTEXT ? NULL : export;
		fill_tensor_of_case(tracer, export, &export->legacy.dl_tensor);
	} else {
		fill_versioned(tracer, export, minor);
	}
	tracer->exports = export;
	if (row->capsule_name)
		name = *row->capsule_name ? row->capsule_name : NULL;
	export->capsule = PyCapsule_New(export, name, NULL);
	Py_IncRef(export->capsule);
	return export->capsule;
}

void tracer_release(struct tracer *tracer)
{
	for (struct tracer_export *export = tracer->exports; export; export = export->next) {
		const char *name = export->capsule ? PyCapsule_GetName(export->capsule) : NULL;

		export->is_renamed |= name && !strncmp(name, "used_", strlen("used_"));
		Py_DecRef(export->capsule);
		export->capsule = NULL;
	}
	PyErr_Clear();
}

struct tracer_counts tracer_count(const struct tracer *tracer)
{
	struct tracer_counts counts = { 0 };

	for (const struct tracer_export *export = tracer->exports; export; export = export->next) {
		int n_deleted = atomic_load(&export->n_deleted);

		counts.n_exports++;
		counts.n_renamed += export->is_renamed;
		counts.n_deleted += n_deleted > 0;
		counts.n_deleted_again += n_deleted > 1;
	}
	if (tracer->n_reads) {
		counts.n_exports = tracer->n_reads;
		counts.n_deleted = tracer->interface->release == RELEASE_BUFFER ? tracer->n_released
				   : tracer->object                             ? 0
										: tracer->n_reads;
	}
	return counts;
}

DLManagedTensorVersioned *tracer_export_managed(struct tracer *tracer)
{
	struct tracer_export *export = mem_alloc(sizeof(*export));

	*export = (struct tracer_export){ .next = tracer->exports,
		.of_table = true,
		.is_renamed = true, /* as the consumer of a capsule shows that it owns the struct */
		.has_deleter = !(tracer->row->flags & CASE_NULL_DELETER) };
	fill_versioned(tracer, export, NEWEST_MINOR);
	tracer->exports = export;
	return &export->versioned;
}

void tracer_lend_tensor(struct tracer *tracer, DLTensor *tensor)
{
	/* Its shape and strides: they stay readable if a consumer keeps them. */
	static struct tracer_export lent = { .of_table = true };

	fill_tensor_of_case(tracer, &lent, tensor);
}

/* --- the object --- */

struct tracer *tensor_open_tracer(PyObject *object)
{
	struct tracer *tracer = ((struct tensor_object *)object)->tracer;

	if (!tracer)
		PyErr_SetString(PyExc_RuntimeError, "suai: this tensor was for one call only");
	return tracer;
}

/* repr(object) */
static const char *show_object(struct arena *arena, PyObject *object)
{
	PyObject *text = PyObject_Repr(object);
	const char *shown = text ? fact_text(arena, object_to_value(arena, text)) : NULL;

	PyErr_Clear();
	Py_DecRef(text);
	return fact_text_or(shown, "?");
}

void tensor_record_call(struct tracer *tracer, const char *method, PyObject *args, PyObject *kwargs)
{
	Py_ssize_t n_args = args ? PyTuple_Size(args) : 0, at = 0;
	const char *text = "", *separator = "";
	PyObject *key, *item;

	for (Py_ssize_t i = 0; i < n_args; i++, separator = ", ")
		text = arena_printf(tracer->arena, "%s%s%s", text, separator,
			show_object(tracer->arena, PyTuple_GetItem(args, i)));
	while (kwargs && PyDict_Next(kwargs, &at, &key, &item)) {
		const char *name = fact_text(tracer->arena, object_to_value(tracer->arena, key));

		text = arena_printf(tracer->arena, "%s%s%s=%s", text, separator,
			fact_text_or(name, "?"), show_object(tracer->arena, item));
		separator = ", ";
	}
	fact_texts_add(
		tracer->arena, &tracer->calls, arena_printf(tracer->arena, "%s(%s)", method, text));
}

static PyObject *raise_named(const char *name)
{
	PyObject *type = PyDict_GetItemString(PyEval_GetBuiltins(), name); /* borrowed */

	PyErr_Format(type ? type : PyExc_RuntimeError, "suai: this exporter raises %s", name);
	return NULL;
}

static PyObject *refuse_export(const char *reason)
{
	PyErr_SetString(PyExc_BufferError, reason);
	return NULL;
}

struct dlpack_keywords {
	PyObject *stream, *max_version, *dl_device, *copy; /* borrowed */
};

/* The minor version of the struct to return; -1: a legacy one. False with an exception. */
static bool choose_version(
	const struct tracer *tracer, const struct dlpack_keywords *keywords, int *minor)
{
	const struct consumer_case *row = tracer->row;
	const int needs_versioned = CASE_READONLY | CASE_COPIED | CASE_UNKNOWN_FLAG;
	int asked_major = 0, asked_minor = 0;

	if (keywords->max_version && keywords->max_version != Py_None &&
		!PyArg_ParseTuple(keywords->max_version, "ii", &asked_major, &asked_minor))
		return false;
	*minor = asked_minor < NEWEST_MINOR ? asked_minor : NEWEST_MINOR;
	if (row->flags & CASE_LEGACY || !asked_major)
		*minor = -1;
	if (*minor < 0 && !(row->flags & CASE_LEGACY) &&
		(row->major || row->flags & needs_versioned)) {
		refuse_export(CASE_REQUIRES_VERSION);
		return false;
	}
	return true;
}

/* Whether the tensor is on the device that dl_device asks for: (1, 0) or None. */
static bool is_on_device(PyObject *dl_device)
{
	int type = kDLCPU, id = 0;

	if (dl_device && dl_device != Py_None && !PyArg_ParseTuple(dl_device, "ii", &type, &id))
		PyErr_Clear();
	return type == kDLCPU && id == 0;
}

static PyObject *other_result(enum case_result result)
{
	switch (result) {
	case RESULT_INT:
		return PyLong_FromLong(42);
	case RESULT_BYTES:
		return PyBytes_FromString("dltensor");
	case RESULT_DEVICE_TEXT:
		return PyUnicode_FromString("cpu");
	case RESULT_DEVICE_LONG:
		return Py_BuildValue("(iii)", kDLCPU, 0, 0);
	default:
		Py_IncRef(Py_None);
		return Py_None;
	}
}

static PyObject *export_case(struct tracer *tracer, const struct dlpack_keywords *keywords)
{
	const struct consumer_case *row = tracer->row;
	const struct timespec pause = { .tv_nsec = CASE_SLOW_MS * 1000000L };
	int minor;

	if (row->flags & CASE_SLOW)
		WITHOUT_GIL(nanosleep(&pause, NULL));
	if (row->raises)
		return raise_named(row->raises);
	if (row->flags & CASE_NO_KEYWORDS &&
		(keywords->max_version || keywords->dl_device || keywords->copy)) {
		PyErr_SetString(PyExc_TypeError,
			"__dlpack__() got an unexpected keyword argument 'max_version'");
		return NULL;
	}
	if (row->result && row->result < RESULT_DEVICE_NONE)
		return other_result(row->result);
	if (!is_on_device(keywords->dl_device))
		return refuse_export("suai: this tensor is on the CPU");
	if (!choose_version(tracer, keywords, &minor))
		return NULL;
	return new_capsule(tracer, minor);
}

static PyObject *tracer_dlpack(PyObject *object, PyObject *args, PyObject *kwargs)
{
	char *names[] = { (char[]){ "stream" }, (char[]){ "max_version" }, (char[]){ "dl_device" },
		(char[]){ "copy" }, NULL };
	struct dlpack_keywords keywords = { 0 };
	struct tracer *tracer = tensor_open_tracer(object);

	if (!tracer)
		return NULL;
	tensor_record_call(tracer, "__dlpack__", args, kwargs);
	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$OOOO:__dlpack__", names, &keywords.stream,
		    &keywords.max_version, &keywords.dl_device, &keywords.copy))
		return NULL;
	return export_case(tracer, &keywords);
}

static PyObject *tracer_dlpack_device(PyObject *object, PyObject *unused)
{
	struct tracer *tracer = tensor_open_tracer(object);
	const struct consumer_case *row;

	(void)unused;
	if (!tracer)
		return NULL;
	row = tracer->row;
	tensor_record_call(tracer, "__dlpack_device__", NULL, NULL);
	if (row->raises_device)
		return raise_named(row->raises_device);
	if (row->result >= RESULT_DEVICE_NONE)
		return other_result(row->result);
	return Py_BuildValue(
		"(ii)", row->asked_device_type ? row->asked_device_type : kDLCPU, row->device_id);
}

static PyMethodDef tensor_methods[] = {
	{ "__dlpack_device__", tracer_dlpack_device, METH_NOARGS, NULL },
	{ "__dlpack__", (PyCFunction)(void (*)(void))tracer_dlpack, METH_VARARGS | METH_KEYWORDS,
		NULL },
	{ NULL, NULL, 0, NULL },
};

static PyMethodDef methods_without_export[] = {
	{ "__dlpack_device__", tracer_dlpack_device, METH_NOARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

static const PyType_Slot dlpack_slots[] = { { Py_tp_methods, tensor_methods }, { 0, NULL } };
static const PyType_Slot slots_without_export[] = { { Py_tp_methods, methods_without_export },
	{ 0, NULL } };

/* For the garbage collector, which then finds each container that keeps a tensor. */
static int traverse_tensor(PyObject *object, visitproc visit, void *context)
{
	return visit((PyObject *)Py_TYPE(object), context);
}

static void free_tensor(PyObject *object)
{
	struct tracer *tracer = ((struct tensor_object *)object)->tracer;
	PyTypeObject *type = Py_TYPE(object);
	freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

	if (tracer && tracer->is_held) {
		tracer->is_over_released = true;
		return;
	}
	PyObject_GC_UnTrack(object);
	if (tracer)
		tracer->object = NULL;
	release(object);
	Py_DecRef((PyObject *)type);
}

static PyObject *new_tensor_type(const PyType_Slot *interface)
{
	PyType_Slot slots[5] = { { Py_tp_dealloc, (void *)free_tensor },
		{ Py_tp_traverse, (void *)traverse_tensor } };
	PyType_Spec spec = { .name = "suai.Tensor",
		.basicsize = sizeof(struct tensor_object),
		.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
		.slots = slots };

	for (int i = 0; interface[i].slot; i++)
		slots[i + 2] = interface[i];
	return PyType_FromSpec(&spec);
}

static bool set_exchange_api(PyObject *type, const struct consumer_case *row)
{
	PyObject *capsule = exchange_capsule_new(row);
	bool is_set =
		capsule && !PyObject_SetAttrString(type, "__dlpack_c_exchange_api__", capsule);

	Py_DecRef(capsule);
	return is_set;
}

PyObject *tracer_object(struct tracer *tracer)
{
	const PyType_Slot *slots = tensor_slots(tracer->interface->protocol);
	PyTypeObject *type;
	allocfunc allocate;
	struct tensor_object *object;

	if (!slots)
		slots = tracer->row->flags & CASE_NO_METHOD ? slots_without_export : dlpack_slots;
	type = (PyTypeObject *)new_tensor_type(slots);
	if (type && tracer->row->exchange && !set_exchange_api((PyObject *)type, tracer->row)) {
		Py_DecRef((PyObject *)type);
		return NULL;
	}
	allocate = type ? (allocfunc)PyType_GetSlot(type, Py_tp_alloc) : NULL;
	object = allocate ? (struct tensor_object *)allocate(type, 0) : NULL;
	Py_DecRef((PyObject *)type);
	if (object)
		object->tracer = tracer;
	tracer->object = (PyObject *)object;
	return tracer->object;
}

/* --- NumPy arrays --- */

PyObject *tracer_numpy_array(const struct tracer *tracer)
{
	const struct array *layout = &tracer->layout;
	const struct guarded *memory = &tracer->memory;
	bool is_readonly = tracer->row->flags & CASE_READONLY;
	PyObject *numpy = PyImport_ImportModule("numpy"), *array = NULL, *view, *shape, *strides;

	view = PyMemoryView_FromMemory((char *)memory->pages, (Py_ssize_t)memory->n_page_bytes,
		is_readonly ? PyBUF_READ : PyBUF_WRITE);
	shape = tensor_integers(layout->shape, layout->n_dims);
	strides = tensor_integers(layout->stride_bytes, layout->n_dims);
	if (numpy && view && shape && strides)
		array = PyObject_CallMethod(numpy, "ndarray", "OsOnO", shape, layout->dtype.name,
			view, (Py_ssize_t)layout->pointer + (memory->low - memory->pages), strides);
	Py_DecRef(strides);
	Py_DecRef(shape);
	Py_DecRef(view);
	Py_DecRef(numpy);
	return array;
}

static int map_memory(
	struct tracer *tracer, size_t n_bytes, enum guarded_place place, struct err *err)
{
	const struct guarded_request request = { .n_bytes = n_bytes,
		.alignment = CASE_ALIGNMENT,
		.misalignment = (size_t)tracer->row->misalignment,
		.place = place };
	bool is_of_device = tracer->interface && tracer->interface->memory != MEMORY_HOST;

	if (is_of_device)
		tracer->session =
			device_memory_map(tracer->interface, &tracer->memory, &request, err);
	if (tracer->session)
		return 0;
	if (is_of_device && consumer_case_is_legal(tracer->row))
		return -1;
	return guarded_map(&tracer->memory, &request) ? 0 : err_set(err, EXIT_BUG, "out of memory");
}

int tracer_open(struct tracer *tracer, struct arena *arena, const struct consumer_case *row,
	const struct tensor_interface *interface, enum guarded_place place, struct err *err)
{
	int64_t n_bytes = 24; /* of a tensor whose layout cannot be read */

	*tracer = (struct tracer){
		.row = row, .interface = interface, .arena = arena, .calls.known = true
	};
	tracer->has_layout = consumer_case_describe(row, &tracer->layout, &n_bytes) &&
			     tracer->layout.dtype.bits % 8 == 0;
	if (!tracer->has_layout)
		tracer->layout = (struct array){ .n_dims = 0 };
	if (map_memory(tracer, (size_t)n_bytes, place, err))
		return -1;
	tracer->low = (uint64_t)(uintptr_t)tracer->memory.pages;
	tracer->high = tracer->low + tracer->memory.n_page_bytes;
	tracer->image = mem_alloc(tracer->memory.n_page_bytes);
	tracer_fill(tracer, 0);
	return 0;
}

void tracer_close(struct tracer *tracer)
{
	tracer_release(tracer);
	if (tracer->object)
		((struct tensor_object *)tracer->object)->tracer = NULL;
	if (!tracer->session)
		guarded_close(&tracer->memory);
	free(tracer->image);
}
