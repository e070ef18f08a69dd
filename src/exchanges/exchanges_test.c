// SPDX-License-Identifier: MIT
/* What is read of the memory that traced processes share with suai, which may contain any number.
 */
#include "exchanges/exchanges.h"

#include "base/array_size.h"
#include "base/test.h"
#include "base/text.h"
#include "exchanges/traced_program.h"
#include "trace/record.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* Offsets of texts: numpy, jax, app.py, load. */
static const char strings[] = "\0numpy\0jax\0app.py\0load\0cache";
enum { NUMPY_TEXT = 1, JAX_TEXT = 7, FILE_TEXT = 11, FUNCTION_TEXT = 18, HOLDER_TEXT = 23 };
enum { NUMPY, JAX, N_LIBRARIES };

static const struct trace_library libraries[N_LIBRARIES] = { { .name = NUMPY_TEXT },
	{ .name = JAX_TEXT } };
static const struct trace_site sites[] = {
	{ .file = FILE_TEXT, .function = FUNCTION_TEXT, .line = 3 },
	{ .file = FILE_TEXT, .line = 4 },
};

/* A process, with the libraries and sites above. */
struct process {
	struct trace_segment head;
	const struct trace_row *rows;
	const struct trace_tensor *tensors;
};

static void put(int fd, uint64_t offset, const void *bytes, size_t n_bytes)
{
	CHECK(pwrite(fd, bytes, n_bytes, (off_t)offset) == (ssize_t)n_bytes, "%zu bytes", n_bytes);
}

static void put_process(int fd, uint32_t number, const struct process *process)
{
	const uint64_t offset = trace_segment_offset(number, 0);
	struct trace_segment head = process->head;

	head.n_libraries = head.n_libraries ? head.n_libraries : N_LIBRARIES;
	head.n_sites = ARRAY_SIZE(sites);
	head.n_string_bytes = sizeof(strings);
	put(fd, offset + TRACE_LIBRARIES_OFFSET, libraries, sizeof(libraries));
	put(fd, offset + TRACE_SITES_OFFSET, sites, sizeof(sites));
	put(fd, offset + TRACE_STRINGS_OFFSET, strings, sizeof(strings));
	if (process->rows)
		put(fd, offset + TRACE_ROWS_OFFSET, process->rows,
			head.n_rows * sizeof(*process->rows));
	if (process->tensors)
		put(fd, offset + TRACE_TENSORS_OFFSET, process->tensors,
			head.n_tensors * sizeof(*process->tensors));
	put(fd, offset, &head, sizeof(head));
}

/* Reads the memory of the processes, of which n_claimed claimed a segment. */
static int read_processes(struct exchange_list *list, struct arena *arena,
	const struct process *processes, uint32_t n_processes, uint32_t n_claimed, struct err *err)
{
	const struct trace_choice choice = { .is_following = true };
	struct trace_head head;
	int fd = traced_program_memory(&choice, err), status;

	CHECK(pread(fd, &head, sizeof(head), 0) == sizeof(head), "%s", err->message);
	atomic_store(&head.n_claimed, n_claimed);
	put(fd, 0, &head, sizeof(head));
	for (uint32_t i = 0; i < n_processes; i++)
		put_process(fd, i, &processes[i]);
	*list = (struct exchange_list){ 0 };
	status = exchanges_read(list, arena, fd, err);
	close(fd);
	return status;
}

/* "numpy > jax, dlpack, app.py:3 load: exchanges=2 bytes=16", with the counts that are not 0. */
static void add_shown_site(struct text *out, const struct fact_call_site *site)
{
	text_printf(out, "%s > %s, %s, %s:%d %s:", fact_text_or(site->producer, "?"),
		fact_text_or(site->consumer, "?"), fact_text_or(site->protocol, "?"),
		fact_text_or(site->file, "?"), (int)fact_int_or(site->line, 0),
		fact_text_or(site->function, "?"));
	for (size_t i = 0; i < fact_call_site_record.n_fields; i++) {
		const struct fact_field *field = &fact_call_site_record.fields[i];
		struct fact_int count;

		if (!exchange_is_count(field))
			continue;
		memcpy(&count, (const char *)site + field->offset, sizeof(count));
		if (count.value)
			text_printf(out, " %s=%" PRId64, field->name, count.value);
	}
}

