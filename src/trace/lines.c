// SPDX-License-Identifier: MIT
#include "trace/lines.h"

#include "trace/lock.h"
#include "trace/map.h"
#include "trace/numpy_api.h"
#include "trace/python.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Codes whose instructions at an offset of at least MIN_OFFSET_BYTES were looked up MIN_LOOKUPS
 * times get a table. Of MAX_CODES codes, those that were looked up last are known, and their tables
 * have at most MAX_TABLES_BYTES, unless a single one is larger. */
enum { MIN_OFFSET_BYTES = 1 << 13, MIN_LOOKUPS = 32, MAX_CODES = 256, MAX_TABLES_BYTES = 8 << 20 };

/* The instructions of a line, up to the end of the range; line -1: none. */
struct line_range {
	uint32_t end_bytes;
	int32_t line;
};

/* The ranges of a code object, in order. Never modified; read with the lock. */
struct line_table {
	const void *const *referent; /* what a weak reference to it refers to */
	struct line_table *next;     /* of those to be freed */
	size_t n_ranges;
	struct line_range ranges[];
};

/* A code that was looked up. With the lock. */
struct known_code {
	const void *code; /* to compare it only */
	unsigned int n_lookups;
	uint64_t used_at;         /* the number of its last lookup */
	struct line_table *table; /* NULL: none yet */
};

static struct {
	struct known_code items[MAX_CODES];
	size_t n_items, tables_bytes;
	uint64_t n_lookups;
	struct trace_map index; /* of the items, plus one, by code */
} codes;

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

/* The sum wraps around: the program may create code objects with any table. */
static void change_line(struct line_reader *reader, int32_t change)
{
	reader->line = (int32_t)((uint32_t)reader->line + (uint32_t)change);
}

/* The next entry, which is a byte with the highest bit and bytes without it. */
static struct line_range read_line_entry(struct line_reader *reader)
{
	const unsigned int kind = *reader->at >> 3 & 15;

	reader->offset_bytes += 2 * ((*reader->at & 7) + 1);
	reader->at++;
	if (kind == NO_COLUMNS || kind == LONG)
		change_line(reader, read_line_change(reader));
	else if (kind >= ONE_LINE && kind < NO_COLUMNS)
		change_line(reader, (int32_t)(kind - ONE_LINE));
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
		table->next = NULL;
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
		table->referent = trace_weak_field(reference);
	} else {
		trace_python.dec_ref((void *)reference);
	}
	trace_python.dec_ref(bytes);
	if (trace_python.err_occurred())
		trace_python.err_clear();
	return table;
}

static size_t table_bytes(const struct line_table *table)
{
	return sizeof(*table) + table->n_ranges * sizeof(table->ranges[0]);
}

/* Call without the lock. */
static void free_line_tables(struct line_table *table)
{
	while (table) {
		struct line_table *next = table->next;

		trace_python.dec_ref(trace_weak_reference_of(table->referent));
		free(table);
		table = next;
	}
}

/* False: there is none. With the lock. */
static bool remove_line_table(struct known_code *known, struct line_table **removed)
{
	if (!known || !known->table)
		return false;
	codes.tables_bytes -= table_bytes(known->table);
	known->table->next = *removed;
	*removed = known->table;
	known->table = NULL;
	known->n_lookups = 0;
	return true;
}

/* The code that was looked up the longest time ago, of all or of those with a table other than that
 * of one code; NULL: none. With the lock. */
static struct known_code *find_oldest(bool has_table, const struct known_code *except)
{
	struct known_code *oldest = NULL;

	for (size_t i = 0; i < codes.n_items; i++) {
		struct known_code *known = &codes.items[i];

		if (known != except && (!has_table || known->table) &&
			(!oldest || known->used_at < oldest->used_at))
			oldest = known;
	}
	return oldest;
}

/* NULL: not known. With the lock. */
static struct known_code *find_known_code(const void *code)
{
	const uint64_t *i = trace_map_find(&codes.index, (uint64_t)(uintptr_t)code);

	return i ? &codes.items[*i - 1] : NULL;
}

/* Takes the place of the code that was looked up the longest time ago. NULL: no memory. With the
 * lock. */
static struct known_code *add_known_code(const void *code, struct line_table **removed)
{
	struct known_code *known;

	if (codes.n_items < MAX_CODES) {
		known = &codes.items[codes.n_items];
	} else {
		known = find_oldest(false, NULL);
		remove_line_table(known, removed);
		trace_map_remove(&codes.index, (uint64_t)(uintptr_t)known->code, NULL);
	}
	*known = (struct known_code){ .code = code };
	if (!trace_map_set(
		    &codes.index, (uint64_t)(uintptr_t)code, (uint64_t)(known - codes.items) + 1)) {
		known->code = NULL;
		return NULL;
	}
	if (codes.n_items < MAX_CODES)
		codes.n_items++;
	return known;
}

/* Gives the table of a code whose instruction has this line, unless the formats differ. */
static __attribute__((cold)) void note_code(void *code, uint32_t offset_bytes, int line)
{
	struct line_table *table = create_line_table(code), *removed = NULL;
	struct known_code *known;

	if (!table)
		return;
	trace_lock();
	known = find_line_in_table(table, offset_bytes) == line ? find_known_code(code) : NULL;
	if (known) {
		remove_line_table(known, &removed);
		known->table = table;
		codes.tables_bytes += table_bytes(table);
		while (codes.tables_bytes > MAX_TABLES_BYTES &&
			remove_line_table(find_oldest(true, known), &removed))
			;
	} else {
		removed = table;
	}
	trace_unlock();
	free_line_tables(removed);
}

/* Counts a lookup without a table. Whether the code gets one now. */
static bool count_lookup(const void *code)
{
	struct line_table *removed = NULL;
	struct known_code *known;
	bool is_due;

	trace_lock();
	known = find_known_code(code);
	if (!known)
		known = add_known_code(code, &removed);
	else
		remove_line_table(known, &removed); /* of a code that was at the same address */
	if (known)
		known->used_at = ++codes.n_lookups;
	is_due = known && ++known->n_lookups % MIN_LOOKUPS == 0;
	trace_unlock();
	free_line_tables(removed);
	return is_due;
}

/* False: the code has no table. */
static bool look_up_line(const void *code, uint32_t offset_bytes, int *line)
{
	struct known_code *known;
	bool is_found;

	trace_lock();
	known = find_known_code(code);
	is_found = known && known->table && *known->table->referent == code;
	if (is_found) {
		known->used_at = ++codes.n_lookups;
		*line = find_line_in_table(known->table, offset_bytes);
	}
	trace_unlock();
	return is_found;
}

/* Weak references of another interpreter may be freed with that. */
static bool can_have_table(void)
{
	return trace_head_bytes && trace_is_main_interpreter() && trace_python_version() <= 0x030e;
}

int trace_lines_of_frame(void *frame, void *code)
{
	const int offset_bytes = trace_python.frame_get_lasti(frame);
	int line;

	if (offset_bytes < MIN_OFFSET_BYTES)
		return trace_python.frame_get_line(frame);
	if (look_up_line(code, (uint32_t)offset_bytes, &line))
		return line;
	line = trace_python.frame_get_line(frame);
	if (can_have_table() && count_lookup(code))
		note_code(code, (uint32_t)offset_bytes, line);
	return line;
}
