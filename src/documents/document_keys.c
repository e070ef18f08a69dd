// SPDX-License-Identifier: MIT
/* The tables of keys, and the check of a map against one. */
#include "documents/document_keys.h"

#include "protocols/names.h"

#include <stdio.h>
#include <string.h>

const struct document_key error_keys[] = {
	{ "type", .kinds = KEY_TEXT },
	{ "message", .kinds = KEY_TEXT },
	{ "traceback", .kinds = KEY_TEXT },
	{ 0 },
};

static const struct document_key own_keys[] = {
	{ "dtype", .kinds = KEY_TEXT },
	{ "strides", .kinds = KEY_LIST },
	{ "readonly", .kinds = KEY_BOOL },
	{ "device", .kinds = KEY_TEXT },
	{ "scalar", .kinds = KEY_BOOL },
	{ "requires_grad", .kinds = KEY_BOOL },
	{ "shards", .kinds = KEY_INT },
	{ "masked", .kinds = KEY_BOOL },
	{ "pending", .kinds = KEY_ITEMS },
	{ 0 },
};

static const struct document_key call_keys[] = {
	{ "step", .kinds = KEY_TEXT },
	{ "arguments", .kinds = KEY_MAP },
	{ "outcome", .kinds = KEY_TEXT },
	{ "error", .kinds = KEY_MAP, .inner = error_keys },
	{ "exception", .kinds = KEY_TEXT },
	{ "warnings", .kinds = KEY_ITEMS },
	{ "returned", .kinds = KEY_TEXT },
	{ "capsule", .kinds = KEY_TEXT },
	{ "pointer", .kinds = KEY_ADDRESS },
	{ "version", .kinds = KEY_ITEMS },
	{ "flags", .kinds = KEY_INT },
	{ "device", .kinds = KEY_ITEMS },
	{ "newer_deleter", .kinds = KEY_TEXT },
	{ "returned_again", .kinds = KEY_BOOL },
	{ "held", .kinds = KEY_BOOL },
	{ "lost", .kinds = KEY_BOOL },
	{ 0 },
};

static const struct document_key trial_keys[] = {
	{ "trial", .kinds = KEY_TEXT },
	{ "protocol", .kinds = KEY_TEXT },
	{ "outcome", .kinds = KEY_TEXT },
	{ "error", .kinds = KEY_MAP, .inner = error_keys },
	{ "step", .kinds = KEY_TEXT },
	{ "counts", .kinds = KEY_MAP },
	{ 0 },
};

static const struct document_key stats_keys[] = {
	{ "min", .kinds = KEY_INT | KEY_REAL | KEY_TEXT | KEY_BOOL },
	{ "max", .kinds = KEY_INT | KEY_REAL | KEY_TEXT | KEY_BOOL },
	{ "nan", .kinds = KEY_INT },
	{ 0 },
};

static const struct document_key data_keys[] = {
	{ "values", .kinds = KEY_LIST },
	{ "stats", .kinds = KEY_MAP, .inner = stats_keys },
	{ "checksum", .kinds = KEY_TEXT },
	{ "engine", .kinds = KEY_TEXT },
	{ "fallback", .kinds = KEY_TEXT },
	{ "resolved_by", .kinds = KEY_TEXT },
	{ "reason", .kinds = KEY_TEXT },
	{ 0 },
};

static const struct document_key named_device_keys[] = {
	{ "name", .kinds = KEY_TEXT },
	{ "filter", .kinds = KEY_TEXT },
	{ "position", .kinds = KEY_INT },
	{ "aspects", .kinds = KEY_LIST },
	{ 0 },
};

static const struct document_key elsewhere_keys[] = {
	{ "name", .kinds = KEY_TEXT },
	{ "filter", .kinds = KEY_TEXT },
	{ "position", .kinds = KEY_INT },
	{ "aspects", .kinds = KEY_LIST },
	{ "kind", .kinds = KEY_TEXT },
	{ 0 },
};

