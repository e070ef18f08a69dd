// SPDX-License-Identifier: MIT
/*
 * The judge's half of the channel: creates the sealed memory, reads records from the ring. Every
 * number read from it is bounded before use, and a payload is copied before it is checked or
 * parsed.
 */
#include "supervisor/channel.h"

#include "base/crc32.h"
#include "base/limit.h"
#include "model/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

_Static_assert(sizeof(struct channel_state) == CHANNEL_PAGE_BYTES, "the state is one page");
_Static_assert(offsetof(struct channel_state, refusal) == CHANNEL_REFUSAL_OFFSET,
	"as the bootstrap assumes");
_Static_assert(sizeof(struct channel_record) == CHANNEL_RECORD_ALIGNMENT, "a head never wraps");
_Static_assert(VALUE_MAX_WIRE_BYTES + CHANNEL_PAGE_BYTES <= CHANNEL_RING_BYTES, "one message fits");

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

static struct channel_state *state_of(const struct channel *channel)
{
	return (struct channel_state *)channel->base;
}

/* RLIMIT_FSIZE applies to a memfd, too; its soft limit can be raised. */
static int set_size(int fd, uint64_t n_bytes)
{
	struct rlimit before, raised;
	int status = ftruncate(fd, (off_t)n_bytes), code = errno;

	if (!status || code != EFBIG || getrlimit(RLIMIT_FSIZE, &before))
		return status;
	raised = before;
	raised.rlim_cur = before.rlim_max;
	if (!setrlimit(RLIMIT_FSIZE, &raised)) {
		status = ftruncate(fd, (off_t)n_bytes);
		setrlimit(RLIMIT_FSIZE, &before);
	}
	errno = code;
	return status;
}

int channel_open(struct channel *channel, const struct value *job, struct err *err)
{
	struct text wire = { 0 };
	const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	struct channel_state *state;
	int status = -1;

	*channel = (struct channel){ .fd = -1 };
	wire_write(&wire, job);
	if (wire.n_bytes > VALUE_MAX_WIRE_BYTES) {
		err_set(err, EXIT_USAGE,
			"the targets and options of a module take %zu bytes, but the limit is %d bytes",
			wire.n_bytes, VALUE_MAX_WIRE_BYTES);
		goto out;
	}
	channel->ring_offset = channel_ring_offset(wire.n_bytes);
	channel->total_bytes = channel_total_bytes(wire.n_bytes);
	/* Kernels before 6.3 do not have MFD_NOEXEC_SEAL; newer ones may log its absence. */
	channel->fd = memfd_create("suai", flags | MFD_NOEXEC_SEAL);
	if (channel->fd < 0)
		channel->fd = memfd_create("suai", flags);
	if (channel->fd < 0 || set_size(channel->fd, channel->total_bytes)) {
		err_set(err, EXIT_UNAVAILABLE, "cannot create %llu bytes of shared memory: %s%s",
			(unsigned long long)channel->total_bytes, strerror(errno),
			limit_advice(errno));
		goto out;
	}
	if (fcntl(channel->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)) {
		err_set(err, EXIT_UNAVAILABLE, "cannot seal shared memory: %s", strerror(errno));
		goto out;
	}
	channel->base = mmap(
		NULL, channel->total_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, channel->fd, 0);
	if (channel->base == MAP_FAILED) {
		channel->base = NULL;
		err_set(err, EXIT_UNAVAILABLE, "cannot map %llu bytes of shared memory: %s%s",
			(unsigned long long)channel->total_bytes, strerror(errno),
			limit_advice(errno));
		goto out;
	}
	/* The worker maps it itself; other children must not inherit the mapping. */
	madvise(channel->base, channel->total_bytes, MADV_DONTFORK);
	state = state_of(channel);
	state->magic = CHANNEL_MAGIC;
	state->job_bytes = wire.n_bytes;
	atomic_init(&state->target, -1);
	memcpy(channel->base + CHANNEL_PAGE_BYTES, wire.bytes, wire.n_bytes);
	status = 0;
out:
	text_free(&wire);
	return status;
}

void channel_close(struct channel *channel)
{
	if (channel->base)
		munmap(channel->base, channel->total_bytes);
	if (channel->fd >= 0)
		close(channel->fd);
	text_free(&channel->payload);
	*channel = (struct channel){ .fd = -1 };
}

/* Copies n_bytes at an offset of the ring, which may wrap around its end. */
static void copy_out(const struct channel *channel, uint64_t at, size_t n_bytes, struct text *out)
{
	const unsigned char *ring = channel->base + channel->ring_offset;
	size_t start = (size_t)(at % CHANNEL_RING_BYTES);
	size_t first = CHANNEL_RING_BYTES - start < n_bytes ? CHANNEL_RING_BYTES - start : n_bytes;

	text_clear(out);
	text_add_bytes(out, ring + start, first);
	text_add_bytes(out, ring, n_bytes - first);
}

static enum channel_outcome broken(struct err *err, const char *what)
{
	err_set(err, EXIT_TARGET, "the target corrupted suai's shared memory: %s", what);
	return CHANNEL_BROKEN;
}

static enum channel_outcome take_payload(struct channel *channel,
	const struct channel_record *record, struct arena *arena, struct value **message,
	struct err *err)
{
	struct text *payload = &channel->payload;

	copy_out(channel, channel->tail + sizeof(*record), record->n_bytes, payload);
	if (crc32_add(0, payload->bytes, record->n_bytes) != record->crc32)
		return broken(err, "a record has a wrong checksum");
	*message = wire_read(arena, payload->bytes, record->n_bytes, err);
	if (!*message)
		return broken(err, "a record cannot be read");
	channel->tail += channel_record_bytes(record->n_bytes);
	channel->sequence++;
	atomic_store_explicit(&state_of(channel)->tail, channel->tail, memory_order_release);
	return CHANNEL_MESSAGE;
}

