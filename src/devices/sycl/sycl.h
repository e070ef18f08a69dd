// SPDX-License-Identifier: MIT
/*
 * SYCL through dpctl's C library: sessions from a syclobj, facts about them, and the devices. No
 * Python here; worker/capture/sycl.c converts a syclobj to a struct sycl_source.
 */
#ifndef DEVICES_SYCL_SYCL_H
#define DEVICES_SYCL_SYCL_H

#include "devices/device.h"
#include "devices/device_features.h"

/* Names of the capsules that _get_capsule() of a queue and a context returns. */
#define QUEUE_CAPSULE "SyclQueueRef"
#define CONTEXT_CAPSULE "SyclContextRef"

/* What a syclobj resolves to; exactly one member is set. Borrowed until the call returns. */
struct sycl_source {
	const char *filter;  /* "opencl:cpu:0"; NULL: SYCL's default selector */
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
	bool is_root, is_cpu;
	struct device_features features;
};

struct sycl_facts {
	enum answer default_context; /* the platform's default context */
	enum answer root_device;
	enum answer in_order; /* unknown unless a queue was given */
	/*
	 * Whether the last pointer located is on the device of the source, on a sub-device or on
	 * its parent; unknown if the source does not name a device, and for host memory, which all
	 * devices can access.
	 */
	enum answer same_device;
	bool has_device; /* not for a context of several devices */
	struct sycl_device device;
};

/*
 * Loads dpctl's library: the one already in the process, or the one in a directory (dpctl's).
 * Call it before all others. EXIT_UNAVAILABLE if it cannot be loaded.
 */
int sycl_load(struct err *err);
int sycl_load_from(const char *directory, struct err *err);

/* Gives the session of a source; NULL with err set. */
struct device_session *sycl_open(const struct sycl_source *source, struct err *err);

/*
 * What is known about a session. The session of a context has the device of the last pointer
 * located.
 */
void sycl_describe(const struct device_session *session, struct sycl_facts *facts);

/*
 * Finds a default context in which address is USM, with the kind and the device; false if there
 * is none.
 */
bool sycl_find_memory(uint64_t address, enum memory_kind *kind, struct sycl_device *device);

/* The aspects of the device that element types require: fp16, fp64. */
struct value *sycl_device_aspects(struct arena *arena, const struct sycl_device *device);

/*
 * Gives a reference (DPCTLSyclQueueRef) to the session's queue, which is created if the session is
 * that of a context; free it with sycl_queue_delete. NULL with err set.
 */
void *sycl_queue_give(struct device_session *session, struct err *err);
void sycl_queue_delete(void *queue);

#endif
