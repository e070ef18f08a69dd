// SPDX-License-Identifier: MIT
#include "worker/python/embedded_test.h"
#include "worker/python/expression.h"
#include "worker/python/object.h"

#include <string.h>

static const char definitions[] = "import enum\n"
				  "class Index:\n"
				  "    def __index__(self): return 7\n"
				  "class Broken:\n"
				  "    def __index__(self): raise ValueError('no')\n"
				  "class Shrinks:\n"
				  "    def __init__(self, of): self.of = of\n"
				  "    def __index__(self): self.of.clear(); return 1\n"
				  "class Number(int): pass\n"
				  "class Colour(enum.IntEnum): RED = 1\n"
				  "class Items(list): pass\n"
				  "class Meta(type):\n"
				  "    def __getattribute__(cls, name): raise SystemExit(name)\n"
				  "class Hostile(metaclass=Meta):\n"
				  "    __array_interface__ = None\n"
				  "class Base:\n"
				  "    __dlpack__ = None\n"
				  "    raises = property(lambda self: 1 / 0)\n"
				  "class Derived(Base): pass\n"
				  "class OwnError(KeyError): pass\n"
				  "def fails(error): raise error\n"
				  "cycle = [1]; cycle.append(cycle)\n"
				  "shrinking = []; shrinking.extend([Shrinks(shrinking), 2, 3])\n"
				  "deep = []\n"
				  "for i in range(80): deep = [deep]\n"
				  "named_zero = type('a', (), {'__qualname__': 'a\\0b'})()\n"
				  "long_name = type('n' * 2000, (), {})()\n";

/* Objects that keep their value and type on the way to a value and back. */
static void test_round_trip(void)
{
	static const char *const expressions[] = { "None", "True", "False", "0", "-2**63",
		"2**63 - 1", "2**63", "-10**30", "1.5", "float('-inf')", "''", "'\\u20ac\\0'",
		"'\\udc80'", "b''", "b'a\\0b'", "()", "[]", "{}",
		"(1, [2, (3,)], {'a': (None, b'x')})" };

	for (size_t i = 0; i < ARRAY_SIZE(expressions); i++) {
		struct arena arena = { 0 };
		PyObject *object = python_object(expressions[i]);
		PyObject *again = object_from_value(object_to_value(&arena, object));

		PyDict_SetItemString(test_names, "before", object);
		CHECK(again && python_is_true(again, "it == before and type(it) is type(before)"),
			"%s", expressions[i]);
		Py_DecRef(again);
		Py_DecRef(object);
		arena_free(&arena);
	}
}

struct kind_row {
	const char *expression;
	enum value_kind kind;
	const char *type_name; /* NULL: the kind's own */
	const char *part;      /* of an opaque's text */
};

static const struct kind_row kind_rows[] = {
	{ "Number(5)", VALUE_INT, "test.Number", NULL },
	{ "Items([1])", VALUE_LIST, "test.Items", NULL },
	{ "Colour.RED", VALUE_INT, "test.Colour", NULL },
	{ "bytearray(b'ab')", VALUE_BYTES, "bytearray", NULL },
	{ "Index()", VALUE_INT, "test.Index", NULL },
	{ "Broken()", VALUE_OPAQUE, "test.Broken", "<test.Broken>" },
	{ "object()", VALUE_OPAQUE, "object", "<object>" },
	{ "1j", VALUE_OPAQUE, "complex", "<complex>" },
	{ "cycle[1]", VALUE_LIST, NULL, NULL },
	{ "deep", VALUE_LIST, NULL, NULL },
	{ "'x' * (1 << 20)", VALUE_TEXT, NULL, NULL },
	{ "'x' * ((1 << 20) + 1)", VALUE_OPAQUE, "str", "more than 1 MiB of text" },
	{ "bytes((1 << 20) + 1)", VALUE_OPAQUE, "bytes", "more than 1 MiB of text" },
	{ "[0] * 100001", VALUE_OPAQUE, "list", "more than 100000 items" },
	{ "dict.fromkeys(map(str, range(4097)))", VALUE_OPAQUE, "dict", "more than 4096 keys" },
	{ "10**10000", VALUE_OPAQUE, "int", "an integer of thousands of digits" },
};

static void test_kinds(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(kind_rows); i++) {
		const struct kind_row *row = &kind_rows[i];
		struct arena arena = { 0 };
		PyObject *object = python_object(row->expression);
		struct value *value = object_to_value(&arena, object);

		CHECK(!PyErr_Occurred(), "%s", row->expression);
		CHECK(value->kind == row->kind, "%s: kind %d", row->expression, value->kind);
		CHECK(row->type_name ? value->type_name && !strcmp(value->type_name, row->type_name)
				     : !value->type_name,
			"%s: type %s", row->expression, value->type_name);
		CHECK(!row->part || strstr(value->bytes, row->part), "%s: %s", row->expression,
			value->bytes);
		Py_DecRef(object);
		arena_free(&arena);
	}
}

static const char keys_of_other_types[] =
	"{None: 0, True: 0, -3: 0, 2**70: 0, 10**64: 0, 1.5: 0, b'x\\0': 0, b\"it's\": 0, b'\\'\"': 0, "
	"b'x' * 65: 0, Number(7): 0, (1,): 0, Index(): 0, 10**5000: 0, '\u20ac\\0': 0, "
	"'<int -3>': 0, '<x>': 0}";
