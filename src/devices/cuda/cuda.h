// SPDX-License-Identifier: MIT
/*
 * CUDA through the driver library: sessions opened from an address, a device or a stream; facts
 * that belong to no session; and the devices. No Python here.
 */
#ifndef DEVICES_CUDA_CUDA_H
#define DEVICES_CUDA_CUDA_H

#include "devices/device.h"

/*
 * Opens the driver and calls cuInit, once; call it first if an object declares CUDA memory.
 * EXIT_UNAVAILABLE with the driver's reason if there is no driver or no device.
 */
int cuda_load(struct err *err);

/* Whether cuInit was called in this process. Loads and initializes nothing. */
bool cuda_is_running(void);

/* What a session is opened from. */
struct cuda_source {
	uint64_t address; /* of memory that the session is for; 0: none */
	int64_t device;   /* the ordinal, if address is 0 or unknown; -1: not declared */
	bool has_stream;
	uint64_t stream; /* the producer's: 1, 2 or a handle */
};

/* Gives the session (end with its runtime's close()); NULL with err set. It requires no context
 * before its first copy. */
struct device_session *cuda_open(const struct cuda_source *source, struct err *err);

/* The ordinal of the session's device; -1: unknown. */
int64_t cuda_session_device(const struct device_session *session);

/* What the driver reports beyond the memory itself. */
struct cuda_facts {
	int64_t current_device;      /* of this thread; without a current context 0, as in the CUDA
					runtime */
	enum answer peer_access;     /* the current device can access the address */
	enum answer pageable_access; /* the current device can read memory from malloc */
};

/* Queries the driver about an address without changing peer access. cuda_load has succeeded. */
void cuda_query_driver(uint64_t address, struct cuda_facts *facts);

struct cuda_stream_facts {
	enum answer valid; /* unknown: the driver failed for another reason */
	char error[96];    /* the driver's error; empty: none */
	int64_t device;    /* -1: unknown, as for 1 and 2 */
};

/*
 * Queries whether handle is a live stream, without waiting for it or ending a capture. A handle
 * that crashes the driver is reported as not valid.
 */
void cuda_query_stream(uint64_t handle, struct cuda_stream_facts *facts);

/* Creates a stream on the device, and destroys it; for --stream new. */
int cuda_stream_new(int64_t device, uint64_t *handle, struct err *err);
void cuda_stream_end(uint64_t handle, int64_t device);

/* The runtime's list(). cuda_load has succeeded. */
int cuda_list_devices(struct arena *arena, struct fact_device_entry_list *devices, struct err *err);

#endif
