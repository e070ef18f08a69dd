// SPDX-License-Identifier: MIT
/* A hash table from pointers or hashes to numbers. Zero-initialise. Its memory is never freed:
 * hooks use it until the process ends. */
#ifndef TRACE_MAP_H
#define TRACE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_map {
	struct trace_map_item {
		uint64_t key, value;
	} * items;
	size_t capacity; /* a power of two */
	size_t n_items;
};

/* NULL: no such key. Valid until the next change. Keys are not 0. */
uint64_t *trace_map_find(const struct trace_map *map, uint64_t key);

/* Sets the value of a key. False: no memory, nothing changed. */
bool trace_map_set(struct trace_map *map, uint64_t key, uint64_t value);

/* Removes a key; false if it does not exist. value may be NULL. */
bool trace_map_remove(struct trace_map *map, uint64_t key, uint64_t *value);

void trace_map_clear(struct trace_map *map);

/* The hash of bytes; never 0. */
uint64_t trace_hash(const void *bytes, size_t n_bytes);

#endif