static void check_sites(const struct exchange *items, size_t n_items, const char *expected)
{
	struct text shown = { 0 };

	text_add(&shown, "");
	for (size_t i = 0; i < n_items; i++) {
		text_add(&shown, i ? "\n" : "");
		add_shown_site(&shown, &items[i].site);
	}
	CHECK(!strcmp(shown.bytes, expected), "%s", shown.bytes);
	text_free(&shown);
}

/* --- sums --- */

/* The causes and types of a copy are not those of others that have a thousandth of its bytes. */
static void test_causes_of_small_copies(void)
{
	const struct trace_row small = { .kind = TRACE_NUMPY_API,
		.consumer = JAX,
		.n_exchanges = 1,
		.n_bytes = 64,
		.n_copied = 1,
		.n_copied_bytes = 64,
		.largest_copy_bits = trace_size_bits(64),
		.copy_causes = TRACE_COPY_ELEMENT_TYPE,
		.from_type = TRACE_ELEMENT_TYPE('i', 8),
		.to_type = TRACE_ELEMENT_TYPE('f', 8) };
	struct trace_row large = small;
	struct arena arena = { 0 };

	large.largest_copy_bits = trace_size_bits(64000);
	large.copy_causes = TRACE_COPY_STRIDES;
	large.from_type = large.to_type = 0;
	for (int first_is_small = 0; first_is_small < 2; first_is_small++) {
		const struct process processes[] = {
			{ { .magic = TRACE_MAGIC, .state = TRACE_FINALIZED, .n_rows = 1 },
				.rows = first_is_small ? &small : &large },
			{ { .magic = TRACE_MAGIC, .state = TRACE_FINALIZED, .n_rows = 1 },
				.rows = first_is_small ? &large : &small },
		};
		struct exchange_list list;
		struct err err = { 0 };
		const struct fact_call_site *site;

		CHECK(!read_processes(&list, &arena, processes, 2, 2, &err), "%s", err.message);
		site = &list.items[0].site;
		CHECK(list.n_items == 1 && site->copied.value == 2, "%zu sites", list.n_items);
		CHECK(site->copy_causes.n_items == 1 &&
				fact_texts_have(&site->copy_causes, "strides") &&
				!site->converted_to,
			"%zu causes, %s", site->copy_causes.n_items,
			fact_text_or(site->converted_to, "no type"));
	}
	arena_free(&arena);
}

