// SPDX-License-Identifier: MIT
/* Queries on the text of a maps file, and on this process. */
#include "base/array_size.h"
#include "os/maps.h"

#include "base/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char sample[] =
	"00001000-00003000 r--p 00000000 08:01 11                         /usr/lib/a name.so\n"
	"00003000-00004000 rw-p 00002000 08:01 11                         /usr/lib/a name.so\n"
	"00004000-00006000 rw-p 00000000 00:00 0 \n"
	"00006000-00008000 rw-p 00000000 00:00 0 \n"
	"00008000-00009000 ---p 00000000 00:00 0 \n"
	"00010000-00012000 rw-p 00000000 00:00 0                          [heap]\n"
	"not a line of maps\n"
	"00020000-00021000 rw-s 00000000 00:05 9                  /memfd:x (deleted)\n"
	"00022000-00023000 rw-s 00000000 00:05 9                  /dev/shm/psm_1\n"
	"00024000-00025000 rw-s 00000000 00:05 9                  /dev/nvidiactl\n"
	"00026000-00027000 r--s 00000000 08:01 9                  /data/a.npy (deleted)\n"
	"7ffffffde000-7ffffffff000 rw-p 00000000 00:00 0                  [stack]\n"
	"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0          [vsyscall]";

struct maps_case {
	uint64_t low, high;
	enum memory_kind kind;
	bool mapped, readable, writable;
	uint64_t base, size;
	const char *mapping;
};

static const struct maps_case cases[] = {
	{ 0x1000, 0x3000, MEMORY_FILE, true, true, false, 0x1000, 0x2000, "/usr/lib/a name.so" },
	{ 0x2ff0, 0x3010, MEMORY_FILE, true, true, false, 0x1000, 0x3000, "/usr/lib/a name.so" },
	{ 0x3ff0, 0x4010, MEMORY_FILE, true, true, true, 0x3000, 0x5000, "/usr/lib/a name.so" },
	{ 0x4000, 0x8000, MEMORY_HOST, true, true, true, 0x4000, 0x4000, "anonymous" },
	{ 0x6100, 0x6200, MEMORY_HOST, true, true, true, 0x4000, 0x4000, "anonymous" },
	{ 0x7000, 0x8001, MEMORY_HOST, true, false, false, 0x4000, 0x5000, "anonymous" },
	{ 0x8000, 0x9001, MEMORY_HOST, true, false, false, 0x8000, 0x1000, "anonymous" },
	{ 0x10000, 0x12000, MEMORY_HOST, true, true, true, 0x10000, 0x2000, "[heap]" },
	{ 0x11fff, 0x12001, MEMORY_HOST, true, false, false, 0x10000, 0x2000, "[heap]" },
	{ 0x11000, 0x20800, MEMORY_HOST, true, false, false, 0x10000, 0x2000, "[heap]" },
	{ 0x12000, 0x12001, MEMORY_UNKNOWN, false, false, false, 0, 0, "" },
	{ 0, 8, MEMORY_UNKNOWN, false, false, false, 0, 0, "" },
	{ UINT64_MAX, UINT64_MAX, MEMORY_UNKNOWN, false, false, false, 0, 0, "" },
	{ 0x20000, 0x20000, MEMORY_HOST, true, true, true, 0x20000, 0x1000, "/memfd:x (deleted)" },
	{ 0x22000, 0x22001, MEMORY_HOST, true, true, true, 0x22000, 0x1000, "/dev/shm/psm_1" },
	{ 0x24000, 0x24001, MEMORY_UNKNOWN, true, true, true, 0x24000, 0x1000, "/dev/nvidiactl" },
	{ 0x26000, 0x26001, MEMORY_FILE, true, true, false, 0x26000, 0x1000,
		"/data/a.npy (deleted)" },
	{ 0x7ffffffde000, 0x7ffffffff000, MEMORY_HOST, true, true, true, 0x7ffffffde000, 0x21000,
		"[stack]" },
	{ 0xffffffffff600000, 0xffffffffff600001, MEMORY_HOST, true, false, false,
		0xffffffffff600000, 0x1000, "[vsyscall]" },
};

