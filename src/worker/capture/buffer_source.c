// SPDX-License-Identifier: MIT
/* The buffer protocol as a source: the view is held until the last consumer releases it. */
#include "worker/capture/source.h"

#include "base/memory.h"
#include "model/fields.h"

#include <stdlib.h>
#include <string.h>

static void release_view(void *view)
{
	PyBuffer_Release(view);
	free(view);
}

static int describe_view_layout(struct array *array, const Py_buffer *view, struct err *err)
{
	if (view->ndim < 0 || view->ndim > ARRAY_MAX_DIMS)
		return err_set(err, EXIT_TARGET, "ndim is %d, expected 0 to %d", view->ndim,
			ARRAY_MAX_DIMS);
	array->n_dims = view->ndim;
	if (view->ndim && !view->shape) {
		if (view->ndim > 1 || view->itemsize <= 0)
			return err_set(
				err, EXIT_TARGET, "shape is NULL but ndim is %d", view->ndim);
		array->shape[0] = view->len / view->itemsize;
	}
	for (int i = 0; view->shape && i < view->ndim; i++) {
		array->shape[i] = view->shape[i];
		if (view->shape[i] < 0)
			return err_set(err, EXIT_TARGET, "shape[%d] is %zd, expected 0 or more", i,
				view->shape[i]);
		if (view->suboffsets && view->suboffsets[i] >= 0)
			return err_set(err, EXIT_TARGET,
				"the buffer has suboffsets, which no other protocol can express");
	}
	array_set_compact_strides(array, 'C');
	for (int i = 0; view->strides && i < view->ndim; i++)
		array->stride_bytes[i] = view->strides[i];
	array->strides_given = view->strides != NULL;
	return 0;
}

static int describe_view(struct capture_context *context, struct source *source,
	const Py_buffer *view, struct err *err)
{
	struct array *array = &source->elements.array;

	if (dtype_from_pep3118(&array->dtype, view->format, view->itemsize, err)) {
		err->code = EXIT_TARGET;
		return -1;
	}
	if (view->format)
		source->elements.format =
			arena_copy(context->arena, view->format, strlen(view->format));
	source->elements.holds_objects = fields_pep3118_hold_objects(view->format);
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
