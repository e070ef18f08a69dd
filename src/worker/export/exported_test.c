// SPDX-License-Identifier: MIT
#include "worker/export/exported.h"

#include "worker/python/embedded_test.h"
#include "worker/python/object.h"

#include <string.h>

static const struct dtype int32 = { .kind = DTYPE_INT, .bits = 32, .lanes = 1 };

/* Six int32 in two rows over memory that owner keeps. */
static struct element_array matrix(uint64_t address)
{
	struct element_array elements = {
		.array = { .dtype = int32,
			.pointer = address,
			.n_dims = 2,
			.shape = { 2, 3 },
			.stride_bytes = { 12, 4 },
			.readonly = READONLY_NO,
			.device = { "cpu", 0 } },
		.location = { .host_reaches = true, .host_owns = true },
	};

	return elements;
}

static int n_released;

static void release_once(void *handle)
{
	CHECK(handle == (void *)&n_released, "the handle");
	n_released++;
}

static void test_memory(void)
{
	uint64_t address = 0;
	PyObject *block = memory_owner_allocate(1000, &address), *held;

	CHECK(block && address && address % 64 == 0, "0x%llx", (unsigned long long)address);
	memset((void *)(uintptr_t)address, 1, 1000);
	Py_DecRef(block);
	held = memory_owner_new(&n_released, release_once);
	PyErr_SetString(PyExc_ValueError, "pending");
	Py_DecRef(held);
	CHECK(n_released == 1 && PyErr_ExceptionMatches(PyExc_ValueError), "%d released",
		n_released);
	PyErr_Clear();
}

static void test_base(void)
{
	struct array array = matrix(1 << 20).array;
	int64_t items[] = { 12, -4, 0 };
	PyObject *tuple = exported_integers(items, 3, 4);

	CHECK(exported_base(&array) == 1 << 20, "positive strides");
	array.stride_bytes[0] = -12;
	CHECK(exported_base(&array) == (1 << 20) - 12, "a negative stride");
	CHECK(python_is_true(tuple, "it == (3, -1, 0)"), "divided by the unit");
	Py_DecRef(tuple);
}

struct export_row {
	const struct exporter *exporter;
	const char *holds; /* of `it`, over the elements 0 to 5 */
};

static const struct export_row export_rows[] = {
	{ &numpy_exporter,
		"it.__array_interface__['shape'] == (2, 3) and it.__array_interface__['typestr'] == '<i4' "
		"and it.__array_interface__['data'][1] is False" },
	{ &buffer_exporter,
		"memoryview(it).tolist() == [[0, 1, 2], [3, 4, 5]] and not memoryview(it).readonly" },
	{ &dlpack_exporter,
		"'dltensor' in repr(it.__dlpack__()) and it.__dlpack_device__() == (1, 0)" },
	{ &dlpack_exporter, "'dltensor_versioned' in repr(it.__dlpack__(max_version=(1, 0)))" },
};

/* Each exports its own protocol and no other, and keeps the owner as long as it lives. */
static void test_exporters(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(export_rows); i++) {
		const struct export_row *row = &export_rows[i];
		const char *attribute = row->exporter->protocol->attribute;
		uint64_t address = 0;
		PyObject *owner = memory_owner_allocate(24, &address), *object;
		struct element_array elements = matrix(address);
		int64_t references = object_references(owner);
		struct arena arena = { 0 };
		struct err err;

		for (int k = 0; k < 6; k++)
			((int32_t *)(uintptr_t)address)[k] = k;
		CHECK(!row->exporter->adapt(&arena, &elements, &err), "%s", err.message);
		object = exported_new(row->exporter, &elements, "numpy", -1, owner);
		CHECK(object && object_references(owner) == references + 1, "%s keeps the owner",
			attribute);
		CHECK(!strcmp(exported_origin(object), "numpy"), "%s", exported_origin(object));
		CHECK(python_is_true(object, row->holds), "%s", row->holds);
		for (size_t k = 0; protocols[k]; k++)
			if (exporter_find(protocols[k]->name) &&
				protocols[k] != row->exporter->protocol &&
				protocols[k] != &buffer_protocol)
				CHECK(!object_type_has(object, protocols[k]->attribute),
					"%s of an object of %s", protocols[k]->attribute,
					attribute);
		Py_DecRef(object);
		CHECK(object_references(owner) == references, "%s releases the owner", attribute);
		Py_DecRef(owner);
		arena_free(&arena);
	}
	CHECK(!exported_origin(Py_None), "an object of another type");
}

/* Protocols that cannot express the elements are not offered. */
static void test_options(void)
{
	struct arena arena = { 0 };
	struct element_array elements = matrix(1 << 20);
	const char *options = exporter_options(&arena, &elements);

	CHECK(strstr(options, "numpy") && strstr(options, "buffer") && strstr(options, "dlpack"),
		"%s", options);
	elements.array.dtype = (struct dtype){ .kind = DTYPE_VOID, .bits = 56, .lanes = 1 };
	options = exporter_options(&arena, &elements);
	CHECK(strstr(options, "numpy") && !strstr(options, "dlpack"), "%s", options);
	arena_free(&arena);
}

int main(void)
{
	python_start("");
	test_memory();
	test_base();
	test_exporters();
	test_options();
	return test_end();
}
