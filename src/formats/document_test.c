// SPDX-License-Identifier: MIT
/* Documents: facts are unchanged after a round trip through YAML, `types` are as expected, missing
 * keys of documents are allowed, and wrong ones are errors. */
#include "documents/document.h"

#include "base/array_size.h"
#include "base/random_test.h"
#include "base/test.h"
#include "base/text.h"
#include "facts/facts.h"
#include "formats/format.h"
#include "formats/yaml/yaml_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_RANDOM_TARGETS = 2000, MAX_RANDOM_DEPTH = 5 };

static struct arena arena;

static size_t below(size_t limit)
{
	return (size_t)pick((int64_t)limit);
}

static struct value *random_value(int depth);

static struct value *random_real(void)
{
	const double reals[] = { 0.0, -0.0, 0.1, 1.0, 1e22, -2.5e-9, 5e-324, 1.7976931348623157e308,
		INFINITY, -INFINITY, (double)NAN, -(double)NAN, 1.0 / 3 };

	return value_real(&arena, reals[below(ARRAY_SIZE(reals))]);
}

/* Text that must be quoted or escaped. */
static const char *const words[] = { "", "shape", "yes", "null", "~", "0x10", "1", "1.5", "1e3",
	"-", "- a", "a: b", "a #b", "#", "|f4", ">i2", "<f4", "<<", "=", "*a", "&a", "!a", "'",
	"\"", "[", "{", "a,b", "a\nb", "\na", "a\n", " a", "a ", "a\tb", "a\\b", "\\x41",
	"\xed\xb2\x80", "x\xed\xa0\x80\\y", "\xff", "€", "\xf0\x9f\x90\x8d", "\xc2\x85",
	"\xe2\x80\xa8", "\xef\xbb\xbf", "\x1b[1m", "\x7f", "a\rb", "2001-01-01", ".inf", "nan", "?",
	"a'b", "['a']", "a.b", "a[0]", "%", "@", "`", "---", "..." };

static const char *random_word(void)
{
	return words[below(ARRAY_SIZE(words))];
}

static struct value *random_collection(int depth, size_t kind)
{
	struct value *collection = kind == 0   ? value_list(&arena)
				   : kind == 1 ? value_tuple(&arena)
					       : value_map(&arena);

	for (size_t i = below(5); i; i--) {
		if (kind < 2)
			value_append(&arena, collection, random_value(depth + 1));
		else
			value_set(&arena, collection, random_word(), random_value(depth + 1));
	}
	return collection;
}

static struct value *random_scalar(void)
{
	static const char *const wide[] = { "9223372036854775808", "-9223372036854775809",
		"340282366920938463463374607431768211456" };
	const char *word = random_word();

	switch (below(8)) {
	case 0:
		return value_null(&arena);
	case 1:
		return value_bool(&arena, below(2));
	case 2:
		return value_int(&arena, below(2) ? INT64_MIN : (int64_t)below(100));
	case 3:
		return value_wide_int(&arena, wide[below(3)]);
	case 4:
		return random_real();
	case 5:
		return below(2) ? value_bytes(&arena, "a\0\\b\xff", 5)
				: value_bytes(&arena, word, strlen(word));
	case 6:
		return value_opaque(&arena, word, below(2) ? "dpctl.SyclQueue" : NULL);
	default:
		return below(8) ? value_text(&arena, word) : value_text_n(&arena, "a\0b", 3);
	}
}

/* Any value, some of a type that looks like another entry of `types`. */
static struct value *random_value(int depth)
{
	static const char *const types[] = { "numpy.bool_", "list", "int", "a(int)", "str",
		"object", "x(y)", "", "dict(list)", "collections.OrderedDict" };
	struct value *value = depth < MAX_RANDOM_DEPTH && below(2)
				      ? random_collection(depth, below(3))
				      : random_scalar();

	if (!below(4))
		value->type_name = types[below(ARRAY_SIZE(types))];
	return value;
}

static struct value *set(struct value *map, const char *key, struct value *item)
{
	value_set(&arena, map, key, item);
	return map;
}

static struct value *text(const char *bytes)
{
	return value_text(&arena, bytes);
}

static struct value *null(void)
{
	return value_null(&arena);
}

static struct value *new_interface(const char *protocol, struct value *declared)
{
	struct value *interface = value_map(&arena);

	set(interface, "protocol", text(protocol));
	set(interface, "status", text("ok"));
	set(interface, "error", null());
	set(interface, "defined_by", text("numpy.ndarray"));
	set(interface, "again", null());
	set(interface, "declared", declared);
	set(interface, "details", null());
	set(interface, "memory", null());
	return set(interface, "memory_reason", null());
}

static struct value *new_target(struct value *interfaces)
{
	struct value *target = value_map(&arena);
	struct value *mro = value_list(&arena);

