// SPDX-License-Identifier: MIT
/*
 * Changes to a healthy interface of each protocol: describe fails exactly when a structural rule
 * reports an error, and what is described without an error is consistent. The first byte chooses
 * the protocol; each following group chooses a key and a value: of any kind in a dictionary, and of
 * the kind that the field of a struct has otherwise.
 */
#include "base/array_size.h"
#include "documents/document.h"
#include "formats/yaml/yaml_read.h"
#include "formats/yaml/yaml_write.h"
#include "model/dtype.h"
#include "rules/engine/run.h"
#include "rules/shared/shared.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CHANGES = 6, MAX_DEPTH = 3 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes);

#define HEALTHY(PROTOCOL, DECLARED) \
	"{target: a, type: m.Array, interfaces: [{protocol: " PROTOCOL ", declared: {" DECLARED "}"
#define DICTIONARY "shape: [2, 3], typestr: '<f4', data: [4096, false], strides: null"

static const struct healthy {
	const struct protocol *protocol;
	const char *document;
	const char *paths[16]; /* of a struct: the kind of C value, and the path */
} healthy[] = {
	{ &cuda_protocol, HEALTHY(PROTOCOL_CUDA, DICTIONARY ", version: 3") "}]}",
		{ "shape", "typestr", "data", "strides", "version", "descr", "mask", "stream" } },
	{ &numpy_protocol, HEALTHY(PROTOCOL_NUMPY, DICTIONARY ", version: 3") "}]}",
		{ "shape", "typestr", "data", "strides", "version", "descr", "mask", "offset" } },
	{ &sycl_protocol,
		HEALTHY(PROTOCOL_SYCL, DICTIONARY
			", version: 1, syclobj: <SyclQueue>") ",\n"
							      "  types: {syclobj: dpctl._sycl_queue.SyclQueue},"
							      "  details: {syclobj: {form: queue, type: dpctl._sycl_queue.SyclQueue,"
							      " has_get_capsule: true}}}]}",
		{ "shape", "typestr", "data", "strides", "version", "descr", "syclobj",
			"offset" } },
	{ &dlpack_protocol,
		HEALTHY(PROTOCOL_DLPACK,
			"device: [1, 0], capsule: {name: dltensor_versioned, destructor: '0x7f01'},"
			" version: [1, 3], flags: 0, manager_ctx: '0x5000', deleter: '0x7f00',"
			" dl_tensor: {data: '0x10000', device: {device_type: 1, device_id: 0},"
			" ndim: 2, dtype: {code: 2, bits: 32, lanes: 1}, shape: [2, 3],"
			" strides: [3, 1], byte_offset: 0}") "}]}",
		{ "t:dl_tensor.shape", "t:dl_tensor.strides", "p:dl_tensor.data",
			"i:dl_tensor.ndim", "u:dl_tensor.byte_offset", "c:dl_tensor.dtype.code",
			"c:dl_tensor.dtype.bits", "l:dl_tensor.dtype.lanes", "v:version", "u:flags",
			"i:dl_tensor.device.device_type", "s:capsule.name", "a:dl_tensor",
			"a:capsule" } },
	{ &numpy_struct_protocol,
		HEALTHY(PROTOCOL_NUMPY_STRUCT,
			"capsule: {name: null, destructor: '0x7f00', context: '0x7f08'}, two: 2,"
			" nd: 2, typekind: f, itemsize: 4, flags: 1793, shape: [2, 3],"
			" strides: [12, 4], data: '0x1000', descr: null") "}]}",
		{ "t:shape", "t:strides", "p:data", "i:nd", "s:typekind", "i:itemsize", "i:flags",
			"i:two", "a:descr", "a:capsule" } },
	{ &buffer_protocol,
		HEALTHY(PROTOCOL_BUFFER,
			"buf: '0x1000', len: 24, itemsize: 4, readonly: false, ndim: 2, format: f,"
			" shape: [2, 3], strides: [12, 4], suboffsets: null") "}]}",
		{ "t:shape", "t:strides", "p:buf", "i:ndim", "s:format", "n:itemsize", "n:len",
			"b:readonly" } },
};

enum { N_HEALTHY = ARRAY_SIZE(healthy) };

static const int64_t numbers[] = { 0, 1, 2, 3, 4, 8, 12, 16, 24, 32, 64, 65, 4096, -1, -4, -12,
	1793, INT32_MAX, INT64_C(1) << 32, INT64_C(1) << 61, INT64_C(1) << 62, INT64_MAX, INT64_MIN,
	INT64_MAX / 4, INT64_MIN / 4, 0x700, 0x301 };

enum { N_NUMBERS = ARRAY_SIZE(numbers) };

static const char *const texts[] = { "<f4", ">f8", "|b1", "|V8", "|O", "<M8[ns]", "<U3", "|t8",
	"<c8", "f", "d", "T{<f:x:i:y:}", "2f", "Zf", "?", "i", "u", "V", "O", "B", "dltensor",
	"dltensor_versioned", "0x1000", "0x0", "0xffffffffffffffff", "0xffffffffffff0000", "" };

