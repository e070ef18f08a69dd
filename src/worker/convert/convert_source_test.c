// SPDX-License-Identifier: MIT

#include "worker/convert/convert.h"
#include "worker/python/embedded_test.h"
#include "worker/python/expression.h"

#include <string.h>

static const char definitions[] =
	"import ctypes\n"
	"numbers = (ctypes.c_int32 * 6)(*range(6))\n"
	"address = ctypes.addressof(numbers)\n"
	"class Dictionary:\n"
	"    def __init__(self, **changes):\n"
	"        self.__array_interface__ = {'version': 3, 'shape': (2, 3), 'typestr': '<i4',\n"
	"            'data': (address, False)} | changes\n"
	"class Raises:\n"
	"    @property\n"
	"    def __array_interface__(self): raise RuntimeError('busy')\n"
	"class RaisesTwice(Raises):\n"
	"    __array_struct__ = Raises.__array_interface__\n"
	"class Both(Dictionary):\n"
	"    def __dlpack__(self, **keywords): raise BufferError('busy now')\n"
	"    def __dlpack_device__(self): return 1, 0\n";

struct source_row {
	const char *expression;
	const char *protocol; /* asked for; NULL: any */
	const char *from;     /* the interface that is read; NULL: it is refused */
	const char *part;     /* of the refusal */
};

static const struct source_row source_rows[] = {
	{ "Dictionary()", NULL, "numpy", NULL },
	{ "Dictionary()", "numpy", "numpy", NULL },
	{ "numbers", NULL, "buffer", NULL },
	{ "Dictionary(strides=(12, -4), data=(address + 8, False))", NULL, "numpy", NULL },
	{ "Dictionary(shape=(0, 3), data=(0, False))", NULL, "numpy", NULL },
	{ "Both()", NULL, "numpy", NULL },
	{ "Both()", "dlpack", NULL, "busy now" },
	{ "Dictionary()", "buffer", NULL, "buffer: " },
	{ "Dictionary(data=(4096, False))", NULL, NULL, "cannot be read" },
	{ "Dictionary(shape=(1 << 62, 3))", NULL, NULL, "" },
	{ "Dictionary(typestr='nonsense')", NULL, NULL, "numpy: " },
	{ "Dictionary(mask=numbers)", NULL, NULL, "mask" },
	{ "Raises()", NULL, NULL, "RuntimeError: busy" },
	{ "RaisesTwice()", NULL, NULL, "numpy and numpy-struct: " },
	{ "Both(data=(4096, False))", NULL, NULL, "dlpack: " },
	{ "Both(data=(4096, False))", NULL, NULL, "; numpy: some memory in " },
	{ "object()", NULL, NULL, "no interface that convert can read" },
};

/* Opens what can be read, refuses the rest with the reason, and keeps nothing once closed. */
static void test_open(void)
{
	const struct job job = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(source_rows); i++) {
		const struct source_row *row = &source_rows[i];
		struct arena arena = { 0 };
		struct fact_target target = { .present = true };
		struct capture_context context = {
			.arena = &arena, .job = &job, .target = &target, .names = test_names
		};
		PyObject *object = python_object(row->expression);
		int64_t references = object_references(object);
		struct source source;
		struct err err = { 0 };
		int rc = convert_open_source(&context, object, row->protocol, &source, &err);

		CHECK(rc == (row->from ? 0 : -1), "%s: %s", row->expression, err.message);
		CHECK(rc || fact_text_is(row->from, source.protocol->name), "%s: %s",
			row->expression, source.protocol->name);
		CHECK(!rc || strstr(err.message, row->part ? row->part : "?"), "%s: %s",
			row->expression, err.message);
		CHECK(!rc || err.code == EXIT_TARGET, "%s: exit %d", row->expression, err.code);
		CHECK(rc || source.elements.location.host_reaches, "%s", row->expression);
		CHECK(!PyErr_Occurred(), "%s: an exception is pending", row->expression);
		source_close(&source);
		CHECK(object_references(object) == references,
			"%s: %lld references before, %lld after", row->expression,
			(long long)references, (long long)object_references(object));
		Py_DecRef(object);
		arena_free(&arena);
	}
}

/* What is read is the object's array, to the address. */
static void test_elements(void)
{
	struct arena arena = { 0 };
	const struct job job = { 0 };
	struct capture_context context = { .arena = &arena, .job = &job, .names = test_names };
	PyObject *object = python_object("Dictionary(strides=(12, -4), data=(address + 8, True))");
	struct source source;
	struct err err = { 0 };
	const struct array *array = &source.elements.array;
	const int32_t *first;

	CHECK(!convert_open_source(&context, object, NULL, &source, &err), "%s", err.message);
	first = (const int32_t *)(uintptr_t)array->pointer;
	CHECK(array->n_dims == 2 && array->shape[0] == 2 && array->shape[1] == 3, "the shape");
	CHECK(array->stride_bytes[0] == 12 && array->stride_bytes[1] == -4, "the strides");
	CHECK(array->dtype.kind == DTYPE_INT && array->dtype.bits == 32, "the type");
	CHECK(array->readonly == READONLY_YES, "read-only");
	CHECK(first[0] == 2 && first[-1] == 1 && first[3] == 5, "the elements");
	CHECK(source.memory.readable == ANSWER_YES, "the memory");
	source_close(&source);
	Py_DecRef(object);
	arena_free(&arena);
}

/* A capture that keeps the memory keeps the object's buffer, which cannot be resized meanwhile. */
static void test_hold(void)
{
	struct arena arena = { 0 };
	const struct job job = { 0 };
	struct capture_context context = { .arena = &arena, .job = &job, .names = test_names };
	PyObject *object = python_object("bytearray(b'abc')");
	struct source source;
	struct err err = { 0 };

	CHECK(!convert_open_source(&context, object, NULL, &source, &err), "%s", err.message);
	PyDict_SetItemString(test_names, "held", object);
	CHECK(!expression_evaluate(test_names, "held.append(1)", "<test>") &&
			PyErr_ExceptionMatches(PyExc_BufferError),
		"resized while it is read");
	PyErr_Clear();
	source_close(&source);
	CHECK(python_is_true(object, "it.append(1) or len(it) == 4"), "free again");
	Py_DecRef(object);
	arena_free(&arena);
}

int main(void)
{
	python_start(definitions);
	test_open();
	test_elements();
	test_hold();
	return test_end();
}
