// SPDX-License-Identifier: MIT
/* Internals shared by devices/transfer*.c. */
#ifndef DEVICES_TRANSFER_BLOCKS_H
#define DEVICES_TRANSFER_BLOCKS_H

#include "devices/transfer.h"

/* The block size; tests reduce it. */
extern int64_t transfer_block_bytes;

struct device_pointer transfer_pointer(const struct memory_location *location, uint64_t address);

/* Records the path and the engine: the runtime of session, or the host if that is NULL. */
void transfer_report(
	struct transfer *transfer, enum copy_path path, const struct device_session *session);

/* Records why the preferred strategy was not used. */
void transfer_report_fallback(struct transfer *transfer, const char *message);

/*
 * transfer_run for sides that no single copy can access; with wanted TRANSFER_HOST without
 * kernels.
 */
int transfer_by_blocks(struct transfer *transfer, const struct transfer_end *from,
	const struct transfer_end *to, enum transfer_engine wanted, struct err *err);

#endif