	value_append(&arena, mro, text("numpy.ndarray"));
	value_append(&arena, mro, text("object"));

	set(target, "target", text("arrays.py:a"));
	set(target, "aliases", value_list(&arena));
	set(target, "status", text("ok"));
	set(target, "step", null());
	set(target, "error", null());
	set(target, "type", text("numpy.ndarray"));
	set(target, "mro", mro);
	set(target, "own", null());
	set(target, "interfaces", interfaces);
	set(target, "calls", value_list(&arena));
	set(target, "trials", value_list(&arena));
	set(target, "data", null());
	return set(target, "copy", null());
}

/* The document of a target as the yaml format writes it, read back. */
static struct value *through_yaml(const struct fact_target *target, struct err *err)
{
	const struct format *yaml = format_find("yaml");
	const struct fact_summary summary = { .present = true };
	const struct fact_head head = { .present = true };
	struct value *back;
	char *bytes = NULL;
	size_t n_bytes = 0;
	FILE *stream = open_memstream(&bytes, &n_bytes);
	struct format_output output = { .stream = stream, .command = "inspect" };
	int status = yaml->begin(&output, &head, err) || yaml->target(&output, target, err);

	status |= yaml->end(&output, &summary, err);
	fclose(stream);
	back = status ? NULL : yaml_read(&arena, bytes, n_bytes, err);
	free(bytes);
	return back ? (struct value *)value_item(value_get(back, "targets"), 0) : NULL;
}

static struct value *write_wire(const struct fact_target *target)
{
	return fact_write(&fact_target_record, &arena, target, FACT_WIRE, NULL);
}

/* The document of facts, which may lack keys. */
static struct value *check_round_trip(const struct value *facts)
{
	struct err err = { .message = "" };
	struct fact_target target, back = { 0 };
	struct value *document, *read;

	CHECK(!fact_read(&fact_target_record, &arena, facts, FACT_WIRE, NULL, &target, &err), "%s",
		err.message);
	document_derive(&arena, &target);
	document = document_write(&arena, &target);
	read = through_yaml(&target, &err);
	CHECK(read && value_equal(read, document), "YAML changes the document: %s", err.message);
	CHECK(read && !document_read(&arena, read, &back, &err), "%s", err.message);
	document_derive(&arena, &back);
	CHECK(value_equal(document_write(&arena, &back), document),
		"the document of the facts read back is another");
	CHECK(value_equal(write_wire(&back), write_wire(&target)), "the facts change");
	return document;
}

static void test_random_facts(void)
{
	for (int i = 0; i < N_RANDOM_TARGETS; i++) {
		struct value *interfaces = value_list(&arena);

		value_append(&arena, interfaces, new_interface("cuda", random_value(0)));
		check_round_trip(new_target(interfaces));
		arena_free(&arena);
	}
}

/* A NumPy array with memory, details and a consumer's result. */
static struct value *numpy_interface(void)
{
	struct value *declared = value_map(&arena), *data = value_tuple(&arena);
	struct value *shape = value_tuple(&arena), *details = value_map(&arena), *interface;
	struct memory memory;

	value_append(&arena, shape, value_int(&arena, 3));
	value_append(&arena, shape, value_int(&arena, 4));
	value_append(&arena, data, value_int(&arena, 0x10000));
	value_append(&arena, data, value_bool(&arena, true));
	set(declared, "shape", shape);
	set(declared, "typestr", text("<f4"));
	set(declared, "data", data);
	set(declared, "version", value_int(&arena, 3));
	interface = new_interface("numpy", declared);
	memory = (struct memory){ .present = true, .asked_low = 0x10000, .asked_high = 0x10030 };
	memory.kind = MEMORY_HOST;
	memory.by = "maps";
	set(interface, "memory", fact_write(&fact_memory_record, &arena, &memory, FACT_WIRE, NULL));
	set(details, "buffer", null());
	set(details, "buffer_error", null());
	set(details, "data", null());
	set(details, "by_index", null());
	return set(interface, "details", details);
}

static void test_whole_target(void)
{
	struct value *interfaces = value_list(&arena), *result = value_map(&arena);
	struct value *copy = value_map(&arena), *target, *document;
	static const char *const empty[] = { "engine", "kernel", "bytes", "seconds", "read_seconds",
		"allocate_seconds", "copy_seconds", "describe_seconds", "gb_per_s",
		"steady_seconds", "steady_gb_per_s", "share_of_memcpy", "reason", "launches",
		"fallback", "verified", "difference" };

	value_append(&arena, interfaces, numpy_interface());
	target = new_target(interfaces);
	set(result, "type", text("x"));
	set(result, "own", null());
	set(result, "interfaces", interfaces);
	set(copy, "from", text("numpy"));
	set(copy, "path", text("zero-copy"));
	for (size_t i = 0; i < ARRAY_SIZE(empty); i++)
		set(copy, empty[i], null());
	set(target, "copy", set(copy, "result", result));
	document = check_round_trip(target);
	CHECK(value_is_text(value_at(document, "interfaces[0].array.pointer"), "0x10000"),
		"the pointer is not decoded");
	CHECK(value_is_text(value_at(document, "interfaces[0].array.memory.kind"), "host"), "kind");
	CHECK(value_is_text(value_at(document, "copy.result.interfaces[0].array.dtype"), "float32"),
		"the result is not decoded");
	CHECK(value_bool_or(value_at(document, "copy.same_memory"), false), "not the same memory");
}

