// SPDX-License-Identifier: MIT
#include "facts/capture_stream.h"

#include "base/crc32.h"
#include "base/plural.h"
#include "model/wire.h"

#include <stdint.h>
#include <string.h>

#define CAPTURE_NAME "suai-capture "
#define CAPTURE_LINE CAPTURE_NAME "1\n"

enum { CAPTURE_HEAD_BYTES = 8 };

_Static_assert(sizeof(CAPTURE_LINE) - 1 <= CAPTURE_STREAM_LINE_BYTES, "the line is short");

void capture_stream_begin(struct text *out)
{
	text_add(out, CAPTURE_LINE);
}

static void put_u32(unsigned char *out, uint32_t number)
{
	for (int i = 0; i < 4; i++)
		out[i] = (unsigned char)(number >> 8 * i);
}

static uint32_t get_u32(const unsigned char *in)
{
	return in[0] | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16 | (uint32_t)in[3] << 24;
}

void capture_stream_add(struct text *out, const struct message *message)
{
	unsigned char head[CAPTURE_HEAD_BYTES];
	struct text wire = { 0 };

	message_write(&wire, message);
	put_u32(head, (uint32_t)wire.n_bytes);
	put_u32(head + 4, crc32_add(0, wire.bytes, wire.n_bytes));
	text_add_bytes(out, head, sizeof(head));
	text_add_bytes(out, wire.bytes, wire.n_bytes);
	text_free(&wire);
}

bool capture_stream_is(const void *bytes, size_t n_bytes)
{
	size_t n_name = strlen(CAPTURE_NAME);

	return n_bytes >= n_name && !memcmp(bytes, CAPTURE_NAME, n_name);
}

static int truncated(const struct capture_stream *stream, struct err *err)
{
	return err_set(err, EXIT_USAGE, "the capture is truncated: it ends after %zu byte%s",
		stream->n_bytes, plural(stream->n_bytes));
}

static int read_line(struct capture_stream *stream, struct err *err)
{
	const unsigned char *line = stream->bytes + stream->offset;
	size_t n_line = strlen(CAPTURE_LINE), n_left = stream->n_bytes - stream->offset;

	if (n_left >= n_line && !memcmp(line, CAPTURE_LINE, n_line)) {
		stream->offset += n_line;
		stream->in_capture = true;
		return 0;
	}
	if (n_left < n_line && !memcmp(line, CAPTURE_LINE, n_left))
		return truncated(stream, err);
	if (capture_stream_is(line, n_left))
		return err_set(err, EXIT_USAGE,
			"the format of the capture is that of another version of suai; expected 'suai-capture 1'");
	return err_set(err, EXIT_USAGE,
		"at byte %zu: expected a capture, which begins with 'suai-capture 1'",
		stream->offset);
}

int capture_stream_next(struct capture_stream *stream, struct arena *arena, struct message *message,
	struct err *err)
{
	const unsigned char *head;
	const struct value *value;
	size_t n_bytes;

	if (!stream->in_capture && stream->offset == stream->n_bytes)
		return 0;
	if (!stream->in_capture && read_line(stream, err))
		return -1;
	if (stream->n_bytes - stream->offset < CAPTURE_HEAD_BYTES)
		return truncated(stream, err);
	head = stream->bytes + stream->offset;
	n_bytes = get_u32(head);
	if (n_bytes > VALUE_MAX_WIRE_BYTES)
		return err_set(err, EXIT_USAGE,
			"at byte %zu of the capture: the length of a record is out of range",
			stream->offset);
	if (stream->n_bytes - stream->offset - CAPTURE_HEAD_BYTES < n_bytes)
		return truncated(stream, err);
	if (crc32_add(0, head + CAPTURE_HEAD_BYTES, n_bytes) != get_u32(head + 4))
		return err_set(err, EXIT_USAGE,
			"at byte %zu of the capture: a record has a wrong checksum",
			stream->offset);
	value = wire_read(arena, head + CAPTURE_HEAD_BYTES, n_bytes, err);
	if (!value || message_read(arena, value, message, err)) {
		err->code = EXIT_USAGE;
		return err_wrap(err, "at byte %zu of the capture", stream->offset);
	}
	stream->offset += CAPTURE_HEAD_BYTES + n_bytes;
	stream->in_capture = message->kind != MESSAGE_DONE;
	return 1;
}
