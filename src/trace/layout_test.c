// SPDX-License-Identifier: MIT
/* Layouts of objects of an interpreter whose lists, tuples and other objects are fakes, which have
 * the fields of CPython or others. */
#include "trace/layout.h"

#include "base/test.h"
#include "trace/numpy_api.h"
#include "trace/python.h"
#include "trace/tensor_facts.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_WORDS = 16 };
static const size_t word = sizeof(void *);

/* In words from the start of an object. */
static struct fake_layout {
	int head, tuple_items, tuple_end, list_items, dictionary_size, field;
} layout;

static const struct fake_layout of_313 = { 2, 3, 3, 3, 2, 2 };

struct trace_python trace_python;
static uintptr_t types[8];

enum fake_type { OBJECT, TYPE, TUPLE, LIST, DICTIONARY, PROXY, REFERENCE, FUNCTION };

static void *new_object(enum fake_type type)
{
	uintptr_t *object = calloc(MAX_WORDS, word);

	if (!object)
		abort();
	object[layout.head - 1] = (uintptr_t)&types[type];
	return object;
}

static void *new_with_field(enum fake_type type, const void *value)
{
	uintptr_t *object = new_object(type);

	object[layout.field] = (uintptr_t)value;
	return object;
}

static void *fake_build_value(const char *format, ...)
{
	const size_t n_items = strspn(format + 1, "O");
	uintptr_t *object = new_object(*format == '(' ? TUPLE : *format == '[' ? LIST : DICTIONARY);
	static uintptr_t items[3];
	va_list arguments;

	if (*format == '{') {
		object[layout.dictionary_size] = strlen(format) / 2 - 1;
		return object;
	}
	va_start(arguments, format);
	object[layout.head] = n_items;
	for (size_t i = 0; i < n_items; i++)
		(*format == '(' ? object + layout.tuple_items : items)[i] =
			(uintptr_t)va_arg(arguments, void *);
	va_end(arguments);
	if (*format == '[')
		object[layout.list_items] = (uintptr_t)items;
	return object;
}

static void *fake_call_one(void *type, void *argument)
{
	return type == &types[PROXY] ? new_with_field(PROXY, argument) : NULL;
}

static void *fake_new_weak_reference(void *object, void *callback)
{
	(void)callback;
	return new_with_field(REFERENCE, object);
}

static void *fake_function_new(void *definition, void *self, void *module)
{
	(void)self;
	(void)module;
	return new_with_field(FUNCTION, definition);
}

static void *fake_type_of(void *object)
{
	return (void *)((uintptr_t *)object)[layout.head - 1];
}

static void fake_dec_ref(void *object)
{
	if ((uintptr_t)object - (uintptr_t)types >= sizeof(types))
		free(object);
}

static void *fake_err_occurred(void)
{
	return NULL;
}

ptrdiff_t trace_integer_attribute(void *object, const char *name)
{
	(void)name;
	return (ptrdiff_t)word * (object == &types[TUPLE] ? layout.tuple_end : layout.head);
}

enum trace_access trace_struct_access(void *pointer, size_t n_bytes, bool is_to_be_written)
{
	(void)n_bytes;
	(void)is_to_be_written;
	return (uintptr_t)pointer >= 4096 ? TRACE_CAN_READ : TRACE_NO_ACCESS;
}

/* Finds a layout in a process of its own, as that is done once. */
static void check_found(const char *what, const struct fake_layout *fake, size_t head_bytes,
	size_t tuple_items_offset, bool has_dictionary_size)
{
	bool is_as_expected;
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();

	if (!child) {
		layout = *fake;
		trace_layout_find();
		is_as_expected = trace_head_bytes == head_bytes &&
				 trace_tuple_items_offset == tuple_items_offset &&
				 trace_has_dictionary_size == has_dictionary_size;
		if (!is_as_expected)
			printf("head %zu, items %zu, size of dictionary %d\n", trace_head_bytes,
				trace_tuple_items_offset, trace_has_dictionary_size);
		fflush(stdout);
		_exit(!is_as_expected);
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child && !status, "%s", what);
}

int main(void)
{
	struct fake_layout fake = of_313;

	trace_python = (struct trace_python){ .build_value = fake_build_value,
		.call_one = fake_call_one,
		.new_weak_reference = fake_new_weak_reference,
		.function_new = fake_function_new,
		.type_of = fake_type_of,
		.dec_ref = fake_dec_ref,
		.err_occurred = fake_err_occurred,
		.none = &types[FUNCTION],
		.object_type = &types[OBJECT],
		.type_type = &types[TYPE],
		.tuple_type = &types[TUPLE],
		.list_type = &types[LIST],
		.dict_type = &types[DICTIONARY],
		.proxy_type = &types[PROXY] };
	check_found("CPython 3.11 to 3.13", &fake, 2 * word, 3 * word, true);
	fake.tuple_items = fake.tuple_end = 4;
	check_found("CPython 3.14, whose tuples have a hash", &fake, 2 * word, 4 * word, true);
	fake.tuple_items = 5;
	check_found("items that are not at the end of a tuple", &fake, 2 * word, 0, true);
	fake = of_313;
	fake.list_items = 4;
	check_found("items of lists that are elsewhere", &fake, 2 * word, 0, true);
	fake = of_313;
	fake.dictionary_size = 3;
	check_found("dictionaries with another first field", &fake, 2 * word, 3 * word, false);
	fake = of_313;
	fake.field = 3;
	check_found(
		"proxies, references and functions with another first field", &fake, 0, 0, false);
	fake = (struct fake_layout){ 4, 5, 5, 5, 4, 4 };
	check_found("an interpreter without a GIL", &fake, 4 * word, 0, true);
	return test_end();
}
