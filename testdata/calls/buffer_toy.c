// SPDX-License-Identifier: MIT
/*
 * Types with a buffer (PEP 3118), for bats/buffers.bats and bats/lifetime.bats: those called good_*
 * follow Python's documentation, and each of the others violates one sentence of it. The part of a
 * name before the underscore is the rule that reports it. Three rows of four floats, in Fortran
 * order or every second one of a row.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_ROWS = 3, N_COLUMNS = 4, N_ITEMS = N_ROWS * N_COLUMNS, ITEM_BYTES = sizeof(float) };

struct toy {
	PyObject ob_base;
	float memory[2 * N_ITEMS];
	int n_exports;
};

/* What a type does otherwise than the good ones. */
enum defect {
	NONE,
	IGNORES_ORDER,
	GRANTS_SIMPLE,
	GRANTS_FORMAT,
	GRANTS_UNSTRIDED_WRITABLE,
	GRANTS_CONTIG,
	COPIES_UNSTRIDED,
	LEAVES_SHAPE_OUT,
	FLATTENS_SHAPE,
	MOVES_BUF,
	CHANGES_FORMAT,
	GRANTS_WRITABLE,
	CHANGES_READONLY,
	REFUSES_WRITABLE,
	LEAVES_OBJECT,
	LEAVES_OBJECT_ALWAYS,
	GRANTS_ONCE,
	RAISES_VALUE_ERROR,
	RAISES_NOTHING,
	FAILS_SILENTLY,
	SETS_EXCEPTION,
	RAISES_IN_RELEASE,
	KEEPS_REFERENCE,
	TAKES_NO_REFERENCE,
	HAS_NO_OWNER,
	OWNER_IS_NONE,
	LEAKS_SHAPE,
	FREES_TWICE,
	ABORTS_LATE,
	INTERRUPTS,
};

static const struct kind {
	const char *name;
	enum defect defect;
	int is_readonly;
	Py_ssize_t strides[2];
} kinds[] = {
	{ "good_fortran", NONE, 0, { ITEM_BYTES, N_ROWS *ITEM_BYTES } },
	{ "good_contiguous", NONE, 0, { N_COLUMNS * ITEM_BYTES, ITEM_BYTES } },
	{ "good_readonly", NONE, 1, { ITEM_BYTES, N_ROWS *ITEM_BYTES } },
	{ "good_strided", NONE, 0, { 2 * N_COLUMNS * ITEM_BYTES, 2 * ITEM_BYTES } },
	{ "BUF301_fortran", IGNORES_ORDER, 0, { ITEM_BYTES, N_ROWS *ITEM_BYTES } },
	{ "BUF301_contiguous", IGNORES_ORDER, 0, { N_COLUMNS * ITEM_BYTES, ITEM_BYTES } },
	{ "BUF301_strided", IGNORES_ORDER, 0, { 2 * N_COLUMNS * ITEM_BYTES, 2 * ITEM_BYTES } },
	{ "BUF301_grants_simple", GRANTS_SIMPLE, 0, { ITEM_BYTES, N_ROWS *ITEM_BYTES } },
	{ "BUF301_grants_format", GRANTS_FORMAT, 0, { ITEM_BYTES, N_ROWS *ITEM_BYTES } },
	{ "BUF301_grants_writable", GRANTS_UNSTRIDED_WRITABLE, 0,
		{ ITEM_BYTES, N_ROWS *ITEM_BYTES } },
	{ "BUF301_grants_contig", GRANTS_CONTIG, 0,
		{ 2 * N_COLUMNS * ITEM_BYTES, 2 * ITEM_BYTES } },
	{ "good_copies_unstrided", COPIES_UNSTRIDED, 0, { ITEM_BYTES, N_ROWS *ITEM_BYTES } },
	{ "BUF108_leaves_shape_out", LEAVES_SHAPE_OUT, 0, { N_COLUMNS * ITEM_BYTES, ITEM_BYTES } },
	{ "BUF113_flattens_shape", FLATTENS_SHAPE, 0, { N_COLUMNS * ITEM_BYTES, ITEM_BYTES } },
	{ "BUF113_moves_buf", MOVES_BUF, 0, { N_COLUMNS * ITEM_BYTES, ITEM_BYTES } },
	{ "BUF113_changes_format", CHANGES_FORMAT, 0, { N_COLUMNS * ITEM_BYTES, ITEM_BYTES } },
	{ "BUF801_grants_writable", GRANTS_WRITABLE, 1, { ITEM_BYTES, N_ROWS *ITEM_BYTES } },
	{ "BUF801_changes_readonly", CHANGES_READONLY, 0, { N_COLUMNS * ITEM_BYTES, ITEM_BYTES } },
	{ "BUF801_refuses_writable", REFUSES_WRITABLE, 0, { N_COLUMNS * ITEM_BYTES, ITEM_BYTES } },
	{ "BUF001_fails_silently", FAILS_SILENTLY, 0, { N_COLUMNS * ITEM_BYTES, ITEM_BYTES } },
	{ "BUF001_sets_exception", SETS_EXCEPTION, 0, { N_COLUMNS * ITEM_BYTES, ITEM_BYTES } },
	{ "BUF001_raises_in_release", RAISES_IN_RELEASE, 0,
		{ N_COLUMNS * ITEM_BYTES, ITEM_BYTES } },
	{ "BUF701_leaves_object", LEAVES_OBJECT, 1, { ITEM_BYTES, N_ROWS *ITEM_BYTES } },
	{ "BUF701_leaves_object_always", LEAVES_OBJECT_ALWAYS, 0,
		{ N_COLUMNS * ITEM_BYTES, ITEM_BYTES } },
	{ "BUF005_grants_once", GRANTS_ONCE, 0, { N_COLUMNS * ITEM_BYTES, ITEM_BYTES } },
	{ "BUF701_raises_value_error", RAISES_VALUE_ERROR, 1, { ITEM_BYTES, N_ROWS *ITEM_BYTES } },
	{ "BUF701_raises_nothing", RAISES_NOTHING, 1, { ITEM_BYTES, N_ROWS *ITEM_BYTES } },
	{ "BUF702_keeps_reference", KEEPS_REFERENCE, 0, { ITEM_BYTES, N_ROWS *ITEM_BYTES } },
	{ "BUF702_takes_no_reference", TAKES_NO_REFERENCE, 0, { ITEM_BYTES, N_ROWS *ITEM_BYTES } },
	{ "BUF702_has_no_owner", HAS_NO_OWNER, 0, { ITEM_BYTES, N_ROWS *ITEM_BYTES } },
	{ "BUF702_owner_is_none", OWNER_IS_NONE, 0, { ITEM_BYTES, N_ROWS *ITEM_BYTES } },
	{ "BUF702_leaks_shape", LEAKS_SHAPE, 0, { ITEM_BYTES, N_ROWS *ITEM_BYTES } },
	{ "BUF702_aborts_late", ABORTS_LATE, 0, { ITEM_BYTES, N_ROWS *ITEM_BYTES } },
	{ "BUF702_frees_twice", FREES_TWICE, 0, { ITEM_BYTES, N_ROWS *ITEM_BYTES } },
	{ "interrupts", INTERRUPTS, 0, { N_COLUMNS * ITEM_BYTES, ITEM_BYTES } },
};

