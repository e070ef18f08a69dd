// SPDX-License-Identifier: MIT
/* The judge's half of the channel against a writer that is right, wrong, or random. */
#include "base/array_size.h"
#include "supervisor/channel.h"

#include "base/crc32.h"
#include "base/test.h"
#include "model/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct channel channel;
static struct arena arena;
static uint64_t written; /* records put since the channel was opened */

static struct channel_state *state(void)
{
	return (struct channel_state *)channel.base;
}

static void reopen(void)
{
	struct err err;

	channel_close(&channel);
	arena_free(&arena);
	written = 0;
	CHECK(!channel_open(&channel, value_map(&arena), &err), "%s", err.message);
}

static void put_bytes(uint64_t at, const void *bytes, size_t n_bytes)
{
	const unsigned char *from = bytes;

	for (size_t i = 0; i < n_bytes; i++)
		channel.base[channel.ring_offset + (at + i) % CHANNEL_RING_BYTES] = from[i];
}

/* Writes a record as worker/process/report.c does; the head is given. */
static struct channel_record put(const struct value *message)
{
	struct text wire = { 0 };
	uint64_t head = atomic_load(&state()->head);
	struct channel_record record;

	wire_write(&wire, message);
	record = (struct channel_record){ .n_bytes = (uint32_t)wire.n_bytes,
		.crc32 = crc32_add(0, wire.bytes, wire.n_bytes),
		.sequence = written++ };
	put_bytes(head, &record, sizeof(record));
	put_bytes(head + sizeof(record), wire.bytes, wire.n_bytes);
	atomic_store(&state()->head, head + channel_record_bytes(wire.n_bytes));
	text_free(&wire);
	return record;
}

static enum channel_outcome take(struct value **message)
{
	struct err err;

	return channel_read(&channel, &arena, message, &err);
}

static void test_order_and_wrapping(void)
{
	static char long_text[3 << 20];
	struct value *message;

	reopen();
	CHECK(take(&message) == CHANNEL_EMPTY, "a new channel");
	for (int i = 0; i < 50; i++) {
		size_t n = (size_t)(i * 791900) % sizeof(long_text);

		memset(long_text, 'a' + i % 26, n);
		put(value_int(&arena, i));
		put(value_text_n(&arena, long_text, n));
		CHECK(take(&message) == CHANNEL_MESSAGE && value_int_or(message, -1) == i, "%d", i);
		CHECK(take(&message) == CHANNEL_MESSAGE && value_is(message, VALUE_TEXT) &&
				message->n_bytes == n && !memcmp(message->bytes, long_text, n),
			"%zu bytes in round %d", n, i);
		CHECK(take(&message) == CHANNEL_EMPTY, "round %d", i);
		arena_free(&arena);
	}
	CHECK(atomic_load(&state()->head) > UINT64_C(2) * CHANNEL_RING_BYTES,
		"the ring wrapped around twice");
	CHECK(atomic_load(&state()->tail) == atomic_load(&state()->head), "all bytes are released");
}

/* Each breaks a good record in one way. */
static void head_too_far(struct channel_record *record)
{
	(void)record;
	atomic_store(&state()->head, channel.tail + CHANNEL_RING_BYTES + CHANNEL_RECORD_ALIGNMENT);
}
static void head_goes_back(struct channel_record *record)
{
	(void)record;
	atomic_store(&state()->head, UINT64_MAX - 15);
}
static void head_unaligned(struct channel_record *record)
{
	(void)record;
	atomic_fetch_add(&state()->head, 1);
}
static void length_too_long(struct channel_record *record)
{
	record->n_bytes = 1000;
}
static void length_huge(struct channel_record *record)
{
	record->n_bytes = UINT32_MAX;
}
static void length_over_limit(struct channel_record *record)
{
	record->n_bytes = VALUE_MAX_WIRE_BYTES + 1;
	atomic_store(&state()->head, CHANNEL_RING_BYTES);
}
static void length_short(struct channel_record *record)
{
	record->n_bytes--;
}
static void length_zero(struct channel_record *record)
{
	record->n_bytes = 0;
	record->crc32 = 0;
}
static void sum_wrong(struct channel_record *record)
{
	record->crc32 ^= 1;
}
static void sequence_repeated(struct channel_record *record)
{
	record->sequence--;
}
static void sequence_skips(struct channel_record *record)
{
	record->sequence++;
}
static void payload_overwritten(struct channel_record *record)
{
	put_bytes(channel.tail + sizeof(*record), "\xff", 1);
}

static void test_broken_records(void)
{
	static const struct {
		const char *name;
		void (*damage)(struct channel_record *record);
	} cases[] = {
		{ "head too far", head_too_far },
		{ "head goes back", head_goes_back },
		{ "head unaligned", head_unaligned },
		{ "length too long", length_too_long },
		{ "length huge", length_huge },
		{ "length over the limit", length_over_limit },
		{ "length short", length_short },
		{ "length zero", length_zero },
		{ "sum wrong", sum_wrong },
		{ "sequence repeated", sequence_repeated },
		{ "sequence skips", sequence_skips },
		{ "payload overwritten", payload_overwritten },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct channel_record record;
		struct value *message;

		reopen();
		put(value_text(&arena, "first"));
		CHECK(take(&message) == CHANNEL_MESSAGE, "%s", cases[i].name);
		record = put(value_text(&arena, "second"));
		cases[i].damage(&record);
		put_bytes(channel.tail, &record, sizeof(record));
		CHECK(take(&message) == CHANNEL_BROKEN, "%s", cases[i].name);
	}
}

