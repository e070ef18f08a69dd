// SPDX-License-Identifier: MIT
/* Capsules of DLPack: the struct, legacy or versioned, and its deleter. */
#include "worker/export/dlpack.h"

#include "base/memory.h"

#include <dlpack/dlpack.h>
#include <stdlib.h>

#define LEGACY_NAME "dltensor"
#define VERSIONED_NAME "dltensor_versioned"

/* One export: the capsule's struct, followed by the shape and the strides. */
struct managed {
	union {
		DLManagedTensor legacy;
		DLManagedTensorVersioned versioned;
	};
	int64_t shape_and_strides[];
};

/* Any thread, with or without the GIL; nothing is released after the interpreter was finalized. */
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

/* A consumer renames the capsule that it consumes; only an unconsumed tensor is deleted here. */
static void drop_capsule(PyObject *capsule)
{
	if (PyCapsule_IsValid(capsule, LEGACY_NAME))
		delete_legacy(PyCapsule_GetPointer(capsule, LEGACY_NAME));
	else if (PyCapsule_IsValid(capsule, VERSIONED_NAME))
		delete_versioned(PyCapsule_GetPointer(capsule, VERSIONED_NAME));
}

/* A handle has a separate offset. dpnp measures oneAPI memory from data, which is therefore the
 * lowest address. */
static void point(DLTensor *tensor, const struct element_array *elements)
{
	const struct array *array = &elements->array;
	bool from_base = tensor->device.device_type == kDLOneAPI;
	uint64_t base = elements->location.handle ? 0
			: from_base               ? exported_base(array)
						  : array->pointer;

	if (!array_elements(array))
		return;
	tensor->data = (void *)(uintptr_t)(elements->location.handle + base);
	tensor->byte_offset = array->pointer - base;
}

static void fill_tensor(DLTensor *tensor, const struct element_array *elements, int64_t *shape)
{
	const struct array *array = &elements->array;
	int64_t *strides = shape + array->n_dims, item_bytes = dtype_itemsize(&array->dtype);
	struct err ignored;

	*tensor = (DLTensor){
		.device = { .device_type = (DLDeviceType)device_type_code(array->device.type),
			.device_id = (int32_t)array->device.id },
		.ndim = array->n_dims,
		.shape = array->n_dims ? shape : NULL,
		.strides = array->n_dims ? strides : NULL,
	};
	point(tensor, elements);
	(void)dtype_to_dlpack(&array->dtype, &tensor->dtype.code, &tensor->dtype.bits,
		&tensor->dtype.lanes, &ignored);
	for (int i = 0; i < array->n_dims; i++) {
		shape[i] = array->shape[i];
		strides[i] = array->stride_bytes[i] / item_bytes;
	}
}

PyObject *dlpack_capsule_new(
	const struct element_array *elements, const struct dlpack_request *request, PyObject *owner)
{
	const struct array *array = &elements->array;
	struct managed *managed =
		mem_alloc(sizeof(*managed) + 2 * (size_t)array->n_dims * sizeof(int64_t));
	PyObject *capsule;

	if (request->versioned) {
		managed->versioned.version = (DLPackVersion){ 1, request->minor };
		managed->versioned.manager_ctx = owner;
		managed->versioned.deleter = delete_versioned;
		managed->versioned.flags = request->copied ? DLPACK_FLAG_BITMASK_IS_COPIED
					   : array->readonly == READONLY_YES
						   ? DLPACK_FLAG_BITMASK_READ_ONLY
						   : 0;
		fill_tensor(&managed->versioned.dl_tensor, elements, managed->shape_and_strides);
	} else {
		managed->legacy.manager_ctx = owner;
		managed->legacy.deleter = delete_legacy;
		fill_tensor(&managed->legacy.dl_tensor, elements, managed->shape_and_strides);
	}
	capsule = PyCapsule_New(
		managed, request->versioned ? VERSIONED_NAME : LEGACY_NAME, drop_capsule);
	if (!capsule) {
		free(managed);
		Py_DecRef(owner);
	}
	return capsule;
}
