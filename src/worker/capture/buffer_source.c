// SPDX-License-Identifier: MIT
/* The buffer protocol as a source: the view is held until the last consumer releases it. */
#include "worker/capture/source.h"

#include "base/memory.h"
#include "model/fields.h"
#include "os/peek.h"

#include <inttypes.h>
#include <stdlib.h>

enum { FORMAT_MAX_CHARS = 65535 };

static void release_view(void *view)
{
	PyBuffer_Release(view);
	free(view);
}

/* Copies ndim integers that an exporter points to; NULL: it did not. */
static int read_view_integers(int64_t *out, const Py_ssize_t *items, const Py_buffer *view,
	const char *field, struct err *err)
{
	size_t n_bytes = (size_t)view->ndim * sizeof(*items);

	_Static_assert(sizeof(*items) == sizeof(*out), "Py_ssize_t has 64 bits");
	if (items && !peek_bytes(out, (uint64_t)(uintptr_t)items, n_bytes))
		return err_set(err, EXIT_TARGET, "%s points to memory that cannot be read", field);
	return 0;
}

static int describe_view_layout(struct array *array, const Py_buffer *view, struct err *err)
{
	int64_t suboffsets[ARRAY_MAX_DIMS];

	if (view->ndim < 0 || view->ndim > ARRAY_MAX_DIMS)
		return err_set(err, EXIT_TARGET, "ndim is %d, expected 0 to %d", view->ndim,
			ARRAY_MAX_DIMS);
	array->n_dims = view->ndim;
	if (read_view_integers(array->shape, view->shape, view, "shape", err) ||
		read_view_integers(suboffsets, view->suboffsets, view, "suboffsets", err))
		return -1;
	if (view->ndim && !view->shape) {
		if (view->ndim > 1 || view->itemsize <= 0)
			return err_set(
				err, EXIT_TARGET, "shape is NULL but ndim is %d", view->ndim);
		array->shape[0] = view->len / view->itemsize;
	}
	for (int i = 0; view->shape && i < view->ndim; i++) {
		if (array->shape[i] < 0)
			return err_set(err, EXIT_TARGET,
				"shape[%d] is %" PRId64 ", expected 0 or more", i, array->shape[i]);
		if (view->suboffsets && suboffsets[i] >= 0)
			return err_set(err, EXIT_TARGET,
				"the buffer has suboffsets, which no other protocol can express");
	}
	array_set_compact_strides(array, 'C');
	if (read_view_integers(array->stride_bytes, view->strides, view, "strides", err))
		return -1;
	array->strides_given = view->strides != NULL;
	return 0;
}

static int describe_view(struct capture_context *context, struct source *source,
	const Py_buffer *view, struct err *err)
{
	struct array *array = &source->elements.array;
	const char *format =
		view->format ? peek_text(context->arena, view->format, FORMAT_MAX_CHARS) : NULL;

	if (view->format && !format)
		return err_set(err, EXIT_TARGET, "format points to memory that cannot be read");
	if (dtype_from_pep3118(&array->dtype, format, view->itemsize, err)) {
		err->code = EXIT_TARGET;
		return -1;
	}
	source->elements.format = format;
	source->elements.holds_objects = fields_pep3118_hold_objects(format);
	array->pointer = (uint64_t)(uintptr_t)view->buf;
	array->readonly = view->readonly ? READONLY_YES : READONLY_NO;
	array->device = (struct device){ DEVICE_CPU, 0 };
	return describe_view_layout(array, view, err);
}

int source_open_buffer(
	struct capture_context *context, PyObject *object, struct source *source, struct err *err)
{
	Py_buffer *view = mem_alloc(sizeof(*view));
	int rc = -1;

	if (!worker_step("PyObject_GetBuffer(PyBUF_FULL_RO)")) {
		err_set(err, EXIT_TARGET, "skipped: this step terminated an earlier worker");
		free(view);
		return -1;
	}
	if (PyObject_GetBuffer(object, view, PyBUF_FULL_RO)) {
		source_fail(context->arena, err, "PyObject_GetBuffer");
		free(view);
	} else if (describe_view(context, source, view, err)) {
		release_view(view);
	} else {
		source->memory_owner = memory_owner_new(view, release_view);
		rc = 0;
	}
	worker_step_done();
	return rc;
}