static const char *const wide[] = { "9223372036854775808", "18446744073709551615",
	"99999999999999999999", "-9223372036854775809" };

struct choices {
	const uint8_t *bytes;
	size_t n_bytes;
};

static uint8_t choose(struct choices *choices)
{
	if (!choices->n_bytes)
		return 0;
	choices->n_bytes--;
	return *choices->bytes++;
}

static struct value *choose_number(struct arena *arena, struct choices *choices)
{
	uint8_t which = choose(choices);

	if (which < N_NUMBERS)
		return value_int(arena, numbers[which]);
	if (which >= 0xfc)
		return value_wide_int(arena, wide[which & 3]);
	return value_int(arena, (int8_t)which);
}

static struct value *choose_text(struct arena *arena, struct choices *choices)
{
	uint8_t which = choose(choices);
	char text[8];

	if (which < ARRAY_SIZE(texts))
		return value_text(arena, texts[which]);
	for (int i = 0; i < which % 8; i++)
		text[i] = (char)(' ' + choose(choices) % 95);
	return value_text_n(arena, text, which % 8);
}

static struct value *choose_value(struct arena *arena, struct choices *choices, int depth)
{
	uint8_t kind = choose(choices);
	struct value *value;

	switch (kind % 8) {
	case 0:
		return value_null(arena);
	case 1:
		return value_bool(arena, kind & 8);
	case 2:
	case 3:
		return choose_number(arena, choices);
	case 4:
		return choose_text(arena, choices);
	case 5:
		return kind & 8 ? value_real(arena, (double)choose(choices) / 4)
				: value_opaque(arena, "<object>", "m.Object");
	default:
		value = kind & 8 ? value_list(arena) : value_tuple(arena);
		for (int n = (kind >> 4) % 5; n > 0 && depth < MAX_DEPTH; n--)
			value_append(arena, value,
				kind % 8 == 6 ? choose_number(arena, choices)
					      : choose_value(arena, choices, depth + 1));
		return value;
	}
}

/* What the worker captures of a field of a C struct: 'n' an int64, 'i' an int, 'u' an uint64, 'c'
 * an uint8, 'l' an uint16, 'b' a flag, 's' text or NULL, 'p' an address, 't' numbers or NULL,
 * 'v' a pair of numbers; 'a' any value. */
static struct value *choose_field(struct arena *arena, struct choices *choices, char kind)
{
	struct value *value;
	uint8_t form = choose(choices);

	switch (kind) {
	case 'n':
		return value_int(arena, numbers[form % N_NUMBERS]);
	case 'i':
		return value_int(arena, (int32_t)numbers[form % N_NUMBERS]);
	case 'c':
		return value_int(arena, form);
	case 'l':
		return value_int(arena, (uint16_t)numbers[form % N_NUMBERS]);
	case 'u':
		return value_uint(arena, (uint64_t)numbers[form % N_NUMBERS]);
	case 'b':
		return value_bool(arena, form & 1);
	case 's':
		return form % 8 ? choose_text(arena, choices) : value_null(arena);
	case 'p':
		return value_address(arena, (uint64_t)numbers[form % N_NUMBERS]);
	case 'v':
		/* Newer minor versions may have element types that are unknown. */
		value = value_tuple(arena);
		value_append(arena, value, value_int(arena, numbers[choose(choices) % N_NUMBERS]));
		value_append(arena, value, value_int(arena, form % 4));
		return value;
	case 't':
		if (form % 8 == 7)
			return value_null(arena);
		value = value_tuple(arena);
		for (int n = form % 8; n > 0; n--)
			value_append(arena, value,
				value_int(arena, numbers[choose(choices) % N_NUMBERS]));
		return value;
	default:
		return form % 4 ? value_null(arena) : value_opaque(arena, "<object>", "m.Object");
	}
}

/* Sets a dotted path of maps; nothing where a part of it is no map. */
static void set_path(struct arena *arena, struct value *map, const char *path, struct value *to)
{
	const char *dot = strchr(path, '.');

	if (!value_is(map, VALUE_MAP))
		return;
	if (!dot)
		value_set(arena, map, path, to);
	else
		set_path(arena, value_find(map, arena_copy(arena, path, (size_t)(dot - path))),
			dot + 1, to);
}

/* The worker captures as many entries of shape, strides and suboffsets as a struct has dimensions.
 */
static void count_entries(struct arena *arena, struct value *map)
{
	static const char *const fields[] = { "shape", "strides", "suboffsets" };
	const struct value *n_dims = value_get(map, "ndim");
	int64_t n = value_int_or(n_dims ? n_dims : value_get(map, "nd"), -1);

	for (size_t i = 0; n >= 0 && n <= ARRAY_MAX_DIMS && i < 3; i++) {
		struct value *entries = value_find(map, fields[i]), *counted;

		if (!value_is_sequence(entries))
			continue;
		counted = value_tuple(arena);
		for (size_t k = 0; k < (size_t)n; k++)
			value_append(arena, counted,
				k < entries->n_items ? entries->items[k] : value_int(arena, 1));
		value_set(arena, map, fields[i], counted);
	}
}

