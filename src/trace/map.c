// SPDX-License-Identifier: MIT
#include "trace/map.h"

#include <stdlib.h>
#include <string.h>

enum { MAP_LEAST_CAPACITY = 64 };

static size_t map_start(const struct trace_map *map, uint64_t key)
{
	return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (map->capacity - 1);
}

uint64_t *trace_map_find(const struct trace_map *map, uint64_t key)
{
	if (!map->n_items)
		return NULL;
	for (size_t i = map_start(map, key); map->items[i].key; i = (i + 1) & (map->capacity - 1))
		if (map->items[i].key == key)
			return &map->items[i].value;
	return NULL;
}

static void map_put(struct trace_map *map, uint64_t key, uint64_t value)
{
	size_t i = map_start(map, key);

	while (map->items[i].key)
		i = (i + 1) & (map->capacity - 1);
	map->items[i] = (struct trace_map_item){ key, value };
	map->n_items++;
}

/* Keeps at most half of the items in use. */
static bool map_reserve(struct trace_map *map)
{
	struct trace_map grown = { .capacity =
					   map->capacity ? 2 * map->capacity : MAP_LEAST_CAPACITY };

	if (2 * (map->n_items + 1) <= map->capacity)
		return true;
	grown.items = calloc(grown.capacity, sizeof(*grown.items));
	if (!grown.items)
		return false;
	for (size_t i = 0; i < map->capacity; i++)
		if (map->items[i].key)
			map_put(&grown, map->items[i].key, map->items[i].value);
	free(map->items);
	*map = grown;
	return true;
}

bool trace_map_set(struct trace_map *map, uint64_t key, uint64_t value)
{
	uint64_t *found = trace_map_find(map, key);

	if (found) {
		*found = value;
		return true;
	}
	if (!map_reserve(map))
		return false;
	map_put(map, key, value);
	return true;
}

bool trace_map_remove(struct trace_map *map, uint64_t key, uint64_t *value)
{
	uint64_t *found = trace_map_find(map, key);
	size_t mask = map->capacity - 1, hole, next;

	if (!found)
		return false;
	if (value)
		*value = *found;
	hole = (size_t)((struct trace_map_item *)((char *)found -
						  offsetof(struct trace_map_item, value)) -
			map->items);
	/* Moves back what would not be found behind the hole. */
	for (next = (hole + 1) & mask; map->items[next].key; next = (next + 1) & mask) {
		size_t start = map_start(map, map->items[next].key);

		if (((next - start) & mask) >= ((next - hole) & mask)) {
			map->items[hole] = map->items[next];
			hole = next;
		}
	}
	map->items[hole].key = 0;
	map->n_items--;
	return true;
}

void trace_map_clear(struct trace_map *map)
{
	for (size_t i = 0; i < map->capacity; i++)
		map->items[i].key = 0;
	map->n_items = 0;
}

uint64_t trace_hash(const void *bytes, size_t n_bytes)
{
	const unsigned char *at = bytes;
	uint64_t hash = n_bytes + 1, word;

	for (; n_bytes >= sizeof(word); at += sizeof(word), n_bytes -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	word = 0;
	memcpy(&word, at, n_bytes);
	hash = (hash ^ word) * UINT64_C(0xbf58476d1ce4e5b9);
	hash ^= hash >> 32;
	return hash ? hash : 1;
}