enum channel_outcome channel_read(
	struct channel *channel, struct arena *arena, struct value **message, struct err *err)
{
	uint64_t head = atomic_load_explicit(&state_of(channel)->head, memory_order_acquire);
	uint64_t there = head - channel->tail;
	struct channel_record record;

	if (state_of(channel)->magic != CHANNEL_MAGIC)
		return broken(err, "the first page is invalid");
	if (!there)
		return CHANNEL_EMPTY;
	if (there > CHANNEL_RING_BYTES || there % CHANNEL_RECORD_ALIGNMENT)
		return broken(err, "the ring's head is out of range");
	memcpy(&record, channel->base + channel->ring_offset + channel->tail % CHANNEL_RING_BYTES,
		sizeof(record));
	if (record.n_bytes > VALUE_MAX_WIRE_BYTES || channel_record_bytes(record.n_bytes) > there)
		return broken(err, "a record's length is out of range");
	if (record.sequence != channel->sequence)
		return broken(err, "a record is out of sequence");
	return take_payload(channel, &record, arena, message, err);
}

bool channel_read_draft(
	struct channel *channel, uint64_t *offset, struct arena *arena, struct value **message)
{
	uint64_t end = atomic_load_explicit(&state_of(channel)->draft_bytes, memory_order_acquire);
	const unsigned char *drafts = channel->base + channel->ring_offset + CHANNEL_RING_BYTES;
	struct channel_record record;
	struct err ignored;

	if (end > CHANNEL_DRAFT_BYTES || *offset > end || end - *offset < sizeof(record))
		return false;
	memcpy(&record, drafts + *offset, sizeof(record));
	if (record.n_bytes > VALUE_MAX_WIRE_BYTES ||
		channel_record_bytes(record.n_bytes) > end - *offset)
		return false;
	text_clear(&channel->payload);
	text_add_bytes(&channel->payload, drafts + *offset + sizeof(record), record.n_bytes);
	if (crc32_add(0, channel->payload.bytes, record.n_bytes) != record.crc32)
		return false;
	*message = wire_read(arena, channel->payload.bytes, record.n_bytes, &ignored);
	*offset += channel_record_bytes(record.n_bytes);
	return *message != NULL;
}

static void copy_printable(char *out, const volatile char *in, size_t n_chars)
{
	size_t n = 0;

	for (; n + 1 < n_chars; n++) {
		char c = in[n];

		if (!c)
			break;
		out[n] = (unsigned char)c < ' ' || c == 0x7f ? '?' : c;
	}
	out[n] = '\0';
}

bool channel_position(const struct channel *channel, struct worker_position *out)
{
	struct channel_state *state = state_of(channel);
	struct worker_position position;
	uint32_t before;

	/* A worker that died during a change leaves it odd: the last values are reported. */
	for (int tries = 0; tries < 1000; tries++) {
		before = atomic_load_explicit(&state->step_sequence, memory_order_acquire);
		position.sequence = before;
		position.visits = atomic_load_explicit(&state->visits, memory_order_relaxed);
		position.target = atomic_load_explicit(&state->target, memory_order_relaxed);
		position.in_step = atomic_load_explicit(&state->in_step, memory_order_relaxed);
		position.all_read = atomic_load_explicit(&state->all_read, memory_order_relaxed) ==
				    position.visits;
		copy_printable(position.step, state->step, CHANNEL_STEP_CHARS);
		atomic_thread_fence(memory_order_acquire);
		if (!(before & 1) &&
			before == atomic_load_explicit(&state->step_sequence, memory_order_relaxed))
			break;
	}
	if (state->magic != CHANNEL_MAGIC)
		return false;
	*out = position;
	return true;
}

void channel_refusal(const struct channel *channel, char out[CHANNEL_REFUSAL_CHARS])
{
	copy_printable(out, state_of(channel)->refusal, CHANNEL_REFUSAL_CHARS);
}

const char *channel_stack(const struct channel *channel, struct arena *arena)
{
	const unsigned char *stack = channel->base + channel->total_bytes - CHANNEL_STACK_BYTES;
	char *copy = arena_alloc(arena, CHANNEL_STACK_BYTES + 1);

	memcpy(copy, stack, CHANNEL_STACK_BYTES);
	copy[CHANNEL_STACK_BYTES] = '\0';
	return *copy ? value_text_escaped(arena, copy)->bytes : NULL;
}

bool channel_has_no_memory(const struct channel *channel)
{
	return atomic_load_explicit(&state_of(channel)->no_memory, memory_order_relaxed) == 1;
}

void channel_work(const struct channel *channel, uint64_t *done, uint64_t *total)
{
	const struct channel_state *state = state_of(channel);

	*total = atomic_load_explicit(&state->work_bytes, memory_order_relaxed);
	*done = atomic_load_explicit(&state->done_bytes, memory_order_relaxed);
}

void channel_end_time(struct channel *channel, uint32_t visits)
{
	atomic_store_explicit(&state_of(channel)->no_time, visits, memory_order_relaxed);
}

void channel_halve_time(struct channel *channel, uint32_t visits)
{
	atomic_store_explicit(&state_of(channel)->half_time, visits, memory_order_relaxed);
}

void channel_stop(struct channel *channel)
{
	atomic_store_explicit(&state_of(channel)->stop, 1, memory_order_relaxed);
}
