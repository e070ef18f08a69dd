// SPDX-License-Identifier: MIT
/* Memory records to values and back, rejected values, and the names of kinds and devices. */
#include "base/array_size.h"
#include "facts/facts.h"
#include "model/device.h"

#include "base/test.h"

#include <string.h>

static struct arena arena;

static struct value *write_memory(const struct memory *memory)
{
	return fact_write(&fact_memory_record, &arena, memory, FACT_WIRE, NULL);
}

static bool read_memory(struct memory *memory, const struct value *value)
{
	struct err ignored;

	return !fact_read(&fact_memory_record, &arena, value, FACT_WIRE, NULL, memory, &ignored);
}

static bool same(const struct memory *a, const struct memory *b)
{
	return a->asked_low == b->asked_low && a->asked_high == b->asked_high &&
	       a->kind == b->kind && a->base == b->base && a->size == b->size &&
	       a->device_pointer == b->device_pointer && a->host_accessible == b->host_accessible &&
	       a->managed == b->managed && a->low_inside == b->low_inside &&
	       a->high_inside == b->high_inside && a->readable == b->readable &&
	       a->writable == b->writable && a->device_id.known == b->device_id.known &&
	       a->device_id.value == b->device_id.value && !strcmp(a->context, b->context) &&
	       !strcmp(a->mapping, b->mapping) && !strcmp(a->device_name, b->device_name) &&
	       !a->by == !b->by && (!a->by || !strcmp(a->by, b->by)) && !a->how == !b->how &&
	       (!a->how || !strcmp(a->how, b->how)) && !a->origin == !b->origin &&
	       (!a->origin || !strcmp(a->origin, b->origin));
}

static struct memory known_memory(void)
{
	struct memory memory;

	memory = (struct memory){ .present = true, .asked_low = 0x1000, .asked_high = 0x2000 };
	memory.by = "usm";
	memory.how = "exact";
	memory.kind = MEMORY_USM_SHARED;
	memory.origin = "cuMemAlloc";
	memory.base = 0x1000;
	memory.size = UINT64_MAX;
	memory.device_pointer = UINT64_MAX;
	memory.host_accessible = memory.readable = ANSWER_YES;
	memory.managed = memory.writable = ANSWER_NO;
	memory.low_inside = ANSWER_YES;
	memory.high_inside = ANSWER_NO;
	memory.device_id = fact_int(0);
	strcpy(memory.context, "0x55aa");
	strcpy(memory.mapping, "/tmp/a b");
	strcpy(memory.device_name, "Intel(R) CPU");
	return memory;
}

static void check_keys(const struct value *map, const char *const *keys)
{
	size_t n_keys = 0;

	for (; keys[n_keys]; n_keys++)
		CHECK(n_keys < map->n_items && !strcmp(map->keys[n_keys], keys[n_keys]),
			"key %zu is %s, not %s", n_keys,
			n_keys < map->n_items ? map->keys[n_keys] : "missing", keys[n_keys]);
	CHECK(map->n_items == n_keys, "%zu keys", map->n_items);
}

static void test_round_trip(void)
{
	static const char *const keys[] = { "kind", "origin", "base", "size", "device_pointer",
		"host_accessible", "managed", "context", "by", "how", "asked", "low_inside",
		"high_inside", "readable", "writable", "mapping", "device", NULL };
	struct memory memory, back;
	const struct value *map;

	memory = known_memory();
	map = write_memory(&memory);
	check_keys(map, keys);
	CHECK(value_is_text(value_get(map, "kind"), "usm-shared"), "kind");
	CHECK(value_is_text(value_at(map, "asked.high"), "0x2000"), "asked");
	CHECK(read_memory(&back, map) && same(&memory, &back), "known");
	memory = (struct memory){ .present = true, .asked_low = 0x10, .asked_high = 0x20 };
	map = write_memory(&memory);
	check_keys(map, keys);
	for (size_t i = 1; i < map->n_items; i++)
		CHECK(value_is_null(map->items[i]) || value_is(map->items[i], VALUE_MAP), "%s",
			map->keys[i]);
	CHECK(value_is_null(value_at(map, "device.id")), "device.id");
	CHECK(read_memory(&back, map) && same(&memory, &back), "unknown");
	CHECK(read_memory(&back, value_map(&arena)) && !back.device_id.known, "an empty map");
}

/*
 * A path may contain bytes that are not UTF-8; they become surrogates, so that the fact can be
 * sent.
 */
static void test_foreign_text(void)
{
	struct memory memory = known_memory();

	strcpy(memory.mapping, "/tmp/\xFF\xC3\xA9");
	CHECK(value_is_text(
		      value_get(write_memory(&memory), "mapping"), "/tmp/\xED\xB3\xBF\xC3\xA9"),
		"mapping");
}

static void test_refused(void)
{
	static const char *const numbers[] = { "base", "size", "device_pointer" };
	static const char *const others[] = { "kind", "host_accessible", "managed", "readable",
		"writable", "low_inside", "high_inside", "context", "mapping" };
	struct memory memory = known_memory(), back;
	struct value *map;

	CHECK(!read_memory(&back, value_list(&arena)), "a list");
	for (size_t i = 0; i < 3; i++) {
		map = write_memory(&memory);
		value_set(&arena, map, numbers[i], value_int(&arena, -1));
		CHECK(!read_memory(&back, map), "%s", numbers[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		map = write_memory(&memory);
		value_set(&arena, map, others[i], value_int(&arena, 1));
		CHECK(!read_memory(&back, map), "%s", others[i]);
	}
	map = write_memory(&memory);
	value_set(&arena, map, "kind", value_text(&arena, "usm"));
	CHECK(!read_memory(&back, map), "no such kind");
}

static void test_names(void)
{
	for (int code = -1; code <= 19; code++) {
		const char *name = device_type_name(code);

		CHECK(!name || device_type_code(name) == code, "code %d", code);
		CHECK(!name == (code < 1 || code == 5 || code == 6 || code > 18), "code %d", code);
	}
	CHECK(!strcmp(device_type_name(14), "oneapi"), "14");
	CHECK(device_type_code("gpu") == -1 && device_type_code(NULL) == -1, "unknown names");
	for (int kind = MEMORY_UNKNOWN; kind <= MEMORY_OPENCL_BUFFER; kind++)
		CHECK(*memory_kind_name((enum memory_kind)kind), "kind %d", kind);
}

int main(void)
{
	test_round_trip();
	test_foreign_text();
	test_refused();
	test_names();
	arena_free(&arena);
	return test_end();
}