static struct array sample_array(void)
{
	struct array array = { .n_dims = 2, .shape = { 3, 4 }, .pointer = 0x1000 };
	struct err err;

	CHECK(!dtype_from_typestr(&array.dtype, "|f4", &err), "|f4");
	array_set_compact_strides(&array, 'C');
	array.readonly = READONLY_NO;
	array.device = (struct device){ "oneapi", 0 };
	return array;
}

static void test_array(void)
{
	struct array array = sample_array();
	struct fact_array known;
	struct memory memory;

	memory = (struct memory){ .present = true, .asked_low = 0x1000, .asked_high = 0x2000 };
	snprintf(memory.device_name, sizeof(memory.device_name), "Intel(R) CPU");
	document_set_array(&arena, &array, &memory, &known);
	CHECK(fact_text_is(known.dtype, "float32"), "dtype");
	CHECK(fact_text_is(known.typestr, "<f4"), "typestr");
	CHECK(known.strides_bytes.items[0] == 16, "strides_bytes");
	CHECK(known.strides_elements.items[0] == 4, "strides_elements");
	CHECK(known.nbytes.value == 48, "nbytes");
	CHECK(known.extent.low.value == 0x1000 && known.extent.high.value == 0x1030, "extent");
	CHECK(known.readonly == ANSWER_NO, "readonly");
	CHECK(known.c_contiguous == ANSWER_YES, "c_contiguous");
	CHECK(fact_text_is(known.device.name, "Intel(R) CPU"), "device.name");
}

static void test_array_of_unknowns(void)
{
	struct array array = sample_array();
	struct fact_array unknown;
	struct err err;

	CHECK(!dtype_from_dlpack(&array.dtype, 4, 16, 1, &err), "bfloat16");
	array.shape[0] = array.shape[1] = INT64_C(1) << 40;
	array.stride_bytes[1] = 3;
	array.pointer = 0;
	array.readonly = READONLY_UNKNOWN;
	array.device = (struct device){ NULL, -1 };
	document_set_array(&arena, &array, NULL, &unknown);
	CHECK(fact_text_is(unknown.dtype, "bfloat16"), "dtype");
	CHECK(!unknown.typestr && !unknown.strides_elements.known && !unknown.elements.known &&
			!unknown.nbytes.known,
		"the layout");
	CHECK(!unknown.pointer.known && !unknown.extent.low.known && !unknown.extent.high.known,
		"addresses");
	CHECK(!unknown.readonly && !unknown.device.type && !unknown.device.id.known &&
			!unknown.device.name,
		"the device");
}

/* Python's value, its plain form's type entry. */
static void test_types(void)
{
	struct value *declared = value_map(&arena), *list = value_list(&arena), *interfaces;
	struct value *flag = value_bool(&arena, true), *wide;
	const struct value *types;

	flag->type_name = "numpy.bool_";
	wide = value_wide_int(&arena, "18446744073709551615");
	value_append(&arena, list, value_int(&arena, 1));
	value_append(&arena, list, flag);
	set(declared, "data", list);
	set(declared, "x", wide);
	set(declared, "stream", value_real(&arena, (double)NAN));
	set(declared, "raw", value_bytes(&arena, "\xff", 1));
	set(declared, "a.b", value_opaque(&arena, "<SyclQueue>", "dpctl.SyclQueue"));
	set(declared, "plain", text("1"));
	interfaces = value_list(&arena);
	value_append(&arena, interfaces, new_interface("cuda", declared));
	types = value_at(check_round_trip(new_target(interfaces)), "interfaces[0].types");
	CHECK(value_is_text(value_get(types, "data"), "list"), "a list");
	CHECK(value_is_text(value_get(types, "data[1]"), "numpy.bool_"), "a subclass");
	CHECK(value_is_text(value_get(types, "x"), "int"), "a wide int");
	CHECK(value_is_text(value_get(types, "stream"), "float"), "NaN");
	CHECK(value_is_text(value_get(types, "raw"), "bytes"), "bytes");
	CHECK(value_is_text(value_get(types, "['a.b']"), "dpctl.SyclQueue"), "an opaque");
	CHECK(types && types->n_items == 6, "no other entries");
}

