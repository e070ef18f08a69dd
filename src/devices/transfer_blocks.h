// SPDX-License-Identifier: MIT
/* The parts of devices/transfer*.c. */
#ifndef DEVICES_TRANSFER_BLOCKS_H
#define DEVICES_TRANSFER_BLOCKS_H

#include "devices/transfer.h"

/* How much goes at a time; tests make it small. */
extern int64_t transfer_block_bytes;

struct device_pointer transfer_pointer(const struct memory_location *location, uint64_t address);

/* Notes the path, and who goes it: a session's runtime, or (NULL) the host. */
void transfer_tell(
	struct transfer *transfer, enum copy_path path, const struct device_session *session);

/* Notes why the way was not gone that would have been. */
void transfer_tell_fallback(struct transfer *transfer, const char *message);

/* transfer_run where no one copy reaches both sides; wanted TRANSFER_HOST: without kernels. */
int transfer_by_blocks(struct transfer *transfer, const struct transfer_end *from,
	const struct transfer_end *to, enum transfer_engine wanted, struct err *err);

#endif
