// SPDX-License-Identifier: MIT
#include "worker/memory/sycl_capsule.h"

#include "devices/sycl/sycl.h"

/* A consumer that takes the queue renames the capsule. */
static void drop_queue_capsule(PyObject *capsule)
{
	if (PyCapsule_IsValid(capsule, QUEUE_CAPSULE))
		sycl_queue_delete(PyCapsule_GetPointer(capsule, QUEUE_CAPSULE));
}

PyObject *sycl_capsule_new(struct device_session *session)
{
	PyObject *capsule;
	struct err err;
	void *queue;

	WITHOUT_GIL(queue = sycl_queue_give(session, &err));
	if (!queue) {
		PyErr_SetString(PyExc_RuntimeError, err.message);
		return NULL;
	}
	capsule = PyCapsule_New(queue, QUEUE_CAPSULE, drop_queue_capsule);
	if (!capsule)
		sycl_queue_delete(queue);
	return capsule;
}
