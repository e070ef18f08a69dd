// SPDX-License-Identifier: MIT
/*
 * The memory shared by judge and worker: a page of state, the job, a ring of records, drafts,
 * records that are read only if the worker ended early, and the stack that faulthandler writes if
 * it crashes. It is a sealed memfd: the worker cannot shrink it. The judge copies everything before
 * it reads it and trusts nothing in it. The layout is shared with worker/process/report.c, the
 * writing half.
 */
#ifndef SUPERVISOR_CHANNEL_H
#define SUPERVISOR_CHANNEL_H

#include "base/error.h"
#include "base/text.h"
#include "model/value.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	CHANNEL_PAGE_BYTES = 4096,
	CHANNEL_RING_BYTES = 16 << 20, /* a power of two */
	CHANNEL_DRAFT_BYTES = 16 << 20,
	CHANNEL_STACK_BYTES = 64 << 10,
	CHANNEL_RECORD_ALIGNMENT = 16, /* so that the head of a record never wraps around */
	CHANNEL_STEP_CHARS = 256,
	CHANNEL_REFUSAL_CHARS = 1024,
};

/* In the first page; the bootstrap writes it through a descriptor, before any module. */
#define CHANNEL_REFUSAL_OFFSET 2048

/* The step after the last message in which a worker waits for the other ranks of its MPI job. */
#define CHANNEL_FINALIZE_STEP "MPI_Finalize"

#define CHANNEL_MAGIC UINT64_C(0x626e6e6168437573) /* identifies the layout; changes with it */

/* The first page. Offsets in bytes; head and tail only grow. */
struct channel_state {
	uint64_t magic;
	uint64_t job_bytes;             /* written by the judge before the worker starts */
	_Atomic uint64_t head;          /* written by the worker: bytes written to the ring */
	_Atomic uint64_t n_records;     /* written by the worker: records written to the ring */
	_Atomic uint64_t tail;          /* written by the judge: bytes read from it */
	_Atomic uint32_t started;       /* written by the forked child: its process id */
	_Atomic uint32_t writer;        /* the process that writes; 0: none yet */
	_Atomic uint32_t stop;          /* written by the judge: end at the next step */
	_Atomic uint32_t step_sequence; /* odd while the worker changes the fields below */
	_Atomic uint32_t visits;        /* of worker_at: a new time limit begins with each */
	_Atomic int32_t target;         /* -1: none, the import */
	_Atomic uint32_t no_time; /* written by the judge: the visit whose time limit is reached */
	_Atomic uint32_t half_time; /* likewise: the visit that has used half of its time */
	_Atomic uint32_t all_read;  /* written by the worker: the visit that has read all */
	_Atomic uint32_t in_step;   /* 0: the last step is over */
	_Atomic uint32_t no_memory; /* written by the worker: an allocation by suai failed */
	_Atomic uint64_t
		work_bytes; /* written by the worker: a long copy's; 0: none is under way */
	_Atomic uint64_t done_bytes;  /* how many of them are copied */
	_Atomic uint64_t draft_bytes; /* written by the worker: of the target's drafts; 0: none */
	char step[CHANNEL_STEP_CHARS];
	/* Why the worker did not start, written by the forked child or the bootstrap. */
	_Alignas(CHANNEL_REFUSAL_OFFSET) char refusal[CHANNEL_REFUSAL_CHARS];
};

/* The head of a record; the payload, padded to CHANNEL_RECORD_ALIGNMENT, follows. */
struct channel_record {
	uint32_t n_bytes;  /* of the payload */
	uint32_t crc32;    /* of the payload */
	uint64_t sequence; /* 0, 1, 2, ... */
};

/* The state is at 0, the job at CHANNEL_PAGE_BYTES, the ring after it on a page boundary, then the
 * drafts, then the stack, which ends at a zero byte or with the memory. */
static inline uint64_t channel_ring_offset(uint64_t job_bytes)
{
	uint64_t pages = (job_bytes + CHANNEL_PAGE_BYTES - 1) / CHANNEL_PAGE_BYTES;

	return (1 + pages) * CHANNEL_PAGE_BYTES;
}

static inline uint64_t channel_stack_offset(uint64_t job_bytes)
{
	return channel_ring_offset(job_bytes) + CHANNEL_RING_BYTES + CHANNEL_DRAFT_BYTES;
}

static inline uint64_t channel_total_bytes(uint64_t job_bytes)
{
	return channel_stack_offset(job_bytes) + CHANNEL_STACK_BYTES;
}

/* The size in the ring of a record with a payload of n_bytes. */
static inline uint64_t channel_record_bytes(uint64_t n_bytes)
{
	uint64_t whole = sizeof(struct channel_record) + n_bytes;

	return (whole + CHANNEL_RECORD_ALIGNMENT - 1) / CHANNEL_RECORD_ALIGNMENT *
	       CHANNEL_RECORD_ALIGNMENT;
}

/* --- the judge's half: channel.c --- */

struct channel {
	int fd; /* close-on-exec */
	unsigned char *base;
	uint64_t total_bytes, ring_offset;
	uint64_t tail, sequence; /* the judge's own counts; the worker's are never read back */
	struct text payload;     /* the copy that is parsed */
};

/* Makes the memory and writes the job into it. Undo with channel_close, also after a failure. */
int channel_open(struct channel *channel, const struct value *job, struct err *err);
void channel_close(struct channel *channel);

enum channel_outcome {
	CHANNEL_EMPTY,   /* nothing to read now */
	CHANNEL_MESSAGE, /* *message is set */
	CHANNEL_BROKEN,  /* the memory is corrupt: err has the reason; nothing more can be read */
};

/* Reads the next message of the ring into the arena. */
enum channel_outcome channel_read(
	struct channel *channel, struct arena *arena, struct value **message, struct err *err);

/* Reads the draft at *offset (initially 0) into the arena, and advances *offset past it. False:
 * there are no more, or the memory is corrupt. */
bool channel_read_draft(
	struct channel *channel, uint64_t *offset, struct arena *arena, struct value **message);

/* The worker's position; the text is terminated and printable, the numbers are unchecked. */
struct worker_position {
	uint32_t sequence; /* changes with each step */
	uint32_t visits;
	int32_t target;
	bool in_step;
	bool all_read; /* the rest of this visit is optional */
	char step[CHANNEL_STEP_CHARS];
};

/* False: the first page is corrupt, and *position is unchanged. */
bool channel_position(const struct channel *channel, struct worker_position *position);

/* Copies the reason why the worker did not start into out; empty: none. */
void channel_refusal(const struct channel *channel, char out[CHANNEL_REFUSAL_CHARS]);

/* Copies the stack that the worker wrote when it crashed into the arena; NULL: none. */
const char *channel_stack(const struct channel *channel, struct arena *arena);

/* Whether the worker ended because an allocation by suai failed. */
bool channel_has_no_memory(const struct channel *channel);

/* The progress of a long copy; *total 0: none. Both are unchecked. */
void channel_work(const struct channel *channel, uint64_t *done, uint64_t *total);

/* Signals that the time limit of a visit is reached: the worker skips all that is optional. */
void channel_end_time(struct channel *channel, uint32_t visits);

/* Signals that half of the time limit is reached: the worker repeats no request. */
void channel_halve_time(struct channel *channel, uint32_t visits);

/* Requests the worker to end at its next step. */
void channel_stop(struct channel *channel);

#endif
