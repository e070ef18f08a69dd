// SPDX-License-Identifier: MIT
/*
 * CUDA through the driver's own library: sessions from an address, a device or a stream, facts that
 * no session holds, and the devices. No Python here.
 */
#ifndef DEVICES_CUDA_CUDA_H
#define DEVICES_CUDA_CUDA_H

#include "devices/device.h"

/*
 * Opens the driver and calls cuInit, once; to be called, where an object claims CUDA, before the
 * rest. EXIT_UNAVAILABLE with the driver's reason where there is no driver or no device.
 */
int cuda_load(struct err *err);

/* Whether somebody in this process has called cuInit. Opens and starts nothing. */
bool cuda_is_running(void);

/* What a session comes down to. */
struct cuda_source {
	uint64_t address; /* memory that the session is for; 0: none */
	int64_t device;   /* where address is 0 or unknown: the ordinal; -1: not said */
	bool has_stream;
	uint64_t stream; /* the producer's: 1, 2 or a handle */
};

/* Gives the session; NULL with err set. Needs no context before it copies. */
struct device_session *cuda_open(const struct cuda_source *source, struct err *err);

/* The ordinal of a session's device; -1 where it is not known. */
int64_t cuda_session_device(const struct device_session *session);

/* What the driver says that is not of the memory alone. */
struct cuda_facts {
	int64_t current_device; /* of this thread; 0, as the CUDA runtime takes it, where none is */
	enum answer peer_access;     /* the current device reaches the address */
	enum answer pageable_access; /* and reads what malloc gave */
};

/* Asks about an address; peer access stays as it is. cuda_load has succeeded. */
void cuda_ask_driver(uint64_t address, struct cuda_facts *facts);

struct cuda_stream_facts {
	enum answer valid; /* unknown: the driver fails for reasons of its own */
	char error[96];    /* the driver's words; empty: none */
	int64_t device;    /* -1: unknown, as for 1 and 2 */
};

/*
 * Asks whether handle is a live stream, without waiting for it or ending a capture. A handle that
 * the driver falls over is not valid, and no crash.
 */
void cuda_ask_stream(uint64_t handle, struct cuda_stream_facts *facts);

/* Makes a stream on the device, and destroys it; for --stream new. */
int cuda_stream_new(int64_t device, uint64_t *handle, struct err *err);
void cuda_stream_end(uint64_t handle, int64_t device);

/* The runtime's list(). cuda_load has succeeded. */
int cuda_list_devices(struct arena *arena, struct fact_device_entry_list *devices, struct err *err);

#endif
