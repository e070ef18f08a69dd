// SPDX-License-Identifier: MIT
/*
 * Any numbers and texts in the memory that a traced program shares with suai: the report is written
 * in each format, and its document is read again with the same call sites. Each number of the
 * tables is one byte of the input: small, or one at a limit; what remains of the input is the
 * texts.
 */
#include "base/array_size.h"
#include "commands/trace_findings.h"
#include "documents/call_site.h"
#include "exchanges/exchanges.h"
#include "exchanges/traced_program.h"
#include "formats/json/json_write.h"
#include "formats/yaml/yaml_read.h"
#include "fuzz/edits.h"
#include "trace/record.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_ITEMS = 64, MAX_WORDS = 4096, MAX_EVENTS = 100 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes);

static uint32_t choose_number(struct fuzz_input *input)
{
	static const uint32_t limits[] = { UINT32_MAX, UINT32_MAX - 1, INT32_MAX, UINT32_C(1) << 31,
		TRACE_MAX_LIBRARIES, TRACE_MAX_LIBRARIES + 1, TRACE_MAX_SITES + 1,
		TRACE_MAX_ROWS + 1, TRACE_MAX_TENSORS + 1, TRACE_STRING_BYTES,
		TRACE_STRING_BYTES + 1, 256, 257, 4096, 1000, 100000 };
	uint8_t which = fuzz_choose(input);

	return which < 0xf0 ? which : limits[which & 0xf];
}

static void put(int fd, uint64_t offset, const void *bytes, size_t n_bytes)
{
	if (pwrite(fd, bytes, n_bytes, (off_t)offset) != (ssize_t)n_bytes)
		abort();
}

/* Fills the first items of a table. */
static void put_numbers(
	int fd, uint64_t offset, struct fuzz_input *input, uint32_t n_items, size_t item_bytes)
{
	uint32_t words[MAX_WORDS];
	size_t n_words = n_items * item_bytes / sizeof(*words);

	for (size_t i = 0; i < n_words && i < MAX_WORDS; i++)
		words[i] = choose_number(input);
	put(fd, offset, words, (n_words < MAX_WORDS ? n_words : MAX_WORDS) * sizeof(*words));
}

/* The head of a segment: its numbers, with the magic and few items of each table unless the input
 * chooses others. */
static void put_segment(int fd, struct fuzz_input *input, uint64_t offset)
{
	union {
		struct trace_segment segment;
		uint32_t words[sizeof(struct trace_segment) / sizeof(uint32_t)];
	} head = { .words = { 0 } };
	struct trace_segment *segment = &head.segment;
	bool is_any = fuzz_choose(input) >= 0xf0;

	for (size_t i = 0; i < ARRAY_SIZE(head.words); i++)
		head.words[i] = choose_number(input);
	if (!is_any) {
		segment->magic = TRACE_MAGIC;
		segment->n_libraries %= MAX_ITEMS;
		segment->n_sites %= MAX_ITEMS;
		segment->n_rows %= MAX_ITEMS;
		segment->n_tensors %= MAX_ITEMS;
		segment->n_events %= MAX_ITEMS;
		segment->state %= TRACE_LEFT + 2;
	}
	put_numbers(fd, offset + TRACE_LIBRARIES_OFFSET, input,
		segment->n_libraries < MAX_ITEMS ? segment->n_libraries : MAX_ITEMS,
		sizeof(struct trace_library));
	put_numbers(fd, offset + TRACE_SITES_OFFSET, input,
		segment->n_sites < MAX_ITEMS ? segment->n_sites : MAX_ITEMS,
		sizeof(struct trace_site));
	put_numbers(fd, offset + TRACE_ROWS_OFFSET, input,
		segment->n_rows < MAX_ITEMS ? segment->n_rows : MAX_ITEMS,
		sizeof(struct trace_row));
	put_numbers(fd, offset + TRACE_TENSORS_OFFSET, input,
		segment->n_tensors < MAX_ITEMS ? segment->n_tensors : MAX_ITEMS,
		sizeof(struct trace_tensor));
	put_numbers(fd, offset + TRACE_EVENTS_OFFSET, input,
		segment->n_events < MAX_ITEMS ? segment->n_events : MAX_ITEMS,
		sizeof(struct trace_event));
	if (!is_any)
		segment->n_string_bytes = (uint32_t)input->n_bytes;
	put(fd, offset + TRACE_STRINGS_OFFSET, input->bytes, input->n_bytes);
	put(fd, offset, segment, sizeof(*segment));
}

