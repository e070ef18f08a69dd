// SPDX-License-Identifier: MIT
/* Devices in the terms of DLPack. */
#ifndef MODEL_DEVICE_H
#define MODEL_DEVICE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* DLDeviceType of dlpack.h 1.3. */
enum {
	DLPACK_CPU = 1,
	DLPACK_CUDA = 2,
	DLPACK_CUDA_HOST = 3,
	DLPACK_OPENCL = 4,
	DLPACK_VULKAN = 7,
	DLPACK_METAL = 8,
	DLPACK_VPI = 9,
	DLPACK_ROCM = 10,
	DLPACK_ROCM_HOST = 11,
	DLPACK_EXT_DEV = 12,
	DLPACK_CUDA_MANAGED = 13,
	DLPACK_ONEAPI = 14,
	DLPACK_WEBGPU = 15,
	DLPACK_HEXAGON = 16,
	DLPACK_MAIA = 17,
	DLPACK_TRN = 18,
};

/* The names that code refers to. */
#define DEVICE_CPU "cpu"
#define DEVICE_CUDA "cuda"
#define DEVICE_CUDA_HOST "cuda_host"
#define DEVICE_CUDA_MANAGED "cuda_managed"
#define DEVICE_OPENCL "opencl"
#define DEVICE_ONEAPI "oneapi"

/* A device as the protocol names it; type is one of the names of device_type_name(), or NULL. */
struct device {
	const char *type; /* DEVICE_CPU, ... */
	int64_t id;       /* -1: not declared */
};

struct device_type {
	const char *name;   /* lower case: "cpu"; NULL: unknown */
	const char *family; /* in messages: "host", "CUDA", "SYCL"; NULL: the name */
	const char *driver; /* in messages: "HIP"; NULL: the name */
	enum device_data {  /* what DLTensor.data is */
		DEVICE_DATA_UNKNOWN,
		DEVICE_DATA_ADDRESS,
		DEVICE_DATA_HANDLE,
	} data;
	bool is_host_accessible; /* all its memory is also the host's */
	enum device_streams {
		DEVICE_STREAMS_NOT_NUMBERED,
		DEVICE_STREAMS_NUMBERED, /* consumers name streams by numbers */
		DEVICE_STREAMS_DRIVEN,   /* and suai calls their driver */
	} streams;
};

/* Never NULL: an unknown code or name, or NULL, has a type without a name and properties. */
const struct device_type *device_type_of_code(int64_t dlpack_code);
const struct device_type *device_type_named(const char *name);

/* The name of a code ("cpu" for 1, "oneapi" for 14); NULL for an unknown one. */
const char *device_type_name(int64_t dlpack_code);

/* The code of a name; -1 for an unknown one. */
int device_type_code(const char *name);

/* "cuda:1"; "cuda" if the number is not declared, "unknown:1" if the type is unknown. */
const char *device_text(struct arena *arena, struct device device);

/* Whether they are different devices, as far as is known: numbers that are not declared are equal
 * to any other. */
bool device_differs(struct device device, struct device other);

#endif
