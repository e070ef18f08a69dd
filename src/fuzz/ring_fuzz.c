// SPDX-License-Identifier: MIT
/*
 * Any bytes in the memory that a worker shares with the judge: heads, lengths, checksums and
 * payloads of records, drafts, and the first page. Reading ends, and a message that is accepted
 * survives being written and read again. The first byte chooses whether lengths and checksums are
 * made right, so that messages are reached, too, and whether the bytes are edits of a message; the
 * same bytes are read as a capture.
 */
#include "base/crc32.h"
#include "documents/document.h"
#include "facts/capture_stream.h"
#include "formats/yaml/yaml_read.h"
#include "fuzz/edits.h"
#include "model/wire.h"
#include "supervisor/channel.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 1 << 16, MAX_MESSAGES = 64 };

/* Bits of the first byte. */
enum { FORM_RECORD = 1, FORM_HEAD = 2, FORM_FIRST_PAGE = 4, FORM_EDITS = 8 };

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
	if (form & FORM_RECORD) {
		head = put_record(channel.base + channel.ring_offset, bytes, n_bytes);
		put_record(drafts, bytes, n_bytes);
	} else {
		memcpy(channel.base + channel.ring_offset, bytes, n_bytes);
		memcpy(drafts, bytes, n_bytes);
		head = form & FORM_HEAD
			       ? form * UINT64_C(0x10000000000010)
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
	memcpy(channel.base + (form & FORM_FIRST_PAGE ? 0 : CHANNEL_REFUSAL_OFFSET), bytes,
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

/*
 * Appends the wire form of a message with edits. The input begins with the message's kind and the
 * number of bytes that choose edits; the rest is the YAML document of a target, whose facts the
 * message has if that is its kind.
 */
static void write_edited_message(struct text *wire, const uint8_t *bytes, size_t n_bytes)
{
	struct fuzz_input edits = { bytes, n_bytes };
	struct message message = { .kind = fuzz_choose(&edits) % (MESSAGE_DONE + 1) };
	size_t n_edit_bytes = fuzz_choose(&edits);
	struct arena arena = { 0 };
	struct text healthy = { 0 };
	struct value *document, *value;
	struct err err;

	if (n_edit_bytes > edits.n_bytes)
		n_edit_bytes = edits.n_bytes;
	document = yaml_read(&arena, (const char *)edits.bytes + n_edit_bytes,
		edits.n_bytes - n_edit_bytes, &err);
	if (message.kind == MESSAGE_TARGET &&
		(!document || document_read(&arena, document, &message.target, &err)))
		message.target = (struct fact_target){ .present = true };
	message_write(&healthy, &message);
	value = wire_read(&arena, healthy.bytes, healthy.n_bytes, &err);
	if (!value)
		abort();
	edits.n_bytes = n_edit_bytes;
	fuzz_edit(&arena, &edits, value);
	wire_write(wire, value);
	text_free(&healthy);
	arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	struct text wire = { 0 };

	if (!n_bytes || n_bytes > MAX_BYTES)
		return 0;
	if (bytes[0] & FORM_EDITS) {
		write_edited_message(&wire, bytes + 1, n_bytes - 1);
		if (wire.n_bytes <= MAX_BYTES)
			read_ring((const uint8_t *)wire.bytes, wire.n_bytes, FORM_RECORD);
		text_free(&wire);
		return 0;
	}
	read_ring(bytes + 1, n_bytes - 1, bytes[0]);
	read_capture(bytes + 1, n_bytes - 1);
	return 0;
}