/* The document as text (free with free()). */
static char *document_text(const struct value *document, size_t *n_bytes)
{
	char *bytes = NULL;
	FILE *stream = open_memstream(&bytes, n_bytes);
	struct err err;

	if (json_write_document(stream, document, &err))
		abort();
	fclose(stream);
	return bytes;
}

/* What `suai validate REPORT` reads: every exchange that is not a transfer. */
static void read_again(struct arena *arena, const char *bytes, size_t n_bytes)
{
	struct err err = { .message = "" };
	const struct value *document = yaml_read(arena, bytes, n_bytes, &err);
	const struct value *sites = value_get(document, "call_sites");
	struct fact_target *targets;

	if (!value_is_sequence(sites))
		abort();
	targets = arena_alloc(arena, (sites->n_items + 1) * sizeof(*targets));
	if (call_site_targets_read(arena, sites, targets, &err)) {
		fprintf(stderr, "%s\n%s\n", err.message, bytes);
		abort();
	}
}

static void write_reports(struct arena *arena, struct trace_check *check,
	const struct exchange_list *list, bool has_sarif)
{
	static const char *const words[] = { "python3", "a.py" };
	struct exchange_report report = {
		.program = words, .n_words = ARRAY_SIZE(words), .summary = &check->summary
	};
	struct format_output output = { .command = "trace", .terminal = { .columns = 60 } };
	const struct value *document = exchanges_document(arena, list, &report);
	struct err err = { .message = "" };
	size_t n_bytes;
	char *bytes = document_text(document, &n_bytes);

	read_again(arena, bytes, n_bytes);
	free(bytes);
	output.stream = open_memstream(&bytes, &n_bytes);
	for (output.verbosity = -1; output.verbosity <= 1; output.verbosity++) {
		report.only_copies = output.verbosity == 0;
		report.only_held = output.verbosity == 1;
		document = exchanges_document(arena, list, &report);
		if (exchanges_write_text(&output, document, &err))
			abort();
	}
	if (has_sarif && trace_check_write(check, format_find("sarif"), &output, list, &err))
		abort();
	fclose(output.stream);
	free(bytes);
	output.stream = open_memstream(&bytes, &n_bytes);
	if (exchanges_write_perfetto(output.stream, list, document, &report, &err))
		abort();
	fclose(output.stream);
	if (!yaml_read(arena, bytes, n_bytes, &err)) {
		fprintf(stderr, "%s\n%s\n", err.message, bytes);
		abort();
	}
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	const struct trace_choice choice = {
		.layers = TRACE_LAYER_ALL, .is_following = true, .max_events = MAX_EVENTS
	};
	struct fuzz_input input = { bytes, n_bytes };
	uint8_t form = fuzz_choose(&input);
	uint32_t n_segments = form % 4;
	struct exchange_list list = { 0 };
	struct arena arena = { 0 };
	struct err err = { .message = "" };
	struct trace_check check;
	int fd = traced_program_memory(&choice, &err);

	if (fd < 0)
		abort();
	put(fd, offsetof(struct trace_head, n_claimed), &n_segments, sizeof(n_segments));
	for (uint32_t i = 0; i < n_segments; i++)
		put_segment(fd, &input, trace_segment_offset(i, MAX_EVENTS));
	exchanges_sum(fd);
	if (exchanges_read(&list, &arena, fd, &err)) {
		if (!err.message[0])
			abort();
	} else if (trace_check_open(&check, NULL, false, &err)) {
		abort();
	} else {
		trace_check_call_sites(&check, &list, choice.layers);
		write_reports(&arena, &check, &list, form >= 0xf0);
		trace_check_close(&check);
	}
	close(fd);
	arena_free(&arena);
	return 0;
}
