// SPDX-License-Identifier: MIT
#include "trace/map.h"

#include "base/test.h"

#include <stdlib.h>

enum { N_KEYS = 20000 };

/* Keys that share low bits, as aligned pointers do. */
static uint64_t key_of(uint64_t i)
{
	return (i + 1) * 4096;
}

static void test_keys(void)
{
	struct trace_map map = { 0 };
	uint64_t value;

	CHECK(!trace_map_find(&map, 1), "map");
	CHECK(!trace_map_remove(&map, 1, NULL), "map");
	for (uint64_t i = 0; i < N_KEYS; i++)
		CHECK(trace_map_set(&map, key_of(i), i), "key %llu", (unsigned long long)i);
	for (uint64_t i = 0; i < N_KEYS; i += 2)
		CHECK(trace_map_remove(&map, key_of(i), &value) && value == i, "key %llu",
			(unsigned long long)i);
	for (uint64_t i = 0; i < N_KEYS; i++) {
		const uint64_t *found = trace_map_find(&map, key_of(i));

		CHECK(i % 2 ? found && *found == i : !found, "key %llu", (unsigned long long)i);
	}
	CHECK(map.n_items == N_KEYS / 2, "map");
	CHECK(trace_map_set(&map, key_of(1), 7) && *trace_map_find(&map, key_of(1)) == 7, "map");
	CHECK(map.n_items == N_KEYS / 2, "map");
	free(map.items);
}

static void test_clear(void)
{
	struct trace_map map = { 0 };

	trace_map_clear(&map);
	for (uint64_t i = 0; i < N_KEYS; i++)
		CHECK(trace_map_set(&map, key_of(i), i), "key %llu", (unsigned long long)i);
	trace_map_clear(&map);
	CHECK(!map.n_items && !trace_map_find(&map, key_of(0)), "cleared");
	CHECK(trace_map_set(&map, key_of(5), 6) && *trace_map_find(&map, key_of(5)) == 6, "again");
	free(map.items);
}

static void test_hash(void)
{
	CHECK(trace_hash("", 0) != 0, "hash");
	CHECK(trace_hash("a", 1) != trace_hash("b", 1), "hash");
	CHECK(trace_hash("a", 1) != trace_hash("a\0", 2), "hash");
	CHECK(trace_hash("12345678a", 9) != trace_hash("12345678b", 9), "hash");
}

int main(void)
{
	test_keys();
	test_clear();
	test_hash();
	return test_end();
}
