// SPDX-License-Identifier: MIT
/* Devices in the terms of DLPack. */
#ifndef MODEL_DEVICE_H
#define MODEL_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

/* A device as the protocol names it; type is one of the names of device_type_name(), or NULL. */
struct device {
	const char *type; /* "cpu", "cuda", "cuda_host", "cuda_managed", "rocm", "oneapi", ... */
	int64_t id;       /* -1: not declared */
};

/* The lower-case name of a DLDeviceType code ("cpu" for 1, "oneapi" for 14); NULL for an unknown
 * one. */
const char *device_type_name(int64_t dlpack_code);

/* The DLDeviceType code of a name; -1 for an unknown one. */
int device_type_code(const char *name);

/* Whether DLTensor.data of devices of the type (or NULL) is a handle, not an address. */
bool device_data_is_handle(const char *name);

#endif