static const char *const texts_of_other_types[] = { "<NoneType None>", "<bool True>", "<int -3>",
	"<int 1180591620717411303424>", "<int key 4>", "<float 1.5>", "<bytes b'x\\x00'>",
	"<bytes b\"it's\">", "<bytes key 8>", "<bytes key 9>", "<test.Number 7>", "<tuple key 11>",
	"<test.Index key 12>", "<int key 13>", "<str '\u20ac\\x00'>", "<str '<int -3>'>", "<x>" };

/* The conversion stays bounded and safe. */
static void test_hostile(void)
{
	struct arena arena = { 0 };
	PyObject *cycle = python_object("cycle"), *shrinking = python_object("shrinking");
	PyObject *deep = python_object("deep"), *keys = python_object("{1: 2, 'a\\0': 3, 'b': 4}"),
		 *others = python_object(keys_of_other_types);
	const struct value *value = object_to_value(&arena, cycle);
	int depth = 0;

	CHECK(strstr(value_item(value, 1)->bytes, "a cycle"), "%s", value_item(value, 1)->bytes);
	CHECK(object_to_value(&arena, shrinking)->n_items == 1, "a list that its item clears");
	for (value = object_to_value(&arena, deep); value_is(value, VALUE_LIST); depth++)
		value = value_item(value, 0);
	CHECK(depth > 40 && depth < VALUE_MAX_DEPTH && strstr(value->bytes, "nested too deeply"),
		"depth %d", depth);
	value = object_to_value(&arena, keys);
	CHECK(value_get(value, "<int 1>") && value_get(value, "<str 'a\\x00'>") &&
			value_get(value, "b"),
		"keys that are not text, or contain a zero");
	value = object_to_value(&arena, others);
	for (size_t i = 0; i < value->n_items; i++)
		CHECK(!strcmp(value->keys[i], texts_of_other_types[i]), "key %zu is %s, not %s", i,
			value->keys[i], texts_of_other_types[i]);
	CHECK(value->n_items == ARRAY_SIZE(texts_of_other_types), "%zu keys", value->n_items);
	Py_DecRef(others);
	CHECK(!PyErr_Occurred(), "an exception is pending");
	Py_DecRef(keys);
	Py_DecRef(deep);
	Py_DecRef(shrinking);
	Py_DecRef(cycle);
	arena_free(&arena);
}

/* Names and bases come from slots: a metaclass runs nothing. */
static void test_types(void)
{
	struct arena arena = { 0 };
	PyObject *liar = python_object("Hostile()"), *derived = python_object("Derived()");
	PyObject *zero = python_object("named_zero"), *name = python_object("long_name");
	PyObject *bytes = python_object("bytearray(2)");
	const struct fact_texts mro = object_mro(&arena, derived);

	CHECK(!strcmp(object_type_name(&arena, liar), "test.Hostile"), "%s",
		object_type_name(&arena, liar));
	CHECK(strlen(object_type_name(&arena, name)) == strlen("test.") + 1003,
		"a name of 2000 characters is truncated");
	CHECK(!strcmp(object_type_name(&arena, zero), "test.a\\x00b"), "%s",
		object_type_name(&arena, zero));
	CHECK(mro.n_items == 3 && !strcmp(mro.items[0], "test.Derived") &&
			!strcmp(mro.items[2], "object"),
		"%zu types", mro.n_items);
	CHECK(object_type_has(liar, "__array_interface__"), "an attribute of the type");
	CHECK(!object_type_has(liar, "__dlpack__"), "no attribute of the type");
	CHECK(fact_text_is(object_definer(&arena, derived, "__dlpack__"), "test.Base"),
		"an inherited one");
	CHECK(!object_definer(&arena, derived, "__array_struct__"), "none");
	CHECK(fact_text_is(object_definer(&arena, bytes, "buffer"), "bytearray"), "a slot");
	CHECK(!object_definer(&arena, derived, "buffer"), "no slot");
	CHECK(!PyErr_Occurred(), "an exception is pending");
	Py_DecRef(bytes);
	Py_DecRef(name);
	Py_DecRef(zero);
	Py_DecRef(derived);
	Py_DecRef(liar);
	arena_free(&arena);
}

static void test_attributes(void)
{
	struct arena arena = { 0 };
	PyObject *derived = python_object("Derived()"), *found;
	struct fact_error error;
	int64_t references = object_references(derived);

	CHECK(object_attribute(derived, "__dlpack__", &found) == 1 && found == Py_None, "found");
	Py_DecRef(found);
	CHECK(object_attribute(derived, "missing", &found) == 0 && !PyErr_Occurred(), "missing");
	CHECK(object_attribute(derived, "raises", &found) == -1, "raises");
	CHECK(!strcmp(object_builtin_exception(&arena), "ZeroDivisionError"), "its built-in type");
	error = object_take_error(&arena);
	CHECK(error.present && !strcmp(error.type, "ZeroDivisionError") &&
			!strcmp(error.message, "division by zero") && error.traceback,
		"%s: %s", error.type, error.message);
	CHECK(!PyErr_Occurred(), "the exception is taken");
	CHECK(!object_builtin_exception(&arena), "no exception, no type");
	CHECK(!expression_evaluate(test_names, "fails(OwnError('k'))", "<test>"), "raises");
	CHECK(!strcmp(object_builtin_exception(&arena), "KeyError"), "derived from");
	error = object_take_error(&arena);
	CHECK(!strcmp(error.type, "test.OwnError"), "%s", error.type);
	CHECK(object_references(derived) == references, "references %lld",
		(long long)object_references(derived));
	Py_DecRef(derived);
	arena_free(&arena);
}

int main(void)
{
	python_start(definitions);
	test_round_trip();
	test_kinds();
	test_hostile();
	test_types();
	test_attributes();
	return test_end();
}
