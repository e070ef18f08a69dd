// SPDX-License-Identifier: MIT
/*
 * The memory that judge and worker share: a page of state, the job, and a ring of records. A sealed
 * memfd: the worker cannot shrink it. The judge copies everything out before it looks at it and
 * trusts nothing in it. Layout and the worker's writing half are shared with worker/report.c.
 */
#ifndef HOST_CHANNEL_H
#define HOST_CHANNEL_H

#include <stdatomic.h>
#include <stdint.h>

enum {
	CHANNEL_PAGE_BYTES = 4096,
	CHANNEL_RING_BYTES = 16 << 20, /* a power of two */
	CHANNEL_STEP_CHARS = 256,
};

#define CHANNEL_MAGIC UINT64_C(0x6c656e6e61684373) /* says the layout; changes with it */

/* The first page. Offsets in bytes; head and tail only grow. */
struct channel_state {
	uint64_t magic;
	uint64_t job_bytes;             /* written by the judge before the worker starts */
	_Atomic uint64_t head;          /* written by the worker: bytes put into the ring */
	_Atomic uint64_t tail;          /* written by the judge: bytes taken out */
	_Atomic uint64_t step_sequence; /* odd while the worker changes the fields below */
	_Atomic int64_t step_start_ns;  /* CLOCK_MONOTONIC; 0: no step */
	_Atomic int32_t module, target;
	char step[CHANNEL_STEP_CHARS];
};

/* The head of a record; the payload, padded to 16 bytes, follows. */
struct channel_record {
	uint32_t n_bytes;  /* of the payload */
	uint32_t crc32;    /* of the payload */
	uint64_t sequence; /* 0, 1, 2, ... */
};

/* Where the parts lie: state at 0, the job at CHANNEL_PAGE_BYTES, the ring after it on a page
 * boundary. */
uint64_t channel_ring_offset(uint64_t job_bytes);
uint64_t channel_total_bytes(uint64_t job_bytes);

#endif
