// SPDX-License-Identifier: MIT
/* The ends of a copy: arrays and where their memory is. */
#ifndef DEVICES_TRANSFER_END_H
#define DEVICES_TRANSFER_END_H

#include "devices/device.h"
#include "model/array.h"

/* The location of the memory of an array. */
struct memory_location {
	struct device_session *session; /* NULL: host memory */
	uint64_t handle; /* of the runtime, which makes the pointer of the array an offset into it;
			    0: the pointer is an address */
	bool host_reaches; /* the host may read and write it */
	bool host_owns;    /* and it may be passed to host code as is */
};

static inline struct device_pointer memory_location_pointer(
	const struct memory_location *location, uint64_t address)
{
	return (struct device_pointer){ .handle = location->handle, .address = address };
}

struct transfer_end {
	const struct array *array;
	const struct memory_location *location;
};

enum transfer_engine { TRANSFER_AUTO, TRANSFER_KERNEL, TRANSFER_HOST };

#endif
