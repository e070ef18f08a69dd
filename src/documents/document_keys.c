// SPDX-License-Identifier: MIT
/* The keys that --query accepts. */
#include "documents/document_keys.h"

#include <string.h>

static const struct document_key range_keys[] = {
	{ "low", .kinds = KEY_ADDRESS },
	{ "high", .kinds = KEY_ADDRESS },
	{ 0 },
};

static const struct document_key memory_device_keys[] = {
	{ "name", .kinds = KEY_TEXT },
	{ "id", .kinds = KEY_INT },
	{ 0 },
};

static const struct document_key memory_keys[] = {
	{ "kind", .kinds = KEY_TEXT },
	{ "origin", .kinds = KEY_TEXT },
	{ "base", .kinds = KEY_ADDRESS },
	{ "size", .kinds = KEY_INT },
	{ "device_pointer", .kinds = KEY_ADDRESS },
	{ "host_accessible", .kinds = KEY_BOOL },
	{ "managed", .kinds = KEY_BOOL },
	{ "context", .kinds = KEY_TEXT },
	{ "by", .kinds = KEY_TEXT },
	{ "how", .kinds = KEY_TEXT },
	{ "asked", .kinds = KEY_MAP, .inner = range_keys },
	{ "low_inside", .kinds = KEY_BOOL },
	{ "high_inside", .kinds = KEY_BOOL },
	{ "readable", .kinds = KEY_BOOL },
	{ "writable", .kinds = KEY_BOOL },
	{ "mapping", .kinds = KEY_TEXT },
	{ "device", .kinds = KEY_MAP, .inner = memory_device_keys },
	{ 0 },
};

static const struct document_key array_device_keys[] = {
	{ "type", .kinds = KEY_TEXT },
	{ "id", .kinds = KEY_INT },
	{ "name", .kinds = KEY_TEXT },
	{ 0 },
};

const struct document_key array_keys[] = {
	{ "dtype", .kinds = KEY_TEXT },
	{ "typestr", .kinds = KEY_TEXT },
	{ "itemsize", .kinds = KEY_INT },
	{ "ndim", .kinds = KEY_INT },
	{ "shape", .kinds = KEY_LIST },
	{ "strides_bytes", .kinds = KEY_LIST },
	{ "strides_elements", .kinds = KEY_LIST },
	{ "elements", .kinds = KEY_INT },
	{ "nbytes", .kinds = KEY_INT },
	{ "pointer", .kinds = KEY_ADDRESS },
	{ "extent", .kinds = KEY_MAP, .inner = range_keys },
	{ "readonly", .kinds = KEY_BOOL },
	{ "c_contiguous", .kinds = KEY_BOOL },
	{ "f_contiguous", .kinds = KEY_BOOL },
	{ "device", .kinds = KEY_MAP, .inner = array_device_keys },
	{ "memory", .kinds = KEY_MAP, .inner = memory_keys },
	{ 0 },
};

const struct document_key copy_keys[] = {
	{ "from", .kinds = KEY_TEXT },
	{ "path", .kinds = KEY_TEXT },
	{ "engine", .kinds = KEY_TEXT },
	{ "kernel", .kinds = KEY_TEXT },
	{ "bytes", .kinds = KEY_INT },
	{ "seconds", .kinds = KEY_REAL },
	{ "read_seconds", .kinds = KEY_REAL },
	{ "allocate_seconds", .kinds = KEY_REAL },
	{ "copy_seconds", .kinds = KEY_REAL },
	{ "describe_seconds", .kinds = KEY_REAL },
	{ "gb_per_s", .kinds = KEY_REAL },
	{ "steady_seconds", .kinds = KEY_REAL },
	{ "steady_gb_per_s", .kinds = KEY_REAL },
	{ "share_of_memcpy", .kinds = KEY_REAL },
	{ "reason", .kinds = KEY_TEXT },
	{ "launches", .kinds = KEY_INT },
	{ "fallback", .kinds = KEY_TEXT },
	{ "verified", .kinds = KEY_BOOL },
	{ "difference", .kinds = KEY_TEXT },
	{ "same_memory", .kinds = KEY_BOOL, .place = KEY_IN_DOCUMENT },
	{ "result", .kinds = KEY_MAP, .by_hand = true },
	{ 0 },
};

static const struct document_key *find_key(
	const struct document_key *keys, const char *name, size_t n_chars)
{
	for (; keys && keys->name; keys++)
		if (keys->place != KEY_IN_FACTS && strlen(keys->name) == n_chars &&
			!memcmp(keys->name, name, n_chars))
			return keys;
	return NULL;
}

const struct document_key *document_key_at(const struct document_key *keys, const char *path)
{
	const struct document_key *key;
	size_t n_chars = strcspn(path, ".[");

	key = find_key(keys, path, n_chars);
	path += n_chars;
	path += *path == '[' ? strcspn(path, ".") : 0;
	return key && *path == '.' ? document_key_at(key->inner, path + 1) : key;
}