static void test_sums(void)
{
	static const struct trace_row rows[] = {
		{ .kind = TRACE_DLPACK, .consumer = JAX, .n_exchanges = 2, .n_bytes = 16 },
		{ .kind = TRACE_BUFFER,
			.producer = JAX,
			.site = 1,
			.n_exchanges = 1,
			.n_bytes = 99 },
		{ .kind = TRACE_CUDA_TO_HOST, .consumer = JAX, .n_exchanges = 5, .n_bytes = 500 },
		{ .kind = TRACE_DLPACK, .consumer = JAX, .site = 1 }, /* taken back */
	};
	static const struct trace_row others[] = {
		{ .kind = TRACE_DLPACK,
			.consumer = JAX,
			.n_exchanges = 1,
			.n_bytes = 4,
			.n_copied = 1,
			.n_copied_bytes = 4,
			.copy_causes = TRACE_COPY_STRIDES | TRACE_COPY_FLAGGED },
	};
	const struct process processes[] = {
		{ { .magic = TRACE_MAGIC, .state = TRACE_FINALIZED, .n_rows = ARRAY_SIZE(rows) },
			.rows = rows },
		{ { .magic = TRACE_MAGIC, .state = TRACE_FINALIZED, .n_rows = ARRAY_SIZE(others) },
			.rows = others },
	};
	struct arena arena = { 0 };
	struct exchange_list list;
	struct err err = { 0 };

	CHECK(!read_processes(&list, &arena, processes, 2, 3, &err), "%s", err.message);
	check_sites(list.items, list.n_items,
		"numpy > jax, cuda-to-host, app.py:3 load: exchanges=5 bytes=500\n"
		"jax > numpy, buffer, app.py:4 ?: exchanges=1 bytes=99\n"
		"numpy > jax, dlpack, app.py:3 load: exchanges=3 bytes=20 copied=1 copied_bytes=4");
	check_sites(
		&list.total, 1, "? > ?, ?, ?:0 ?: exchanges=4 bytes=119 copied=1 copied_bytes=4");
	check_sites(
		&list.transfers[TRANSFERS_TO_HOST], 1, "? > ?, ?, ?:0 ?: exchanges=5 bytes=500");
	CHECK(list.n_pairs == 2 && list.pairs[1].site.exchanges.value == 3, "%zu pairs",
		list.n_pairs);
	CHECK(list.items[2].site.copy_causes.n_items == 2 &&
			fact_texts_have(&list.items[2].site.copy_causes, "strides") &&
			fact_texts_have(&list.items[2].site.copy_causes, "flagged"),
		"%zu causes", list.items[2].site.copy_causes.n_items);
	/* The third process claimed a segment, but could not map it. */
	CHECK(list.n_traced == 2 && list.n_untraced == 1 && !list.is_complete && !list.problem,
		"%u traced, %u not: %s", list.n_traced, list.n_untraced,
		fact_text_or(list.problem, "no problem"));
	CHECK(!read_processes(&list, &arena, processes, 2, 2, &err), "%s", err.message);
	CHECK(!list.n_untraced && list.is_complete, "%u untraced", list.n_untraced);
	arena_free(&arena);
}

/* --- what was not released --- */

static void check_tensors(
	enum trace_state state, uint32_t holder, const char *expected, const char *expected_holder)
{
	const struct trace_row row = { .kind = TRACE_DLPACK,
		.consumer = JAX,
		.n_exchanges = 3,
		.n_bytes = 30,
		.holder = holder };
	static const struct trace_tensor tensors[] = {
		{ .n_bytes = 10, .flags = TENSOR_USED | TENSOR_CONSUMED },
		{ .n_bytes = 7, .flags = TENSOR_USED | TENSOR_CONSUMED | TENSOR_OF_THREAD },
		{ .n_bytes = 5, .flags = TENSOR_USED | TENSOR_CONSUMED | TENSOR_RELEASED },
		{ .n_bytes = 8, .flags = TENSOR_USED, .site = 1 },
		{ .n_bytes = 8, .flags = TENSOR_USED, .site = 0 },
		{ .n_bytes = 8, .flags = TENSOR_USED, .site = 1 },
		{ .n_bytes = 9, .flags = TENSOR_CONSUMED },
		{ .n_bytes = 9, .flags = TENSOR_USED | TENSOR_CONSUMED, .row = TRACE_NONE },
		{ .n_bytes = 9, .flags = TENSOR_USED | TENSOR_CONSUMED, .row = 1 },
	};
	const struct process process = { { .magic = TRACE_MAGIC,
						 .state = state,
						 .n_rows = 1,
						 .n_tensors = ARRAY_SIZE(tensors) },
		.rows = &row, .tensors = tensors };
	struct arena arena = { 0 };
	struct exchange_list list;
	struct err err = { 0 };

	CHECK(!read_processes(&list, &arena, &process, 1, 1, &err), "%s", err.message);
	check_sites(list.items, list.n_items, expected);
	CHECK(!strcmp(fact_text_or(list.items[0].site.holder, "none"), expected_holder), "%s",
		fact_text_or(list.items[0].site.holder, "none"));
	arena_free(&arena);
}

#define UNCONSUMED                                                          \
	"\nnumpy > ?, dlpack, app.py:4 ?: unconsumed=2 unconsumed_bytes=16" \
	"\nnumpy > ?, dlpack, app.py:3 load: unconsumed=1 unconsumed_bytes=8"