enum { N_KINDS = sizeof(kinds) / sizeof(*kinds) };

static PyObject *types[N_KINDS];

static const struct kind *kind_of(PyObject *self)
{
	for (int i = 0; i < N_KINDS; i++)
		if (types[i] == (PyObject *)Py_TYPE(self))
			return &kinds[i];
	abort();
}

static int is_asked(int flags, int request)
{
	return (flags & request) == request;
}

static int is_unstrided(int flags)
{
	return !is_asked(flags, PyBUF_STRIDES);
}

/* Whether the type grants a request of C order that it has to refuse. */
static int is_granted_anyway(enum defect defect, int flags)
{
	switch (defect) {
	case GRANTS_SIMPLE:
		return flags == PyBUF_SIMPLE;
	case GRANTS_FORMAT:
		return flags == PyBUF_FORMAT;
	case GRANTS_UNSTRIDED_WRITABLE:
		return flags == PyBUF_WRITABLE;
	case GRANTS_CONTIG:
		return flags == (PyBUF_CONTIG | PyBUF_FORMAT);
	case COPIES_UNSTRIDED:
		return is_unstrided(flags);
	default:
		return defect == IGNORES_ORDER;
	}
}

/* Whether the flags request what the type does not have; a request without strides requires C
 * order.
 */
static int is_refused(const struct kind *kind, int flags)
{
	int is_c = kind->strides[1] == ITEM_BYTES, is_f = kind->strides[0] == ITEM_BYTES;
	int asks_c = is_asked(flags, PyBUF_C_CONTIGUOUS) || is_unstrided(flags);
	int asks_f = is_asked(flags, PyBUF_F_CONTIGUOUS);
	int asks_any = is_asked(flags, PyBUF_ANY_CONTIGUOUS);

	if (kind->is_readonly && kind->defect != GRANTS_WRITABLE && is_asked(flags, PyBUF_WRITABLE))
		return 1;
	if (kind->defect == REFUSES_WRITABLE && is_asked(flags, PyBUF_WRITABLE))
		return 1;
	if (kind->defect == FAILS_SILENTLY || kind->defect == LEAVES_OBJECT_ALWAYS)
		return 1;
	if (is_granted_anyway(kind->defect, flags))
		return 0;
	return (asks_c && !is_c) || (asks_f && !is_f) || (asks_any && !is_c && !is_f);
}

