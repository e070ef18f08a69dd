// SPDX-License-Identifier: MIT
/*
 * Memory that the host's loops reach while it is mapped: the cl_mem of a processor's device.
 * Mapped, it is host memory like any other, and no engine of suai's knows it from that.
 *
 * Only CL_DEVICE_TYPE_CPU counts as such (opencl.c): PoCL 3.1 and Intel's runtime map where the
 * buffer is, in the time of an empty command. CL_DEVICE_HOST_UNIFIED_MEMORY, which OpenCL 2.0 gave
 * up, does not promise that of a GPU's buffers, nor that the processor's caches serve them, and
 * no such device was there to measure.
 */
#ifndef DEVICES_MAPPING_H
#define DEVICES_MAPPING_H

#include "devices/transfer.h"

struct mapping {
	struct transfer_end end; /* as the host's loops reach it; else as it was given */
	struct array array;
	struct memory_location location;
	struct device_session *session; /* NULL: nothing is mapped */
	struct device_pointer pointer;
	void *host;
};

/* Whether the host's loops reach a location's memory, as it is or mapped. */
bool mapping_reaches(const struct memory_location *location);

/*
 * Fills mapping, which must not be moved: mapped for reading, where the host's loops reach the
 * memory only so and are wanted. -1 where the runtime refuses; end is then as it was given, and
 * there is nothing to close. Without the GIL.
 */
int mapping_open(struct mapping *mapping, const struct transfer_end *end,
	enum transfer_engine wanted, struct err *err);

/* Gives the memory back to its device; a mapping of nothing is nothing to do. Without the GIL. */
int mapping_close(struct mapping *mapping, struct err *err);

/* The same for both ends of a copy, the first to be read and the second written, or neither: no
 * kernel works on memory that is mapped. */
int mapping_open_pair(struct mapping pair[2], const struct transfer_end *from,
	const struct transfer_end *to, enum transfer_engine wanted, struct err *err);
int mapping_close_pair(struct mapping pair[2], struct err *err);

#endif