static const struct document_key syclobj_keys[] = {
	{ "form", .kinds = KEY_TEXT },
	{ "type", .kinds = KEY_TEXT },
	{ "capsule", .kinds = KEY_TEXT },
	{ "has_get_capsule", .kinds = KEY_BOOL },
	{ "subclass", .kinds = KEY_BOOL },
	{ "returned", .kinds = KEY_TEXT },
	{ "error", .kinds = KEY_MAP, .inner = error_keys },
	{ "selects", .kinds = KEY_BOOL },
	{ "resolved", .kinds = KEY_BOOL },
	{ "resolve_error", .kinds = KEY_TEXT },
	{ "default_context", .kinds = KEY_BOOL },
	{ "root_device", .kinds = KEY_BOOL },
	{ "in_order", .kinds = KEY_BOOL },
	{ "same_device", .kinds = KEY_BOOL },
	{ "device", .kinds = KEY_MAP, .inner = named_device_keys },
	{ "elsewhere", .kinds = KEY_MAP, .inner = elsewhere_keys },
	{ 0 },
};

static const struct document_key data_item_keys[] = {
	{ "is_int", .kinds = KEY_BOOL },
	{ "readonly", .kinds = KEY_BOOL },
	{ "readonly_error", .kinds = KEY_TEXT },
	{ 0 },
};

static const struct document_key sycl_details_keys[] = {
	{ "syclobj", .kinds = KEY_MAP, .inner = syclobj_keys },
	{ "data", .kinds = KEY_MAP, .inner = data_item_keys },
	{ 0 },
};

static const struct document_key driver_keys[] = {
	{ "current_device", .kinds = KEY_INT },
	{ "peer_access", .kinds = KEY_BOOL },
	{ "pageable_access", .kinds = KEY_BOOL },
	{ 0 },
};

static const struct document_key stream_keys[] = {
	{ "valid", .kinds = KEY_BOOL },
	{ "error", .kinds = KEY_TEXT },
	{ "device", .kinds = KEY_INT },
	{ 0 },
};

static const struct document_key cuda_details_keys[] = {
	{ "mapping", .kinds = KEY_BOOL },
	{ "environment", .kinds = KEY_MAP },
	{ "data", .kinds = KEY_MAP, .inner = data_item_keys },
	{ "driver", .kinds = KEY_MAP, .inner = driver_keys },
	{ "stream", .kinds = KEY_MAP, .inner = stream_keys },
	{ 0 },
};

static const struct document_key data_buffer_keys[] = {
	{ "pointer", .kinds = KEY_ADDRESS },
	{ "nbytes", .kinds = KEY_INT },
	{ "readonly", .kinds = KEY_BOOL },
	{ 0 },
};

static const struct document_key numpy_details_keys[] = {
	{ "buffer", .kinds = KEY_MAP, .inner = data_buffer_keys },
	{ "data", .kinds = KEY_MAP, .inner = data_item_keys },
	{ 0 },
};

static const struct document_key request_keys[] = {
	{ "request", .kinds = KEY_TEXT },
	{ "outcome", .kinds = KEY_TEXT },
	{ "error", .kinds = KEY_MAP, .inner = error_keys },
	{ "buf", .kinds = KEY_ADDRESS },
	{ "len", .kinds = KEY_INT },
	{ "itemsize", .kinds = KEY_INT },
	{ "ndim", .kinds = KEY_INT },
	{ "shape", .kinds = KEY_LIST },
	{ "strides", .kinds = KEY_LIST },
	{ "set", .kinds = KEY_ITEMS },
	{ "readonly", .kinds = KEY_BOOL },
	{ "owned", .kinds = KEY_BOOL },
	{ 0 },
};

static const struct document_key buffer_details_keys[] = {
	{ "requests", .kinds = KEY_ITEMS, .inner = request_keys },
	{ 0 },
};

static const struct document_key npy_details_keys[] = {
	{ "version", .kinds = KEY_LIST },
	{ "header_characters", .kinds = KEY_INT },
	{ "data_offset", .kinds = KEY_INT },
	{ "file_bytes", .kinds = KEY_INT },
	{ 0 },
};

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