static void check_cases(void)
{
	struct text text = { 0 };
	struct memory memory;
	struct maps maps;

	text_add(&text, sample);
	maps_parse(&maps, &text);
	CHECK(maps.n_entries == 12, "%zu entries", maps.n_entries);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct maps_case *row = &cases[i];

		maps_locate(&maps, row->low, row->high, &memory);
		CHECK(memory.kind == row->kind, "row %zu: %s", i, memory_kind_name(memory.kind));
		CHECK(memory.host_accessible == answer_of(row->mapped), "row %zu", i);
		CHECK(memory.readable == answer_of(row->readable), "row %zu", i);
		CHECK(memory.writable == answer_of(row->writable), "row %zu", i);
		CHECK(memory.base == row->base && memory.size == row->size,
			"row %zu: 0x%llx + 0x%llx", i, (long long)memory.base,
			(long long)memory.size);
		CHECK(!strcmp(memory.mapping, row->mapping), "row %zu: %s", i, memory.mapping);
		CHECK(memory.asked_low == row->low && memory.asked_high == row->high, "row %zu", i);
	}
	maps_free(&maps);
}

static void check_this_process(void)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, 3 * page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t low = (uint64_t)(uintptr_t)pages;
	struct memory memory;
	struct maps maps;
	struct err err;

	munmap(pages + 2 * page_bytes, page_bytes);
	CHECK(!maps_read(&maps, &err), "%s", err.message);
	maps_locate(&maps, low, low + 2 * page_bytes, &memory);
	CHECK(memory.readable == ANSWER_YES && memory.writable == ANSWER_NO, "read-only pages");
	maps_locate(&maps, low, low + 2 * page_bytes + 1, &memory);
	CHECK(memory.readable == ANSWER_NO, "one byte too many");
	maps_locate(
		&maps, (uint64_t)(uintptr_t)&memory, (uint64_t)(uintptr_t)(&memory + 1), &memory);
	CHECK(memory.writable == ANSWER_YES, "a variable");
	maps_free(&maps);
	munmap(pages, 2 * page_bytes);
}

static bool same_memory(const struct memory *a, const struct memory *b)
{
	return a->kind == b->kind && a->base == b->base && a->size == b->size &&
	       a->readable == b->readable && a->writable == b->writable &&
	       !strcmp(a->mapping, b->mapping);
}

/* Compares both sources; repeated if they differ, since each allocates and may map memory. */
static bool same_answer(uint64_t low, uint64_t high, bool *is_supported)
{
	struct memory whole, part;
	struct maps near, all;
	struct err ignored;
	bool is_same = false;

	for (int i = 0; i < 4 && !is_same; i++) {
		*is_supported = maps_query(&near, low, high);
		if (!*is_supported)
			return true;
		maps_locate(&near, low, high, &part);
		maps_free(&near);
		(void)maps_read(&all, &ignored);
		maps_locate(&all, low, high, &whole);
		maps_free(&all);
		is_same = same_memory(&part, &whole);
	}
	return is_same;
}

/*
 * The kernel's answers for single mappings match those from the whole file: at both ends of each,
 * and across ends.
 */
static void check_query(void)
{
	size_t n_queries = 0, n_different = 0;
	struct maps maps;
	struct err err;
	bool is_supported;

	CHECK(!maps_read(&maps, &err), "%s", err.message);
	for (size_t i = 0; i < maps.n_entries; i++) {
		uint64_t low = maps.entries[i].low, high = maps.entries[i].high;
		const uint64_t ranges[][2] = { { low, high }, { low - 1, low + 1 },
			{ high - 1, high + 1 }, { low, high + 8192 }, { low - 8192, low - 1 } };

		if (!strcmp(maps.entries[i].name, "[heap]"))
			continue; /* it grows */
		for (size_t j = 0; j < ARRAY_SIZE(ranges); j++) {
			n_different += !same_answer(ranges[j][0], ranges[j][1], &is_supported);
			n_queries += is_supported;
		}
	}
	CHECK(!n_different, "%zu of %zu answers differ", n_different, n_queries);
	setenv("SUAI_NO_MAPS_QUERY", "1", 1);
	CHECK(same_answer(maps.entries[0].low, maps.entries[0].high, &is_supported) &&
			!is_supported,
		"queried nevertheless");
	maps_free(&maps);
	CHECK(!maps_read_near(&maps, 0, 1, &err) && maps.n_entries > 3, "not read as a whole");
	maps_free(&maps);
	unsetenv("SUAI_NO_MAPS_QUERY");
	printf("%zu queries to the kernel\n", n_queries);
}

int main(void)
{
	check_cases();
	check_this_process();
	check_query();
	return test_end();
}
