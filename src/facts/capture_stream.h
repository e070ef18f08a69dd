// SPDX-License-Identifier: MIT
/*
 * Captures: the messages about objects of a living process, written by the module's capture() and
 * read by the judge. Each is a line with the format's version, then records: the length and the
 * CRC-32 of a message's wire form, 4 bytes each, little endian, and that form. The messages are
 * hello, target and done. Captures may be concatenated.
 */
#ifndef FACTS_CAPTURE_STREAM_H
#define FACTS_CAPTURE_STREAM_H

#include "base/text.h"
#include "facts/message.h"

/* Appends the first line, or a message. */
void capture_stream_begin(struct text *out);
void capture_stream_add(struct text *out, const struct message *message);

/* Whether bytes begin as a capture of any version. */
bool capture_stream_is(const void *bytes, size_t n_bytes);

enum { CAPTURE_STREAM_LINE_BYTES = 16 }; /* as many as capture_stream_is() examines, at most */

/* Zero-initialise, and set the bytes, which are kept. */
struct capture_stream {
	const unsigned char *bytes;
	size_t n_bytes;
	size_t offset;
	bool in_capture; /* after its first line, before its last message */
};

/* Reads the next message into the arena. 1; 0 at the end; -1 with err set (EXIT_USAGE). */
int capture_stream_next(struct capture_stream *stream, struct arena *arena, struct message *message,
	struct err *err);

#endif
