// SPDX-License-Identifier: MIT
/*
 * SYCL through dpctl's C library: sessions from a syclobj, facts about them, and the devices. No
 * Python here; worker/capture/sycl.c turns a syclobj into a struct sycl_source.
 */
#ifndef DEVICES_SYCL_SYCL_H
#define DEVICES_SYCL_SYCL_H

#include "devices/device.h"

/* What a syclobj comes down to; exactly one is set. Kept until the call returns. */
struct sycl_source {
	const char *filter;  /* "opencl:cpu:0"; NULL: what SYCL's default selector takes */
	const void *context; /* DPCTLSyclContextRef */
	const void *queue;   /* DPCTLSyclQueueRef */
};

struct sycl_device {
	char name[128];
	char filter[48];  /* "opencl:cpu:0"; empty for a sub-device */
	char backend[16]; /* "opencl", "level_zero", "cuda", "hip" */
	char driver_version[64];
	int64_t position; /* in dpctl.get_devices(): DLPack's device_id; -1: a sub-device */
	uint64_t memory_bytes;
	uint32_t compute_units;
	bool is_root;
	bool has_fp16, has_fp64;
	bool has_usm_device, has_usm_shared, has_usm_host;
};

struct sycl_facts {
	enum answer default_context; /* the platform's default one */
	enum answer root_device;
	enum answer in_order; /* unknown where no queue was given */
	/* The device, or one that it is a part of, is that of the last pointer located; unknown
	 * where the source names no device, and for host memory, which all devices reach. */
	enum answer same_device;
	bool has_device; /* a context of several devices has none of its own */
	struct sycl_device device;
};

/*
 * Loads dpctl's library: the one in the process or the one in a directory (dpctl's own). To be
 * called before all others. EXIT_UNAVAILABLE where it cannot be loaded.
 */
int sycl_load(struct err *err);
int sycl_load_from(const char *directory, struct err *err);

/* Gives the session that a source names; NULL with err set. */
struct device_session *sycl_open(const struct sycl_source *source, struct err *err);

/* What is known of a session. One of a context takes the device of the last pointer located. */
void sycl_describe(const struct device_session *session, struct sycl_facts *facts);

/* Which default context knows memory at address: of what kind it is there, and of which device.
 * False where none does. */
bool sycl_find_memory(uint64_t address, enum memory_kind *kind, struct sycl_device *device);

/* The aspects that element types require and the device has: fp16, fp64. */
struct value *sycl_device_aspects(struct arena *arena, const struct sycl_device *device);

#endif
