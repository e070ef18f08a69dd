// SPDX-License-Identifier: MIT
#include "trace/lines.h"

#include "trace/numpy_api.h"
#include "trace/python.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Codes whose instructions at an offset of at least MIN_OFFSET_BYTES were looked up MIN_LOOKUPS
 * times get a table. */
enum { MIN_OFFSET_BYTES = 1 << 13, MIN_LOOKUPS = 32, N_SLOTS = 64, MAX_TABLES_CREATED = 1024 };

/* The instructions of a line, up to the end of the range; line -1: none. */
struct line_range {
	uint32_t end_bytes;
	int32_t line;
};

/* The ranges of a code object, in order. None is modified or freed: another thread may read it. */
struct line_table {
	const void *code;            /* to compare it only: */
	const void *const *referent; /* what a weak reference to it refers to */
	size_t n_ranges;
	struct line_range ranges[];
};

static _Atomic(const struct line_table *) tables[N_SLOTS];
static _Atomic unsigned int n_lookups[N_SLOTS];

static size_t slot_of_code(const void *code)
{
	return ((uintptr_t)code >> 5) % N_SLOTS;
}

/* --- the table that a code object has, co_linetable --- */

struct line_reader {
	const unsigned char *at, *end;
	uint32_t offset_bytes;
	int32_t line;
};

/* The kinds of entries with other changes of the line than 0. */
enum { ONE_LINE = 10, NO_COLUMNS = 13, LONG = 14, NO_LINE = 15 };

/* Six bits in each byte, the lowest ones first; the sign is the lowest bit of all. */
static int32_t read_line_change(const struct line_reader *reader)
{
	uint32_t value = 0;
	int shift = 0;

	for (const unsigned char *at = reader->at; at < reader->end && shift < 30; at++) {
		value |= (uint32_t)(*at & 0x3f) << shift;
		shift += 6;
		if (!(*at & 0x40))
			break;
	}
	return value & 1 ? -(int32_t)(value >> 1) : (int32_t)(value >> 1);
}

/* The next entry, which is a byte with the highest bit and bytes without it. */
static struct line_range read_line_entry(struct line_reader *reader)
{
	const unsigned int kind = *reader->at >> 3 & 15;

	reader->offset_bytes += 2 * ((*reader->at & 7) + 1);
	reader->at++;
	if (kind == NO_COLUMNS || kind == LONG)
		reader->line += read_line_change(reader);
	else if (kind >= ONE_LINE && kind < NO_COLUMNS)
		reader->line += (int32_t)(kind - ONE_LINE);
	while (reader->at < reader->end && !(*reader->at & 0x80))
		reader->at++;
	return (struct line_range){ reader->offset_bytes, kind == NO_LINE ? -1 : reader->line };
}

/* Writes the ranges, or only counts them (NULL). Entries of the same line are one range. */
static size_t read_line_ranges(struct line_reader reader, struct line_range *ranges)
{
	struct line_range last = { 0 };
	size_t n_ranges = 0;

	while (reader.at < reader.end) {
		const struct line_range range = read_line_entry(&reader);

		if (!n_ranges || range.line != last.line)
			n_ranges++;
		last = range;
		if (ranges)
			ranges[n_ranges - 1] = range;
	}
	return n_ranges;
}

static int find_line_in_table(const struct line_table *table, uint32_t offset_bytes)
{
	size_t low = 0, high = table->n_ranges;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (offset_bytes < table->ranges[middle].end_bytes)
			high = middle;
		else
			low = middle + 1;
	}
	return low < table->n_ranges ? table->ranges[low].line : -1;
}

/* --- tables --- */

static struct line_table *read_line_table(void *bytes, int first_line)
{
	struct line_reader reader = { .line = first_line };
	struct line_table *table;
	ptrdiff_t n_bytes;
	size_t n_ranges;
	char *text;

	if (trace_python.bytes_as_text(bytes, &text, &n_bytes))
		return NULL;
	reader.at = (const unsigned char *)text;
	reader.end = reader.at + n_bytes;
	n_ranges = read_line_ranges(reader, NULL);
	table = malloc(sizeof(*table) + n_ranges * sizeof(table->ranges[0]));
	if (table) {
		table->n_ranges = n_ranges;
		read_line_ranges(reader, table->ranges);
	}
	return table;
}

/* Clears errors. */
static struct line_table *create_line_table(void *code)
{
	void *bytes = trace_python.get_attribute(code, "co_linetable");
	const char *reference = bytes ? trace_python.new_weak_reference(code, NULL) : NULL;
	struct line_table *table = NULL;

	if (reference)
		table = read_line_table(
			bytes, (int)trace_integer_attribute(code, "co_firstlineno"));
	if (table) {
		table->code = code;
		table->referent = (const void *const *)(reference + trace_numpy_api_head_bytes());
	} else {
		trace_python.dec_ref((void *)reference);
	}
	trace_python.dec_ref(bytes);
	if (trace_python.err_occurred())
		trace_python.err_clear();
	return table;
}

/* Makes the table of a code whose instruction has this line, unless the formats differ. */
static void note_code(void *code, uint32_t offset_bytes, int line)
{
	static _Atomic unsigned int n_created;
	struct line_table *table;

	if (!trace_numpy_api_head_bytes() || !trace_is_main_interpreter() ||
		trace_python_version() > 0x030e || n_created++ >= MAX_TABLES_CREATED)
		return;
	table = create_line_table(code);
	if (table && find_line_in_table(table, offset_bytes) == line) {
		tables[slot_of_code(code)] = table;
	} else if (table) {
		trace_python.dec_ref((char *)table->referent - trace_numpy_api_head_bytes());
		free(table);
	}
}

int trace_lines_of_frame(void *frame, void *code)
{
	const int offset_bytes = trace_python.frame_get_lasti(frame);
	const size_t slot = slot_of_code(code);
	const struct line_table *table;
	int line;

	if (offset_bytes < MIN_OFFSET_BYTES)
		return trace_python.frame_get_line(frame);
	table = tables[slot];
	if (table && table->code == code && *table->referent == code)
		return find_line_in_table(table, (uint32_t)offset_bytes);
	line = trace_python.frame_get_line(frame);
	if (n_lookups[slot]++ % MIN_LOOKUPS == MIN_LOOKUPS - 1)
		note_code(code, (uint32_t)offset_bytes, line);
	return line;
}