const struct document_key memory_keys[] = {
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

static const struct document_key again_keys[] = {
	{ "step", .kinds = KEY_TEXT },
	{ "error", .kinds = KEY_MAP, .inner = error_keys },
	{ "returned", .kinds = KEY_TEXT },
	{ "differs", .kinds = KEY_ITEMS },
	{ 0 },
};

const struct document_key interface_keys[] = {
	{ "protocol", .kinds = KEY_TEXT },
	{ "status", .kinds = KEY_TEXT },
	{ "error", .kinds = KEY_MAP, .inner = error_keys },
	{ "defined_by", .kinds = KEY_TEXT },
	{ "again", .kinds = KEY_MAP, .inner = again_keys },
	{ "version", .kinds = KEY_TEXT | KEY_INT, .place = KEY_IN_DOCUMENT },
	{ "declared", .kinds = KEY_ANY, .by_hand = true },
	{ "types", .kinds = KEY_MAP, .place = KEY_IN_DOCUMENT },
	{ "details", .kinds = KEY_MAP, .by_hand = true },
	{ "array", .kinds = KEY_MAP, .inner = array_keys, .place = KEY_IN_DOCUMENT },
	/* In documents null where array.memory holds it. */
	{ "memory", .kinds = KEY_MAP, .inner = memory_keys, .by_hand = true },
	{ "memory_reason", .kinds = KEY_TEXT },
	{ 0 },
};

const struct document_key result_keys[] = {
	{ "type", .kinds = KEY_TEXT },
	{ "own", .kinds = KEY_MAP, .inner = own_keys },
	{ "interfaces", .kinds = KEY_ITEMS, .by_hand = true },
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

const struct document_key target_keys[] = {
	{ "target", "name", .kinds = KEY_TEXT },
	{ "aliases", .kinds = KEY_ITEMS },
	{ "status", .kinds = KEY_TEXT },
	{ "step", .kinds = KEY_TEXT },
	{ "error", .kinds = KEY_MAP, .inner = error_keys },
	{ "type", .kinds = KEY_TEXT },
	{ "mro", .kinds = KEY_LIST },
	{ "own", .kinds = KEY_MAP, .inner = own_keys },
	{ "interfaces", .kinds = KEY_ITEMS, .by_hand = true },
	{ "calls", .kinds = KEY_ITEMS, .inner = call_keys },
	{ "trials", .kinds = KEY_ITEMS, .inner = trial_keys },
	{ "data", .kinds = KEY_MAP, .inner = data_keys },
	{ "copy", "convert", .kinds = KEY_MAP, .by_hand = true },
	{ "findings", .kinds = KEY_LIST, .place = KEY_IN_DOCUMENT },
	{ "known", .kinds = KEY_LIST, .place = KEY_IN_DOCUMENT },
	{ "skipped", .kinds = KEY_LIST, .place = KEY_IN_DOCUMENT },
	{ 0 },
};

const struct document_key *details_keys(const char *protocol)
{
	static const struct document_key none[] = { { 0 } };
	static const struct {
		const char *protocol;
		const struct document_key *keys;
	} tables[] = {
		{ PROTOCOL_SYCL, sycl_details_keys },
		{ PROTOCOL_CUDA, cuda_details_keys },
		{ PROTOCOL_DLPACK, dlpack_details_keys },
		{ PROTOCOL_NUMPY, numpy_details_keys },
		{ PROTOCOL_BUFFER, buffer_details_keys },
		{ PROTOCOL_NPY, npy_details_keys },
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		if (!strcmp(tables[i].protocol, protocol))
			return tables[i].keys;
	return none;
}

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

static int check_item(
	const struct document_key *key, const struct value *item, const char *path, struct err *err)
{
	char item_path[256];

	if (item->kind == VALUE_NULL)
		return 0;
	if (!(key->kinds & 1 << item->kind))
		return err_set(err, EXIT_USAGE, "'%s' has the wrong type", path);
	if (!key->inner || !(key->kinds & KEY_LIST))
		return key->inner ? document_check(key->inner, item, path, err) : 0;
	for (size_t i = 0; i < item->n_items; i++) {
		snprintf(item_path, sizeof(item_path), "%.230s[%zu]", path, i);
		if (document_check(key->inner, item->items[i], item_path, err))
			return -1;
	}
	return 0;
}

int document_check(
	const struct document_key *keys, const struct value *map, const char *path, struct err *err)
{
	char item_path[256];

	if (!value_is(map, VALUE_MAP))
		return err_set(err, EXIT_USAGE, "'%s' is not a map", path);
	for (size_t i = 0; i < map->n_items; i++) {
		const struct document_key *key = find_key(keys, map->keys[i], strlen(map->keys[i]));

		snprintf(item_path, sizeof(item_path), "%s%s%s", path, *path ? "." : "",
			map->keys[i]);
		if (!key)
			return err_set(err, EXIT_USAGE, "'%s' is no key of a document", item_path);
		if (check_item(key, map->items[i], item_path, err))
			return -1;
	}
	return 0;
}
