// SPDX-License-Identifier: MIT
/*
 * OpenCL: sessions of a cl_mem or of a device by clinfo's numbers, and the devices. No Python
 * here. An invalid cl_mem crashes the process inside the loader: pass only what DLPack declares
 * as kDLOpenCL.
 */
#ifndef DEVICES_OPENCL_OPENCL_H
#define DEVICES_OPENCL_OPENCL_H

#include "devices/device.h"
#include "devices/device_features.h"

struct opencl_device {
	char name[128];
	char platform[128];
	char filter[24]; /* "opencl:0.1": clinfo's numbers of platform and device */
	char driver_version[64];
	const char *type; /* "cpu", "gpu", "accelerator", "other" */
	uint64_t memory_bytes;
	uint32_t compute_units;
	struct device_features features;
};

/* Opens the ICD loader, once, before any other call. EXIT_UNAVAILABLE if there is none. */
int opencl_load(struct err *err);

/*
 * Gives the session of a cl_mem: with its context, the context's first device and a new queue.
 * The memory is retained until the session is closed. locate takes offsets into it as addresses.
 * NULL with err set.
 */
struct device_session *opencl_open_memory(uint64_t memory, struct err *err);

/* Gives a session with a new context on a device. */
struct device_session *opencl_open_device(int platform, int device, struct err *err);

/*
 * The position of the session's device in clinfo's list, which is DLPack's device_id here; -1:
 * not found.
 */
int64_t opencl_session_position(const struct device_session *session);

/* Whether the session's device is the processor, whose memory is host memory. */
bool opencl_is_cpu(const struct device_session *session);

/*
 * Gives the devices, platform by platform as clinfo lists them (free with free()); NULL with err
 * set if the loader finds no platform. opencl_load has succeeded.
 */
struct opencl_device *opencl_find_devices(size_t *n_devices, struct err *err);

/* Lists the devices as facts. */
int opencl_list_devices(
	struct arena *arena, struct fact_device_entry_list *devices, struct err *err);

#endif
