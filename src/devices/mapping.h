// SPDX-License-Identifier: MIT
/*
 * Memory that the host can access while it is mapped: the cl_mem of a CPU device. While mapped it
 * is ordinary host memory to all engines.
 *
 * Only CL_DEVICE_TYPE_CPU qualifies (opencl.c): PoCL 3.1 and Intel's runtime map the buffer in
 * place, in the time of an empty command. CL_DEVICE_HOST_UNIFIED_MEMORY, deprecated since OpenCL
 * 2.0, guarantees neither this nor cache coherence for the buffers of a GPU, and has not been
 * measured on such a device.
 */
#ifndef DEVICES_MAPPING_H
#define DEVICES_MAPPING_H

#include "devices/transfer_end.h"

struct mapping {
	struct transfer_end end; /* as the host accesses it; unchanged if nothing is mapped */
	struct array array;
	struct memory_location location;
	struct device_session *session; /* NULL: nothing is mapped */
	struct device_pointer pointer;
	void *host;
};

/* Whether the host can access the memory of a location, directly or mapped. */
bool mapping_reaches(const struct memory_location *location);

/*
 * Fills mapping, which must not be moved. Maps the memory for reading if the host can access it
 * only that way and the engine is allowed to. -1 if the runtime refuses; end is then unchanged,
 * and there is nothing to close. Call without the GIL.
 */
int mapping_open(struct mapping *mapping, const struct transfer_end *end,
	enum transfer_engine wanted, struct err *err);

/* Unmaps the memory; does nothing if nothing is mapped. Call without the GIL. */
int mapping_close(struct mapping *mapping, struct err *err);

/*
 * Opens mappings of both ends of a copy, the first for reading and the second for writing, or of
 * neither: kernels cannot access mapped memory.
 */
int mapping_open_pair(struct mapping pair[2], const struct transfer_end *from,
	const struct transfer_end *to, enum transfer_engine wanted, struct err *err);
int mapping_close_pair(struct mapping pair[2], struct err *err);

#endif