#define HELD "numpy > jax, dlpack, app.py:3 load: exchanges=3 bytes=30 held=2 held_bytes=17"

static void test_tensors(void)
{
	check_tensors(
		TRACE_FINALIZED, HOLDER_TEXT, HELD " leaked=1 leaked_bytes=10" UNCONSUMED, "cache");
	check_tensors(TRACE_FINALIZED, HOLDER_TEXT | TRACE_HOLDER_RELEASED,
		HELD " leaked=1 leaked_bytes=10" UNCONSUMED, "none");
	check_tensors(TRACE_EXITED, HOLDER_TEXT | TRACE_HOLDER_RELEASED, HELD UNCONSUMED, "cache");
}

/* --- any numbers --- */

static void test_any_numbers(void)
{
	static const struct trace_row rows[] = {
		{ .kind = TRACE_N_KINDS,
			.producer = N_LIBRARIES,
			.consumer = TRACE_NONE,
			.site = ARRAY_SIZE(sites),
			.n_exchanges = UINT64_MAX,
			.holder = TRACE_STRING_BYTES },
		{ .kind = UINT32_MAX,
			.producer = N_LIBRARIES,
			.consumer = TRACE_NONE,
			.site = UINT32_MAX,
			.n_exchanges = 1 },
	};
	const struct process process = { { .magic = TRACE_MAGIC, .n_rows = ARRAY_SIZE(rows) },
		.rows = rows };
	struct arena arena = { 0 };
	struct exchange_list list;
	struct err err = { 0 };

	CHECK(!read_processes(&list, &arena, &process, 1, 1, &err), "%s", err.message);
	check_sites(
		list.items, list.n_items, "? > ?, dlpack, ?:0 ?: exchanges=9223372036854775807");
	arena_free(&arena);
}

static void check_refused(const struct trace_segment *head)
{
	const struct process process = { .head = *head };
	struct arena arena = { 0 };
	struct exchange_list list;
	struct err err = { 0 };

	CHECK(read_processes(&list, &arena, &process, 1, 1, &err) == -1 &&
			!strcmp(err.message, "the program corrupted suai's shared memory"),
		"%s", err.message);
	arena_free(&arena);
}

static void test_corrupt_heads(void)
{
	check_refused(&(struct trace_segment){ .magic = TRACE_MAGIC + 1 });
	check_refused(&(struct trace_segment){
		.magic = TRACE_MAGIC, .n_libraries = TRACE_MAX_LIBRARIES + 1 });
	check_refused(
		&(struct trace_segment){ .magic = TRACE_MAGIC, .n_rows = TRACE_MAX_ROWS + 1 });
	check_refused(&(struct trace_segment){
		.magic = TRACE_MAGIC, .n_tensors = TRACE_MAX_TENSORS + 1 });
	check_refused(&(struct trace_segment){ .magic = TRACE_MAGIC, .n_events = 1 });
}

static void check_problem(const struct process *process, uint32_t n_claimed, const char *expected)
{
	struct arena arena = { 0 };
	struct exchange_list list;
	struct err err = { 0 };

	CHECK(!read_processes(&list, &arena, process, process ? 1 : 0, n_claimed, &err), "%s",
		err.message);
	CHECK(list.problem && strstr(list.problem, expected) && !list.n_traced, "%s",
		fact_text_or(list.problem, "no problem"));
	arena_free(&arena);
}

static void test_problems(void)
{
	const struct process without_function = { .head = { .magic = TRACE_MAGIC,
							  .problem = TRACE_NO_FUNCTION } };

	check_problem(NULL, 0, "no process that runs CPython loaded suai's library");
	check_problem(NULL, 1, "could not map suai's shared memory");
	check_problem(&without_function, 1, "lacks a function of CPython");
}

int main(void)
{
	test_sums();
	test_causes_of_small_copies();
	test_tensors();
	test_any_numbers();
	test_corrupt_heads();
	test_problems();
	return test_end();
}