static int refuse(PyObject *self, Py_buffer *view, const struct kind *kind)
{
	view->obj = NULL;
	if (kind->defect == LEAVES_OBJECT || kind->defect == LEAVES_OBJECT_ALWAYS)
		view->obj = self;
	if (kind->defect != RAISES_NOTHING && kind->defect != FAILS_SILENTLY)
		PyErr_SetString(
			kind->defect == RAISES_VALUE_ERROR ? PyExc_ValueError : PyExc_BufferError,
			"not as requested");
	return -1;
}

static void fill(struct toy *toy, Py_buffer *view, const struct kind *kind, int flags)
{
	Py_ssize_t *dims = malloc(4 * sizeof(*dims) + N_ITEMS * ITEM_BYTES);
	int lacks_strides = is_unstrided(flags);

	dims[0] = N_ROWS;
	dims[1] = N_COLUMNS;
	memcpy(dims + 2, kind->strides, sizeof(kind->strides));
	view->buf = toy->memory;
	view->len = N_ITEMS * ITEM_BYTES;
	view->itemsize = ITEM_BYTES;
	view->readonly = kind->is_readonly;
	if (kind->defect == CHANGES_READONLY)
		view->readonly = lacks_strides;
	view->ndim = 2;
	view->format = is_asked(flags, PyBUF_FORMAT) ? (char *)"f" : NULL;
	if (kind->defect == CHANGES_FORMAT && view->format && is_asked(flags, PyBUF_WRITABLE))
		view->format = (char *)"i";
	view->shape = is_asked(flags, PyBUF_ND) ? dims : NULL;
	view->strides = is_asked(flags, PyBUF_STRIDES) ? dims + 2 : NULL;
	view->suboffsets = NULL;
	view->internal = dims;
	if (kind->defect == COPIES_UNSTRIDED && lacks_strides) {
		float *copy = view->buf = (void *)(dims + 4);

		for (int i = 0; i < N_ITEMS; i++)
			copy[i] = toy->memory[i / N_COLUMNS + i % N_COLUMNS * N_ROWS];
	}
	if (kind->defect == LEAVES_SHAPE_OUT && lacks_strides)
		view->shape = NULL;
	if (kind->defect == FLATTENS_SHAPE && lacks_strides) {
		dims[0] = N_ITEMS;
		view->ndim = 1;
	}
	if (kind->defect == MOVES_BUF && lacks_strides)
		view->buf = toy->memory + 1;
}

static int get_buffer(PyObject *self, Py_buffer *view, int flags)
{
	const struct kind *kind = kind_of(self);
	static int n_views;

	if (kind->defect == ABORTS_LATE && n_views++ == 60)
		abort();
	if (is_refused(kind, flags) ||
		(kind->defect == GRANTS_ONCE && ((struct toy *)self)->n_exports++))
		return refuse(self, view, kind);
	fill((struct toy *)self, view, kind, flags);
	view->obj = kind->defect == HAS_NO_OWNER    ? NULL
		    : kind->defect == OWNER_IS_NONE ? Py_None
						    : self;
	if (view->obj && kind->defect != TAKES_NO_REFERENCE)
		Py_IncRef(view->obj);
	if (kind->defect == KEEPS_REFERENCE)
		Py_IncRef(self);
	if (kind->defect == SETS_EXCEPTION)
		PyErr_SetString(PyExc_ValueError, "set although 0 is returned");
	return 0;
}

static void release_buffer(PyObject *self, Py_buffer *view)
{
	enum defect defect = kind_of(self)->defect;

	if (defect != LEAKS_SHAPE)
		free(view->internal);
	if (defect == INTERRUPTS)
		raise(SIGINT);
	if (defect == RAISES_IN_RELEASE)
		PyErr_SetString(PyExc_ValueError, "raised in bf_releasebuffer");
	/* Only a trial goes on for so long. */
	if (defect == FREES_TWICE && ++((struct toy *)self)->n_exports > 100)
		free(view->internal);
}

static PyType_Slot slots[] = {
	{ Py_bf_getbuffer, get_buffer },
	{ Py_bf_releasebuffer, release_buffer },
	{ 0, NULL },
};

static PyModuleDef module = { PyModuleDef_HEAD_INIT, .m_name = "buffer_toy", .m_size = -1 };

PyMODINIT_FUNC PyInit_buffer_toy(void)
{
	PyObject *made = PyModule_Create(&module), *names = PyList_New(0);

	for (int i = 0; i < N_KINDS; i++) {
		char *name = malloc(80); /* the type keeps it */
		PyType_Spec spec = { .basicsize = sizeof(struct toy),
			.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
			.slots = slots };

		snprintf(name, 80, "buffer_toy.%s", kinds[i].name);
		spec.name = name;
		types[i] = PyType_FromSpec(&spec);
		PyModule_AddObjectRef(made, kinds[i].name, types[i]);
		PyList_Append(names, PyUnicode_FromString(kinds[i].name));
	}
	PyModule_AddObjectRef(made, "names", names);
	return made;
}
