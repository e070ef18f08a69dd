// SPDX-License-Identifier: MIT
/* The CUDA driver's answers about one address, and their meaning. Pure: calls no driver. */
#ifndef DEVICES_CUDA_CUDA_POINTER_H
#define DEVICES_CUDA_CUDA_POINTER_H

#include "facts/facts.h"

#include <stdbool.h>
#include <stdint.h>

struct cuda_pointer {
	uint64_t address; /* the address that was queried */
	void *context;    /* NULL: none (pools, mapped memory), or unknown */
	unsigned type;    /* CUmemorytype; 0: the driver does not know the address */
	unsigned managed; /* 0 or 1 */
	int ordinal;      /* negative: unknown */
	uint64_t device_pointer, host_pointer; /* 0: none */
	uint64_t base, size; /* of cuMemGetAddressRange, adjacent mappings joined; size 0: failed */
	uint64_t range_base, range_size; /* the attributes; for cuMemMap the whole reservation */
	enum answer mapped;              /* NO: address space that is reserved but not mapped */
	bool is_vmm;                     /* created by cuMemMap */
	enum answer readable, writable;  /* by the device, according to cuMemGetAccess */
	void *pool;                      /* NULL: not in a pool */
	enum answer ipc_capable;         /* cuIpcGetMemHandle could export it */
	/*
	 * Whether /proc/self/maps names a file in /dev for the address: so it does for
	 * cuMemHostAlloc, but not for cuMemHostRegister, which registers memory that the process
	 * already has. cuMemHostGetFlags does not distinguish them.
	 */
	bool is_device_file;
};

/*
 * Fills kind, origin, base, size, device_pointer, host_accessible, managed, readable, writable,
 * context and device_id of memory, whose asked range is set; low_inside and high_inside if base
 * and size are known.
 */
void cuda_pointer_to_memory(const struct cuda_pointer *pointer, struct memory *memory);

#endif
