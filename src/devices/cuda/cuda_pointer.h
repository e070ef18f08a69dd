// SPDX-License-Identifier: MIT
/* The CUDA driver's answers about one address, and what they mean. Pure: no driver is called. */
#ifndef DEVICES_CUDA_CUDA_POINTER_H
#define DEVICES_CUDA_CUDA_POINTER_H

#include "facts/memory.h"

#include <stdbool.h>
#include <stdint.h>

struct cuda_pointer {
	uint64_t address; /* that was asked about */
	void *context;    /* NULL: of no context (pools, mapped memory), or not known */
	unsigned type;    /* CUmemorytype; 0: the driver does not know the address */
	unsigned managed; /* 0 or 1 */
	int ordinal;      /* below 0: not known */
	uint64_t device_pointer, host_pointer; /* 0: none */
	uint64_t base, size; /* cuMemGetAddressRange, adjacent mappings joined; size 0: failed */
	uint64_t range_base, range_size; /* the attributes: of cuMemMap the whole reservation */
	enum answer mapped;              /* false: reserved, with nothing behind it */
	bool is_vmm;                     /* made by cuMemMap */
	enum answer readable, writable;  /* by the device, as cuMemGetAccess says */
	void *pool;                      /* NULL: of no pool */
	enum answer ipc_capable;         /* cuIpcGetMemHandle could export it */
	/* /proc/self/maps: the mapping is a file of /dev, as cuMemHostAlloc makes it, where
	 * cuMemHostRegister takes what the process has. cuMemHostGetFlags does not tell them apart.
	 */
	bool kernel_of_driver;
};

/*
 * Fills kind, origin, base, size, device_pointer, host_accessible, managed, readable, writable,
 * context and device_id of memory, whose question is set; low_inside and high_inside where base and
 * size are known.
 */
void cuda_pointer_to_memory(const struct cuda_pointer *pointer, struct memory *memory);

#endif