/* With any content, reading ends, and stays within the ring. */
static void test_random_memory(void)
{
	struct value *message;

	srand(1);
	for (int round = 0; round < 2000; round++) {
		reopen();
		put(value_text(&arena, "a message that is long enough to be hit"));
		for (int hits = 0; hits < 1 + rand() % 8; hits++)
			channel.base[channel.ring_offset + (size_t)rand() % 64] ^=
				(unsigned char)(1 + rand() % 255);
		if (rand() % 4 == 0)
			atomic_store(&state()->head, (uint64_t)rand() * 16 % (32 << 20));
		for (int i = 0; i < 100; i++)
			if (take(&message) != CHANNEL_MESSAGE)
				break;
		CHECK(channel.tail <= CHANNEL_RING_BYTES, "round %d", round);
	}
}

static void test_place(void)
{
	struct worker_position position;

	reopen();
	CHECK(channel_position(&channel, &position), "believed");
	CHECK(position.target == -1 && !position.in_step && !*position.step, "new");
	memset(state()->step, 'x', sizeof(state()->step));
	state()->step[2] = '\n';
	state()->step[3] = 0x1b;
	memset(state()->refusal, 'y', sizeof(state()->refusal));
	atomic_store(&state()->step_sequence, 1); /* died while changing it */
	atomic_store(&state()->target, 7);
	CHECK(channel_position(&channel, &position), "believed");
	CHECK(position.target == 7, "%d", position.target);
	CHECK(strlen(position.step) == CHANNEL_STEP_CHARS - 1, "%zu", strlen(position.step));
	CHECK(!strncmp(position.step, "xx??x", 5), "'%.5s'", position.step);
}

static void test_first_page(void)
{
	struct worker_position position = { .target = 5 };
	struct value *message;

	reopen();
	put(value_text(&arena, "first"));
	memset(channel.base, 0xff, CHANNEL_PAGE_BYTES);
	CHECK(!channel_position(&channel, &position) && position.target == 5, "not believed");
	CHECK(take(&message) == CHANNEL_BROKEN, "the first page is corrupt");
}

static void test_memory_is_kept(void)
{
	int status;
	pid_t child;

	reopen();
	CHECK(ftruncate(channel.fd, 4096) && errno == EPERM, "a worker cannot shrink it");
	CHECK(fcntl(channel.fd, F_GETFD) & FD_CLOEXEC, "not inherited over exec");
	child = fork();
	if (!child)
		_exit(write(channel.fd, channel.base, 1) < 0 && errno == EFAULT ? 0 : 1);
	waitpid(child, &status, 0);
	CHECK(status == 0, "the judge's mapping is not inherited over fork");
}

/* Drafts are as little believed as the ring. */
static void test_drafts(void)
{
	unsigned char *drafts;
	struct text wire = { 0 };
	struct value *message = NULL;
	struct channel_record record;
	uint64_t offset = 0;

	reopen();
	drafts = channel.base + channel.ring_offset + CHANNEL_RING_BYTES;
	CHECK(!channel_read_draft(&channel, &offset, &arena, &message), "none yet");
	wire_write(&wire, value_int(&arena, 42));
	record = (struct channel_record){ .n_bytes = (uint32_t)wire.n_bytes,
		.crc32 = crc32_add(0, wire.bytes, wire.n_bytes) };
	memcpy(drafts, &record, sizeof(record));
	memcpy(drafts + sizeof(record), wire.bytes, wire.n_bytes);
	atomic_store(&state()->draft_bytes, channel_record_bytes(wire.n_bytes));
	CHECK(channel_read_draft(&channel, &offset, &arena, &message) &&
			value_int_or(message, 0) == 42,
		"one");
	CHECK(!channel_read_draft(&channel, &offset, &arena, &message), "no other");
	for (uint64_t end = 0; end < channel_record_bytes(wire.n_bytes); end++) {
		atomic_store(&state()->draft_bytes, end);
		offset = 0;
		CHECK(!channel_read_draft(&channel, &offset, &arena, &message), "cut at %d",
			(int)end);
	}
	atomic_store(&state()->draft_bytes, UINT64_MAX);
	offset = 0;
	CHECK(!channel_read_draft(&channel, &offset, &arena, &message), "too far");
	atomic_store(&state()->draft_bytes, CHANNEL_DRAFT_BYTES);
	record.n_bytes = UINT32_MAX;
	memcpy(drafts, &record, sizeof(record));
	offset = 0;
	CHECK(!channel_read_draft(&channel, &offset, &arena, &message), "too long");
	record.n_bytes = (uint32_t)wire.n_bytes;
	record.crc32 ^= 1;
	memcpy(drafts, &record, sizeof(record));
	offset = 0;
	CHECK(!channel_read_draft(&channel, &offset, &arena, &message), "wrong sum");
	text_free(&wire);
}

int main(void)
{
	test_order_and_wrapping();
	test_broken_records();
	test_random_memory();
	test_place();
	test_first_page();
	test_memory_is_kept();
	test_drafts();
	channel_close(&channel);
	arena_free(&arena);
	return test_end();
}