static const struct fact_target *choose_target(
	struct arena *arena, const struct healthy *base, struct choices *choices)
{
	struct fact_target *target = arena_alloc(arena, sizeof(*target));
	struct err err;
	struct value *document = yaml_read(arena, base->document, strlen(base->document), &err);
	struct fact_interface *interface;
	struct value *declared;
	size_t n_paths = 0;

	if (!document || document_read(arena, document, target, &err)) {
		fprintf(stderr, "%s: %s\n", base->document, err.message);
		abort();
	}
	interface = &target->interfaces.items[0];
	declared = value_copy(arena, interface->declared);
	interface->declared = declared;
	while (base->paths[n_paths])
		n_paths++;
	for (int i = 0; i < MAX_CHANGES && n_paths && choices->n_bytes; i++) {
		const char *path = base->paths[choose(choices) % n_paths];

		if (path[1] == ':')
			set_path(arena, declared, path + 2, choose_field(arena, choices, *path));
		else
			set_path(arena, declared, path, choose_value(arena, choices, 0));
	}
	if (!base->protocol->is_dictionary) {
		count_entries(arena, declared);
		count_entries(arena, value_find(declared, "dl_tensor"));
	}
	return target;
}

/* The same definition as in rules/shared/family_test.h. */
static bool is_structural_error(const struct protocol *protocol, const struct fact_finding *finding)
{
	size_t n_prefix = strlen(protocol->rule_prefix);

	if (finding->field && !strncmp(finding->field, "descr", 5) &&
		!strstr(finding->message, "descr is NULL"))
		return false;
	return finding->severity == SEVERITY_ERROR &&
	       !strncmp(finding->rule, protocol->rule_prefix, n_prefix) &&
	       finding->rule[n_prefix] <= '3' && !(rule_find(finding->rule)->facts & FACT_MEMORY);
}

static void report(const struct fact_target *target, const char *what, const struct err *err)
{
	struct arena arena = { 0 };
	struct err ignored;

	fprintf(stderr, "%s: %s\n", what, err->message);
	yaml_write_document(stderr, document_write(&arena, target), &ignored);
	abort();
}

static void check_described(const struct fact_target *target, const struct array *array)
{
	struct array below = *array;
	struct err err = { .message = "" };
	uint64_t low, high;

	for (int i = 0; i < array->n_dims; i++)
		if (array->shape[i] < 0)
			report(target, "a negative extent", &err);
	if (array->n_dims > ARRAY_MAX_DIMS || dtype_itemsize(&array->dtype) < 0 ||
		array_nbytes(array) < 0)
		report(target, "a size out of range", &err);
	/* A handle is no address, and address 0 is that of no memory. */
	if (!array->pointer || (array->device.type && device_type_named(array->device.type)->data !=
							      DEVICE_DATA_ADDRESS))
		return;
	/* The last byte may be that of the address space, whose end is not an address: then the
	 * array that is one byte below has an extent, unless its first byte is that of the address
	 * space. */
	below.pointer--;
	if ((array_extent(array, &low, &high, &err) || low > high) &&
		(array_extent(&below, &low, &high, &err) || low > high))
		report(target, "an extent out of range", &err);
}

static void check_target(struct arena *arena, const struct healthy *base,
	const struct fact_target *target, const struct rule_selection *selection)
{
	struct rule_results results = rules_run(selection, target, arena);
	bool is_broken = false, is_refused = false, failed;
	struct err err = { .message = "" };
	struct array array;

	for (size_t i = 0; i < results.findings.n_items; i++) {
		const struct fact_finding *finding = &results.findings.items[i];

		if (!is_structural_error(base->protocol, finding))
			continue;
		if (rule_find(finding->rule)->level == LEVEL_FACT)
			is_refused = true;
		else
			is_broken = true;
	}
	failed = base->protocol->describe(target->interfaces.items, &array, &err) != 0;
	if (is_refused && !is_broken)
		return;
	if (is_broken != (failed || !shared_is_in_address_space(&array)))
		report(target, is_broken ? "described in spite of an error" : "not described",
			&err);
	if (!is_broken)
		check_described(target, &array);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	const struct rule_request request = { .fail_from = SEVERITY_ERROR, .facts = FACT_ALL };
	struct choices choices = { bytes, n_bytes };
	const struct healthy *base = &healthy[choose(&choices) % N_HEALTHY];
	static struct arena kept;
	static const struct rule_selection *selection;
	struct arena arena = { 0 };
	struct err err;

	if (!selection)
		selection = rules_select(&kept, &request, &err);
	if (!selection)
		abort();
	check_target(&arena, base, choose_target(&arena, base, &choices), selection);
	arena_free(&arena);
	return 0;
}
