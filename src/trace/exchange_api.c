// SPDX-License-Identifier: MIT
#include "trace/exchange_api.h"

#include "trace/calls.h"
#include "trace/capsules.h"
#include "trace/lock.h"
#include "trace/memory.h"
#include "trace/objects.h"
#include "trace/python.h"
#include "trace/site.h"
#include "trace/tensor_facts.h"

#include <dlpack/dlpack.h>
#include <string.h>

/* Tables that are replaced; further ones keep their functions. */
enum { MAX_TABLES = 4 };

/* A table, its library and its functions. */
struct traced_table {
	DLPackExchangeAPI *table;
	uint32_t library;
	DLPackManagedTensorFromPyObjectNoSync from_object;
	DLPackManagedTensorToPyObjectNoSync to_object;
	DLPackDLTensorFromPyObjectNoSync view_object;
};

static struct traced_table traced_tables[MAX_TABLES];

bool trace_is_exchange_api(const char *name)
{
	return name && name[0] == 'd' && !strcmp(name, "dlpack_exchange_api");
}

/* The library of a table exports: caller receives the tensor. */
static int export_object(const struct traced_table *api, const void *caller, void *object,
	DLManagedTensorVersioned **out)
{
	int status = api->from_object(object, out);
	uint32_t site;

	if (status || !trace_is_on() || !*out)
		return status;
	trace_calls_update();
	site = trace_site_find();
	trace_lock();
	trace_tensor_passed(*out, api->library, trace_objects_library(caller), site);
	trace_unlock();
	return status;
}

/* The library of a table exports a view, which nobody releases: caller receives it. */
static int export_view(
	const struct traced_table *api, const void *caller, void *object, DLTensor *out)
{
	int status = api->view_object(object, out);
	uint32_t site;

	if (status || !trace_is_on())
		return status;
	trace_calls_update();
	site = trace_site_find();
	trace_lock();
	trace_view_passed(out, api->library, trace_objects_library(caller), site);
	trace_unlock();
	return status;
}

/* The library of a table imports a tensor of the caller, which it owns from then on. */
static int import_tensor(const struct traced_table *api, const void *caller,
	DLManagedTensorVersioned *tensor, void **out)
{
	uint32_t site = TRACE_NONE;

	if (trace_is_on() && tensor) {
		trace_calls_update();
		site = trace_site_find();
		trace_lock();
		trace_tensor_passed(tensor, trace_objects_library(caller), api->library, site);
		trace_unlock();
	}
	return api->to_object(tensor, out);
}

/* The functions of a table have no argument that identifies it. */
#define TABLE_FUNCTIONS(I)                                                                         \
	static int traced_from_object_##I(void *object, DLManagedTensorVersioned **out)            \
	{                                                                                          \
		return export_object(&traced_tables[I], __builtin_return_address(0), object, out); \
	}                                                                                          \
	static int traced_view_object_##I(void *object, DLTensor *out)                             \
	{                                                                                          \
		return export_view(&traced_tables[I], __builtin_return_address(0), object, out);   \
	}                                                                                          \
	static int traced_to_object_##I(DLManagedTensorVersioned *tensor, void **out)              \
	{                                                                                          \
		return import_tensor(&traced_tables[I], __builtin_return_address(0), tensor, out); \
	}

TABLE_FUNCTIONS(0)
TABLE_FUNCTIONS(1)
TABLE_FUNCTIONS(2)
TABLE_FUNCTIONS(3)

#define TABLE_ROW(I)                                                                          \
	{                                                                                     \
		NULL, 0, traced_from_object_##I, traced_to_object_##I, traced_view_object_##I \
	}

static const struct traced_table replacements[MAX_TABLES] = { TABLE_ROW(0), TABLE_ROW(1),
	TABLE_ROW(2), TABLE_ROW(3) };

/* The place of a table that was not replaced yet; MAX_TABLES: none. With the lock. */
static size_t find_traced_table_place(const DLPackExchangeAPI *table)
{
	size_t i = 0;

	while (i < MAX_TABLES && traced_tables[i].table) {
		if (traced_tables[i].table == table)
			return MAX_TABLES;
		i++;
	}
	return i;
}

/* function: where the entry's pointer is; original: where it is kept. */
static void replace_function(void *function, void *replacement, void *original)
{
	memcpy(original, function, sizeof(void *));
	if (*(void **)original)
		trace_objects_write(function, replacement);
}

void trace_exchange_api_replace(void *table, const void *creator)
{
	DLPackExchangeAPI *api = table;
	struct traced_table *traced;
	size_t i;

	if (trace_struct_access(table, sizeof(*api), false) == TRACE_NO_ACCESS ||
		api->header.version.major != DLPACK_MAJOR_VERSION)
		return;
	trace_lock();
	i = find_traced_table_place(api);
	if (i < MAX_TABLES) {
		traced = &traced_tables[i];
		traced->table = api;
		traced->library = trace_objects_caller(
			creator, (void *)api->managed_tensor_from_py_object_no_sync);
		replace_function(&api->managed_tensor_from_py_object_no_sync,
			(void *)replacements[i].from_object, &traced->from_object);
		replace_function(&api->managed_tensor_to_py_object_no_sync,
			(void *)replacements[i].to_object, &traced->to_object);
		replace_function(&api->dltensor_from_py_object_no_sync,
			(void *)replacements[i].view_object, &traced->view_object);
	}
	trace_unlock();
}
