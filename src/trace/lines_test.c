// SPDX-License-Identifier: MIT
/* Lines of code objects with fakes of Python's functions, of which searches from the start of the
 * code and the weak references that exist are counted. */
#include "trace/lines.h"

#include "base/test.h"
#include "trace/lock.h"
#include "trace/numpy_api.h"
#include "trace/python.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { N_LINES = 20000, FIRST_LINE = 10, MIN_LINES_SEARCHED = 4096, N_CODES = 100 };
enum { MIN_LOOKUPS = 32, MAX_TABLES_BYTES = 8 << 20, RANGE_BYTES = 8 };

struct fake_object {
	char head[16];
	const void *referent; /* of a weak reference */
	bool is_reference;
};

/* Each instruction, of two bytes, is on a line of its own. */
struct fake_code {
	struct fake_object head;
	int first_line;
};

struct fake_frame {
	const struct fake_code *code;
	int offset_bytes;
};

struct trace_python trace_python;
size_t trace_head_bytes = sizeof(((struct fake_object *)NULL)->head);
static char line_table[3 * N_LINES];
static int n_searches, n_references, n_references_made;
static struct fake_object *last_reference;

void trace_lock(void)
{
}

void trace_unlock(void)
{
}

bool trace_is_main_interpreter(void)
{
	return true;
}

unsigned int trace_python_version(void)
{
	return 0x030b;
}

ptrdiff_t trace_integer_attribute(void *object, const char *name)
{
	(void)name;
	return ((struct fake_code *)object)->first_line;
}

static int fake_frame_get_lasti(void *frame)
{
	return ((struct fake_frame *)frame)->offset_bytes;
}

static int fake_line(const struct fake_frame *frame)
{
	return frame->code->first_line + 1 + frame->offset_bytes / 2;
}

static int fake_frame_get_line(void *frame)
{
	n_searches++;
	return fake_line(frame);
}

static void *fake_get_attribute(void *object, const char *name)
{
	static struct fake_object bytes;

	(void)object;
	return strcmp(name, "co_linetable") ? NULL : &bytes;
}

static int fake_bytes_as_text(void *bytes, char **text, ptrdiff_t *n_bytes)
{
	(void)bytes;
	*text = line_table;
	*n_bytes = sizeof(line_table);
	return 0;
}

static void *fake_new_weak_reference(void *object, void *callback)
{
	struct fake_object *reference = calloc(1, sizeof(*reference));

	(void)callback;
	if (!reference)
		abort();
	reference->referent = object;
	reference->is_reference = true;
	n_references++;
	n_references_made++;
	last_reference = reference;
	return reference;
}

static void fake_dec_ref(void *object)
{
	struct fake_object *reference = object;

	if (!reference || !reference->is_reference)
		return;
	n_references--;
	free(reference);
}

static void *fake_err_occurred(void)
{
	return NULL;
}

/* Entries of one line each: the kind, the number of instructions less one, and two columns. */
static void prepare_fakes(void)
{
	enum { NEXT_LINE = 11 };

	for (size_t i = 0; i < sizeof(line_table); i += 3)
		line_table[i] = (char)(0x80 | NEXT_LINE << 3);
	trace_python = (struct trace_python){ .frame_get_lasti = fake_frame_get_lasti,
		.frame_get_line = fake_frame_get_line,
		.get_attribute = fake_get_attribute,
		.bytes_as_text = fake_bytes_as_text,
		.new_weak_reference = fake_new_weak_reference,
		.dec_ref = fake_dec_ref,
		.err_occurred = fake_err_occurred };
}

static void check_line(const struct fake_code *code, int instruction)
{
	struct fake_frame frame = { code, 2 * instruction };
	const int line = trace_lines_of_frame(&frame, (void *)code);

	CHECK(line == fake_line(&frame), "instruction %d: %d", instruction, line);
}

static void test_searches_few_times(void)
{
	static const struct fake_code code = { .first_line = FIRST_LINE };

	n_searches = 0;
	for (int i = 0; i < N_LINES; i++)
		check_line(&code, i);
	CHECK(n_searches == MIN_LINES_SEARCHED + MIN_LOOKUPS, "%d", n_searches);
}

/* The addresses of code objects often have the same low bits. */
static void test_codes_in_turn(void)
{
	static _Alignas(4096) char memory[8][4096];

	n_references_made = n_searches = 0;
	for (int i = 0; i < 8; i++)
		memcpy(memory[i], &(struct fake_code){ .first_line = i }, sizeof(struct fake_code));
	for (int n = 0; n < 1000; n++)
		for (int i = 0; i < 8; i++)
			check_line((const struct fake_code *)memory[i], MIN_LINES_SEARCHED + n);
	CHECK(n_searches == 8 * MIN_LOOKUPS, "%d", n_searches);
	CHECK(n_references_made == 8, "%d", n_references_made);
}

static void test_tables_are_freed(void)
{
	static struct fake_code codes[N_CODES];

	for (int i = 0; i < N_CODES; i++) {
		codes[i].first_line = i;
		for (int n = 0; n <= MIN_LOOKUPS; n++)
			check_line(&codes[i], N_LINES - 1);
		CHECK(n_references * N_LINES * RANGE_BYTES <= MAX_TABLES_BYTES, "%d", n_references);
	}
	CHECK(n_references > 1, "%d", n_references);
}

static void test_code_at_address_of_freed_one(void)
{
	static struct fake_code code;
	const int n_before = n_references;

	for (int round = 0; round < 3; round++) {
		code.first_line = 3 * round;
		for (int n = 0; n < 2 * MIN_LOOKUPS; n++)
			check_line(&code, N_LINES - 1 - n);
		CHECK(last_reference, "round %d", round);
		if (last_reference)
			last_reference->referent = NULL;
	}
	CHECK(n_references <= n_before + 1, "%d", n_references);
}

static void test_more_codes_than_are_known(void)
{
	enum { MANY = 2000 };
	static struct fake_code codes[MANY];

	for (int i = 0; i < MANY; i++) {
		codes[i].first_line = 3 * i;
		for (int n = 0; n < 2 * MIN_LOOKUPS; n++)
			check_line(&codes[i], N_LINES - 1 - n);
	}
	CHECK(n_references * N_LINES * RANGE_BYTES <= MAX_TABLES_BYTES, "%d", n_references);
}

/* UndefinedBehaviorSanitizer reports a sum that overflows. Each entry adds as much as its six bytes
 * can: the lines of such a table are not those of the interpreter, which states them itself. */
static void test_lines_that_overflow(void)
{
	enum { NO_COLUMNS = 13, ENTRY_BYTES = 6, GREATEST = 0x3e };
	static const struct fake_code code = { .first_line = FIRST_LINE };
	char table[sizeof(line_table)];

	memcpy(table, line_table, sizeof(table));
	for (size_t i = 0; i + ENTRY_BYTES <= sizeof(line_table); i += ENTRY_BYTES) {
		line_table[i] = (char)(0x80 | NO_COLUMNS << 3);
		line_table[i + 1] = 0x40 | GREATEST;
		memset(&line_table[i + 2], 0x7f, 3);
		line_table[i + 5] = 0x3f;
	}
	for (int n = 0; n <= 2 * MIN_LOOKUPS; n++)
		check_line(&code, MIN_LINES_SEARCHED + n);
	memcpy(line_table, table, sizeof(table));
}

int main(void)
{
	prepare_fakes();
	test_searches_few_times();
	test_codes_in_turn();
	test_tables_are_freed();
	test_code_at_address_of_freed_one();
	test_more_codes_than_are_known();
	test_lines_that_overflow();
	return test_end();
}