/* Reads a target of a document. */
static int read_target(const char *yaml, struct fact_target *target, struct err *err)
{
	struct value *document = yaml_read(&arena, yaml, strlen(yaml), err);

	return document ? document_read(&arena, document, target, err) : -1;
}

static void test_lenient(void)
{
	struct err err = { .message = "" };
	struct fact_target target = { 0 };
	int status = read_target("interfaces:\n"
				 "- protocol: cuda\n"
				 "  declared: {shape: [3, 4], data: [99999999999999999999, no]}\n"
				 "  types: {shape: list}\n"
				 "  array: {memory: {kind: device}}\n",
		&target, &err);
	const struct fact_interface *interface = target.interfaces.items;

	CHECK(!status && interface, "%s", err.message);
	if (!interface)
		return;
	CHECK(target.status == STATUS_OK, "a target is ok");
	CHECK(interface->status == INTERFACE_OK, "an interface is ok");
	CHECK(value_is(value_get(interface->declared, "shape"), VALUE_LIST), "shape is a list");
	CHECK(value_is(value_get(interface->declared, "data"), VALUE_TUPLE), "data is a tuple");
	CHECK(value_is(value_at(interface->declared, "data[0]"), VALUE_WIDE_INT), "a wide int");
	CHECK(interface->memory.kind == MEMORY_DEVICE, "memory is read");
	CHECK(value_at(document_write(&arena, &target), "interfaces[0].memory.asked.low"),
		"every key of memory is written");
	CHECK(!target.own.present, "own is null");
}

static void test_strict(void)
{
	static const char *const rows[][2] = {
		{ "[]", "expected a map, got a list" },
		{ "target: 3", "'target': expected a string, got 3" },
		{ "interface: []", "'interface': unknown key" },
		{ "status: broken",
			"'status': expected one of ok, missing, raised, unavailable, crashed, "
			"hung, left, got 'broken'" },
		{ "error: {kind: x}", "'error.kind': unknown key" },
		{ "calls: [{step: 1}]", "'calls[0].step': expected a string, got 1" },
		{ "interfaces: [3]", "'interfaces[0]': expected a map, got 3" },
		{ "interfaces: [{}]", "'interfaces[0]': missing key 'protocol'" },
		{ "interfaces: [{protocol: cuda, memory: {knd: x}}]",
			"'interfaces[0].memory.knd': unknown key" },
		{ "interfaces: [{protocol: cuda, details: {x: 1}}]",
			"'interfaces[0].details.x': unknown key" },
		{ "interfaces: [{protocol: sycl, details: {syclobj: {form: 1}}}]",
			"'interfaces[0].details.syclobj.form': expected a string, got 1" },
		{ "interfaces: [{protocol: npy, details: {data_offset: 18446744073709551616}}]",
			"'interfaces[0].details.data_offset': expected an integer from -2^63 to 2^63-1, got '18446744073709551616'" },
		{ "own: {strides: [8, 18446744073709551616]}",
			"'own.strides[1]': expected an integer from -2^63 to 2^63-1, got '18446744073709551616'" },
		{ "own: {strides: [8, x]}", "'own.strides[1]': expected an integer, got 'x'" },
		{ "own: {strides: 8}", "'own.strides': expected a list of integers, got 8" },
		{ "own: {pending: [x, 3]}", "'own.pending[1]': expected a string, got 3" },
		{ "interfaces: [{protocol: cuda, array: {memory: {knd: x}}}]",
			"'interfaces[0].array.memory.knd': unknown key" },
		{ "interfaces: [{protocol: cuda, declared: {a: 1}, types: {b: int}}]",
			"'interfaces[0]': types: 'b' does not exist in declared" },
		{ "interfaces: [{protocol: cuda, declared: {a: 1}, types: {a: list}}]",
			"types: 'a': the value cannot be of type 'list'" },
		{ "interfaces: [{protocol: cuda, declared: {a: x1}, types: {a: int}}]",
			"types: 'a': the value cannot be of type 'int'" },
		{ "interfaces: [{protocol: cuda, declared: {a: 1}, types: {a: 1}}]",
			"types: the type of 'a' is not a string" },
		{ "copy: {result: {interfaces: [{protocol: 1}]}}",
			"'copy.result.interfaces[0].protocol': expected a string, got 1" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err err = { .message = "" };
		struct fact_target target;

		CHECK(read_target(rows[i][0], &target, &err) && err.code == EXIT_USAGE &&
				strstr(err.message, rows[i][1]),
			"%s: '%s', not '%s'", rows[i][0], err.message, rows[i][1]);
	}
}

int main(void)
{
	random_state = 88172645463325252u;
	test_random_facts();
	test_whole_target();
	test_array();
	test_array_of_unknowns();
	test_types();
	test_lenient();
	test_strict();
	arena_free(&arena);
	return test_end();
}
