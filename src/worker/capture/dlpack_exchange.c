// SPDX-License-Identifier: MIT
/* DLPack's C exchange API (dlpack.h 1.3, DLPackExchangeAPI): a capsule on the type, whose table is
 * read through the kernel. */
#include "worker/capture/dlpack_exchange.h"
#include "base/array_size.h"
#include "os/peek.h"
#include "worker/python/c_values.h"

#include <string.h>

enum { MAX_TABLES = 8 };

static const char attribute[] = "__dlpack_c_exchange_api__";
static const char draft_attribute[] = "__c_dlpack_exchange_api__";

static const char *const functions[] = { "managed_tensor_allocator",
	"managed_tensor_from_py_object_no_sync", "managed_tensor_to_py_object_no_sync",
	"dltensor_from_py_object_no_sync", "current_work_stream" };

enum { N_FUNCTIONS = ARRAY_SIZE(functions) };

_Static_assert(
	sizeof(DLPackExchangeAPI) == sizeof(DLPackExchangeAPIHeader) + N_FUNCTIONS * sizeof(void *),
	"dlpack.h has other functions");

/* The table at address; its functions are null if the major version has others, or they cannot be
 * read. False if the header cannot be read. */
static bool read_table(
	struct arena *arena, struct value *tables, const void *address, DLPackExchangeAPI *table)
{
	uint64_t at = (uint64_t)(uintptr_t)address;
	struct value *map;
	void *pointers[N_FUNCTIONS];
	bool is_known;

	if (!peek_bytes(&table->header, at, sizeof(table->header)))
		return false;
	is_known = table->header.version.major == DLPACK_MAJOR_VERSION &&
		   peek_bytes(table, at, sizeof(*table));
	memcpy(pointers, (char *)table + sizeof(table->header), sizeof(pointers));
	map = value_map(arena);
	value_set(arena, map, "version",
		c_pair_to_value(arena, table->header.version.major, table->header.version.minor));
	value_set(arena, map, "prev_api", c_pointer_to_value(arena, table->header.prev_api));
	for (size_t i = 0; i < N_FUNCTIONS; i++)
		value_set(arena, map, functions[i],
			is_known ? c_pointer_to_value(arena, pointers[i]) : value_null(arena));
	value_append(arena, tables, map);
	return true;
}

/* Follows prev_api; sets tables, and end: how the chain ends. */
static void read_chain(struct arena *arena, struct value *exchange, const void *address)
{
	struct value *tables = value_list(arena);
	const void *seen[MAX_TABLES];
	const char *end = "null";
	size_t n_seen = 0;

	while (address && !strcmp(end, "null")) {
		DLPackExchangeAPI table = { .current_work_stream = NULL };

		for (size_t i = 0; i < n_seen; i++)
			if (seen[i] == address)
				end = "loop";
		if (!strcmp(end, "null") && n_seen == MAX_TABLES)
			end = "too long";
		if (strcmp(end, "null") != 0)
			break;
		seen[n_seen++] = address;
		if (!read_table(arena, tables, address, &table))
			end = "unreadable";
		address = table.header.prev_api;
	}
	value_set(arena, exchange, "tables", tables);
	value_set(arena, exchange, "end", value_text(arena, end));
}

/* Whether the type also has __cuda_array_interface__, whose stream can be compared with that of the
 * exchange API. */
static bool has_cuda_interface(PyObject *type)
{
	PyObject *found = NULL;
	bool there = object_attribute(type, "__cuda_array_interface__", &found) > 0;

	object_drop_error();
	Py_DecRef(found);
	return there;
}

/* The stream that the first table returns for the device; null if it cannot be called. */
static struct value *exchange_read_stream(
	struct arena *arena, const void *address, const struct value *device)
{
	int64_t type = value_int_or(value_item(device, 0), -1);
	int64_t id = value_int_or(value_item(device, 1), -1);
	DLPackExchangeAPI table;
	void *stream = NULL;
	int status;

