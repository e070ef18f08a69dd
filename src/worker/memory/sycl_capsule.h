// SPDX-License-Identifier: MIT
/* A queue as the capsule that syclobj of __sycl_usm_array_interface__ can be. */
#ifndef WORKER_MEMORY_SYCL_CAPSULE_H
#define WORKER_MEMORY_SYCL_CAPSULE_H

#include "devices/device.h"
#include "worker/python/python.h"

/* A new capsule of a queue of session, one of the sycl runtime. NULL with an exception. */
PyObject *sycl_capsule_new(struct device_session *session);

#endif
