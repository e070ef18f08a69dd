// SPDX-License-Identifier: MIT
/*
 * Any bytes in the memory that a worker shares with the judge: heads, lengths, checksums and
 * payloads of records, drafts, and the first page. Reading ends, and a message that is accepted
 * survives being written and read again. The first byte chooses whether lengths and checksums are
 * made right, so that messages are reached, too; the same bytes are read as a capture.
 */
#include "base/crc32.h"
#include "facts/capture_stream.h"
#include "model/wire.h"
#include "supervisor/channel.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 1 << 16, MAX_MESSAGES = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes);

static void check_message(struct arena *arena, const struct value *value)
{
	struct message message, again;
	struct text wire = { 0 }, second = { 0 };
	struct err err = { .message = "" };
	const struct value *back;

	if (message_read(arena, value, &message, &err)) {
		if (!err.message[0])
			abort();
		return;
	}
	message_write(&wire, &message);
	back = wire_read(arena, wire.bytes, wire.n_bytes, &err);
	if (!back || message_read(arena, back, &again, &err))
		abort();
	message_write(&second, &again);
	if (wire.n_bytes != second.n_bytes || memcmp(wire.bytes, second.bytes, wire.n_bytes) != 0)
		abort();
	text_free(&wire);
	text_free(&second);
}

/* A record with the right length, checksum and sequence; the bytes that the ring gets. */
static size_t put_record(unsigned char *at, const uint8_t *payload, size_t n_bytes)
{
	struct channel_record record = { .n_bytes = (uint32_t)n_bytes,
		.crc32 = crc32_add(0, payload, n_bytes) };

	memcpy(at, &record, sizeof(record));
	memcpy(at + sizeof(record), payload, n_bytes);
	return channel_record_bytes(n_bytes);
}

static void read_ring(const uint8_t *bytes, size_t n_bytes, uint8_t form)
{
	struct arena arena = { 0 };
	struct channel channel;
	struct channel_state *state;
	struct worker_position position;
	struct value *job = value_map(&arena), *message;
	char refusal[CHANNEL_REFUSAL_CHARS];
	unsigned char *drafts;
	uint64_t offset = 0, head;
	struct err err;

	if (channel_open(&channel, job, &err))
		abort();
	state = (struct channel_state *)channel.base;
	drafts = channel.base + channel.ring_offset + CHANNEL_RING_BYTES;
	if (form & 1) {
		head = put_record(channel.base + channel.ring_offset, bytes, n_bytes);
		put_record(drafts, bytes, n_bytes);
	} else {
		memcpy(channel.base + channel.ring_offset, bytes, n_bytes);
		memcpy(drafts, bytes, n_bytes);
		head = form & 2 ? form * UINT64_C(0x10000000000010)
				: n_bytes / CHANNEL_RECORD_ALIGNMENT * CHANNEL_RECORD_ALIGNMENT;
	}
	atomic_store(&state->head, head);
	atomic_store(&state->draft_bytes, head);
	for (int i = 0; i < MAX_MESSAGES; i++) {
		if (channel_read(&channel, &arena, &message, &err) != CHANNEL_MESSAGE)
			break;
		check_message(&arena, message);
	}
	while (channel_read_draft(&channel, &offset, &arena, &message))
		check_message(&arena, message);
	memcpy(channel.base + (form & 4 ? 0 : CHANNEL_REFUSAL_OFFSET), bytes,
		n_bytes < CHANNEL_REFUSAL_OFFSET ? n_bytes : CHANNEL_REFUSAL_OFFSET);
	channel_position(&channel, &position);
	channel_refusal(&channel, refusal);
	channel_stack(&channel, &arena);
	channel_close(&channel);
	arena_free(&arena);
}

static void read_capture(const uint8_t *bytes, size_t n_bytes)
{
	struct capture_stream stream = { .bytes = bytes, .n_bytes = n_bytes };
	struct arena arena = { 0 };
	struct message message;
	struct err err;

	while (capture_stream_next(&stream, &arena, &message, &err) > 0)
		continue;
	arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	if (!n_bytes || n_bytes > MAX_BYTES)
		return 0;
	read_ring(bytes + 1, n_bytes - 1, bytes[0]);
	read_capture(bytes + 1, n_bytes - 1);
	return 0;
}