	if (type < 0 || id < 0 ||
		!peek_bytes(&table, (uint64_t)(uintptr_t)address, sizeof(table)) ||
		table.header.version.major != DLPACK_MAJOR_VERSION || !table.current_work_stream ||
		!worker_step("current_work_stream()"))
		return value_null(arena);
	status = table.current_work_stream((DLDeviceType)type, (int32_t)id, &stream);
	worker_step_done();
	object_drop_error();
	return status ? value_null(arena) : c_pointer_to_value(arena, stream);
}

static const void *table_address(PyObject *capsule, const char *name)
{
	const void *address = NULL;

	if (name && !strcmp(name, "dlpack_exchange_api"))
		address = PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule));
	object_drop_error();
	return address;
}

static void exchange_read_capsule(struct arena *arena, struct value *exchange, PyObject *found,
	PyObject *type, const struct value *device)
{
	const char *name = capsule_name(arena, found);
	const void *address = table_address(found, name);

	value_set(arena, exchange, "capsule", value_text(arena, name));
	if (!address)
		return;
	read_chain(arena, exchange, address);
	if (has_cuda_interface(type))
		value_set(arena, exchange, "work_stream",
			exchange_read_stream(arena, address, device));
}

static struct value *new_exchange(struct arena *arena, bool on_type)
{
	static const char *const keys[] = { "type", "error", "capsule", "tables", "end",
		"work_stream", "calls" };
	struct value *exchange = value_map(arena);

	value_set(arena, exchange, "on_type", value_bool(arena, on_type));
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		value_set(arena, exchange, keys[i], value_null(arena));
	return exchange;
}

const void *dlpack_exchange_address(struct arena *arena, PyObject *object, PyObject **capsule)
{
	const void *address = NULL;

	*capsule = NULL;
	if (object_attribute((PyObject *)Py_TYPE(object), attribute, capsule) > 0 &&
		PyCapsule_CheckExact(*capsule))
		address = table_address(*capsule, capsule_name(arena, *capsule));
	object_drop_error();
	return address;
}

bool dlpack_exchange_table(const void *address, DLPackExchangeAPI *table)
{
	for (int i = 0; address && i < MAX_TABLES; i++) {
		uint64_t at = (uint64_t)(uintptr_t)address;

		if (!peek_bytes(&table->header, at, sizeof(table->header)))
			return false;
		if (table->header.version.major == DLPACK_MAJOR_VERSION)
			return peek_bytes(table, at, sizeof(*table));
		address = table->header.prev_api;
	}
	return false;
}

/* Consumers look up the attribute on the type, not on the object. */
struct value *dlpack_exchange(struct arena *arena, PyObject *object, const struct value *device)
{
	PyObject *type = (PyObject *)Py_TYPE(object), *found = NULL;
	struct value *exchange = value_null(arena);
	int on_type, on_object = 0;

	if (!worker_step(attribute))
		return exchange;
	on_type = object_attribute(type, attribute, &found);
	if (on_type < 0) {
		exchange = new_exchange(arena, true);
		value_set(arena, exchange, "error", object_take_error_value(arena));
	} else if (!on_type) {
		on_object = object_attribute(object, attribute, &found) > 0;
		object_drop_error();
	}
	if (on_type > 0 || on_object) {
		exchange = new_exchange(arena, on_type > 0);
		value_set(
			arena, exchange, "type", value_text(arena, object_type_name(arena, found)));
	}
	worker_step_done();
	if (found && PyCapsule_CheckExact(found))
		exchange_read_capsule(arena, exchange, found, type, device);
	Py_DecRef(found);
	return exchange;
}

struct value *dlpack_has_draft_exchange(struct arena *arena, PyObject *object)
{
	PyObject *found = NULL;
	int there;

	if (!worker_step(draft_attribute))
		return value_null(arena);
	there = object_attribute((PyObject *)Py_TYPE(object), draft_attribute, &found);
	object_drop_error();
	Py_DecRef(found);
	worker_step_done();
	return value_bool(arena, there != 0);
}
