// SPDX-License-Identifier: MIT
/*
 * Every record of facts.def with random contents is preserved by both forms; unknown keys, wrong
 * types and nulls are handled as fact.h documents.
 */
#include "facts/facts.h"

#include "base/array_size.h"
#include "base/random_test.h"
#include "base/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N_ROUNDS = 60, MAX_ITEMS = 3 };

static struct arena arena;

static size_t random_below(size_t limit)
{
	return (size_t)pick(limit ? (int64_t)limit : 1);
}

static const struct {
	const char *protocol;
	const struct fact_record *shape;
} shapes[] = {
	{ "sycl", &fact_sycl_details_record },
	{ "cuda", &fact_cuda_details_record },
	{ "dlpack", &fact_dlpack_details_record },
	{ "numpy", &fact_numpy_details_record },
	{ "buffer", &fact_buffer_details_record },
	{ "npy", &fact_npy_details_record },
};

static const struct fact_record *shape_of(const char *protocol)
{
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++)
		if (!strcmp(shapes[i].protocol, protocol))
			return shapes[i].shape;
	return NULL;
}

static const char *random_text(void)
{
	static const char *const texts[] = { "", "a", "null", "0x10", "12", "a b\nc", "\\x41\\",
		"'\"", "\xc3\xa9", "\x1b[1m", "18446744073709551615" };

	return texts[random_below(ARRAY_SIZE(texts))];
}

static int64_t random_integer(void)
{
	static const int64_t integers[] = { 0, 1, -1, 4096, INT64_MAX, INT64_MIN };

	return integers[random_below(ARRAY_SIZE(integers))];
}

static uint64_t random_unsigned(void)
{
	static const uint64_t integers[] = { 1, 4096, INT64_MAX, UINT64_C(1) << 63, UINT64_MAX };

	return integers[random_below(ARRAY_SIZE(integers))];
}

static double random_double(void)
{
	static const double reals[] = { 0, 0.1, -2.5e-9, 1e22, INFINITY, -INFINITY };

	return reals[random_below(ARRAY_SIZE(reals))];
}

static struct value *random_map(int depth);

static struct value *random_any(int depth)
{
	struct value *list;

	switch (random_below(depth ? 7 : 5)) {
	case 0:
		return value_null(&arena);
	case 1:
		return value_bool(&arena, random_below(2));
	case 2:
		return value_int(&arena, random_integer());
	case 3:
		return value_real(&arena, random_double());
	case 4:
		return value_text(&arena, random_text());
	case 5:
		return random_map(depth - 1);
	default:
		list = value_list(&arena);
		for (size_t i = random_below(MAX_ITEMS); i; i--)
			value_append(&arena, list, random_any(depth - 1));
		return list;
	}
}

static struct value *random_map(int depth)
{
	struct value *map = value_map(&arena);

	for (size_t i = random_below(MAX_ITEMS); i; i--)
		value_set(&arena, map, random_text(), random_any(depth));
	return map;
}

static struct value *random_shape(const struct fact_record *shape);

static struct value *random_shape_item(const struct fact_field *field)
{
	struct value *list;

	switch (field->type) {
	case FACT_BOOL:
		return value_bool(&arena, random_below(2));
	case FACT_INT:
		return value_int(&arena, random_integer());
	case FACT_ADDRESS:
		return value_address(&arena, random_unsigned());
	case FACT_RECORD:
		return field->record->n_bytes ? value_null(&arena) : random_shape(field->record);
	case FACT_LIST:
	case FACT_INTS:
	case FACT_TEXTS:
		list = value_list(&arena);
		for (size_t i = random_below(MAX_ITEMS); i; i--)
			value_append(&arena, list,
				field->type == FACT_LIST   ? random_shape(field->record)
				: field->type == FACT_INTS ? value_int(&arena, random_integer())
							   : value_text(&arena, random_text()));
		return list;
	case FACT_VALUE:
		return random_any(2);
	default:
		return value_text(&arena, random_text());
	}
}

static struct value *random_shape(const struct fact_record *shape)
{
	struct value *map = value_map(&arena);

	for (size_t i = 0; i < shape->n_fields; i++)
		if (random_below(4))
			value_set(&arena, map, shape->fields[i].name,
				random_shape_item(&shape->fields[i]));
	return map;
}

static void fill_fields(const struct fact_record *record, char *out, bool whole);

static void fill_list(const struct fact_record *record, struct fact_call_list *list, bool whole)
{
	char *items = arena_alloc(&arena, (MAX_ITEMS + 1) * record->n_bytes);

	list->known = true;
	list->n_items = whole ? 1 : random_below(MAX_ITEMS);
	list->items = (void *)items;
	for (size_t i = 0; i < list->n_items; i++) {
		*(bool *)(items + i * record->n_bytes) = true;
		fill_fields(record, items + i * record->n_bytes, whole);
	}
}

static void fill_ints(struct fact_ints *ints)
{
	int64_t items[MAX_ITEMS];

	for (size_t i = 0; i < MAX_ITEMS; i++)
		items[i] = random_integer();
	*ints = fact_ints(&arena, items, random_below(MAX_ITEMS));
}

static int random_word_number(const char *const *words)
{
	int n_words = 0;

	while (words && words[n_words])
		n_words++;
	if (!n_words)
		return 0;
	return *words[0] ? (int)random_below((size_t)n_words)
			 : 1 + (int)random_below((size_t)n_words - 1);
}

static void fill_field(const struct fact_field *field, char *out, bool whole)
{
	void *at = out + field->offset;

	switch (field->type) {
	case FACT_TEXT:
		*(const char **)at = random_text();
		break;
	case FACT_CHARS:
		snprintf(at, field->n_chars, "%s", random_text());
		break;
	case FACT_BOOL:
		*(enum answer *)at = answer_of(random_below(2));
		break;
	case FACT_INT:
		*(struct fact_int *)at = fact_int(random_integer());
		break;
	case FACT_UINT:
		*(struct fact_uint *)at = fact_uint(random_unsigned());
		break;
	case FACT_REAL:
		*(struct fact_real *)at = fact_real(random_double());
		break;
	case FACT_ADDRESS:
		*(struct fact_address *)at = fact_address(random_unsigned());
		break;
	case FACT_SIZE:
	case FACT_ADDRESS0:
		*(uint64_t *)at = random_unsigned();
		break;
	case FACT_INTS:
		fill_ints(at);
		break;
	case FACT_TEXTS:
		for (size_t i = random_below(MAX_ITEMS); i; i--)
			fact_texts_add(&arena, at, random_text());
		break;
	case FACT_VALUE:
		*(const struct value **)at = value_textf(&arena, "text %s", random_text());
		if (random_below(2))
			*(const struct value **)at = random_map(2);
		break;
	case FACT_DECLARED:
		*(const struct value **)at = random_any(3);
		break;
	case FACT_ENUM:
		*(int *)at = random_word_number(field->words);
		break;
	case FACT_RECORD:
		*(bool *)at = true;
		fill_fields(field->record, at, whole);
		break;
	case FACT_FLAT:
		fill_fields(field->record, out, whole);
		break;
	case FACT_LIST:
		fill_list(field->record, at, whole);
		break;
	case FACT_TYPES:
	case FACT_DETAILS:
		break;
	}
}

/* whole: no field remains null. */
static void fill_fields(const struct fact_record *record, char *out, bool whole)
{
	size_t shape = random_below(ARRAY_SIZE(shapes));

	for (size_t i = 0; i < record->n_fields; i++) {
		const struct fact_field *field = &record->fields[i];

		if (whole || random_below(3) || field->type == FACT_FLAT)
			fill_field(field, out, whole);
	}
	if (record == &fact_interface_record) {
		struct fact_interface *interface = (struct fact_interface *)out;

		interface->protocol = shapes[shape].protocol;
		if (whole || random_below(2))
			interface->details = random_shape(shapes[shape].shape);
	}
}

static void *new_record(const struct fact_record *record, bool whole)
{
	char *out = arena_alloc(&arena, record->n_bytes);

	memset(out, 0, record->n_bytes);
	*(bool *)out = true;
	fill_fields(record, out, whole);
	return out;
}

static const char *form_name(enum fact_form form)
{
	return form == FACT_WIRE ? "wire" : "document";
}

static void test_round_trips(const struct fact_record *record, enum fact_form form)
{
	for (int i = 0; i < N_ROUNDS; i++) {
		struct err err = { .message = "" };
		struct value *map =
			fact_write(record, &arena, new_record(record, !(i % 4)), form, shape_of);
		void *back = arena_alloc(&arena, record->n_bytes);

		CHECK(!fact_read(record, &arena, map, form, shape_of, back, &err) &&
				value_equal(fact_write(record, &arena, back, form, shape_of), map),
			"%s, %s: %s", record->name, form_name(form), err.message);
		arena_free(&arena);
	}
}

/* A value that a field rejects; NULL if it accepts any. */
static struct value *wrong_value(const struct fact_field *field, enum fact_form form)
{
	switch (field->type) {
	case FACT_VALUE:
	case FACT_DECLARED:
		return NULL;
	case FACT_DETAILS:
		return form == FACT_DOCUMENT ? value_bool(&arena, true) : NULL;
	case FACT_BOOL:
		return value_int(&arena, 7); /* a byte that no bool has: a sanitizer sees it read */
	default:
		return value_bool(&arena, true);
	}
}

/* Reads the map of a complete record with one key changed. */
static void check_changed(const struct fact_record *record, enum fact_form form, const char *key,
	struct value *item, const char *message)
{
	struct err err = { .message = "" };
	struct value *map = fact_write(record, &arena, new_record(record, true), form, shape_of);
	void *back = arena_alloc(&arena, record->n_bytes);
	int status;

	value_set(&arena, map, key, item);
	status = fact_read(record, &arena, map, form, shape_of, back, &err);
	if (message)
		CHECK(status && err.code == EXIT_USAGE && strstr(err.message, key) &&
				strstr(err.message, message),
			"%s.%s, %s: %s", record->name, key, form_name(form), err.message);
	else
		CHECK(!status, "%s.%s, %s: %s", record->name, key, form_name(form), err.message);
	arena_free(&arena);
}

static void test_changes(const struct fact_record *record, enum fact_form form)
{
	enum fact_place other = form == FACT_WIRE ? FACT_IN_DOCUMENT : FACT_IN_WIRE;

	check_changed(record, form, "no_such_key", value_null(&arena),
		form == FACT_WIRE ? NULL : "unknown key");
	for (size_t i = 0; i < record->n_fields; i++) {
		const struct fact_field *field = &record->fields[i];
		struct value *wrong = wrong_value(field, form);

		if (field->place == other)
			continue;
		if (wrong)
			check_changed(record, form, field->name, wrong, "");
		if (field->type != FACT_DECLARED && strcmp(field->name, "types") != 0)
			check_changed(record, form, field->name, value_null(&arena), NULL);
	}
}

static void test_nulls(const struct fact_record *record, enum fact_form form)
{
	char *out = arena_alloc(&arena, record->n_bytes);
	struct err err = { .message = "" };

	memset(out, 0xff, record->n_bytes);
	CHECK(!fact_read(record, &arena, value_null(&arena), form, shape_of, out, &err) &&
			!*(bool *)out,
		"%s: a null", record->name);
	CHECK(value_is_null(fact_write(record, &arena, out, form, shape_of)), "%s: to null",
		record->name);
	CHECK(!fact_read(record, &arena, value_map(&arena), form, shape_of, out, &err) &&
			*(bool *)out,
		"%s: an empty map: %s", record->name, err.message);
	CHECK(fact_read(record, &arena, value_list(&arena), form, shape_of, out, &err),
		"%s: a list is read", record->name);
	arena_free(&arena);
}

static void test_paths(void)
{
	CHECK(fact_field_at(&fact_array_record, "memory.kind") == &fact_memory_record.fields[0],
		"memory.kind");
	CHECK(fact_field_at(&fact_array_record, "shape[1]"), "shape[1]");
	CHECK(fact_field_at(&fact_array_record, "memory.device.name"), "memory.device.name");
	CHECK(!fact_field_at(&fact_array_record, "memory.knd"), "memory.knd");
	CHECK(!fact_field_at(&fact_array_record, "dtype.name"), "dtype.name");
	CHECK(!fact_field_at(&fact_target_record, "spent_ms"), "a field of messages");
}

#define LONG_WORD /* 97 bytes */                           \
	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" \
	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

static void test_exceptions(void)
{
	static const struct {
		const char *type, *message, *shown;
	} rows[] = { { "TypeError", "no", "TypeError: no" }, { "MemoryError", NULL, "MemoryError" },
		{ "MemoryError", "", "MemoryError" }, { NULL, "no device", "no device" },
		{ NULL, NULL, "an exception" }, { "E", "two  words", "E: two  words" },
		{ "E", "\n a \r\n\tb\n\n", "E: a b" }, { NULL, "a\fb", "a b" }, { "E", "\n", "E" },
		{ "E", LONG_WORD " " LONG_WORD "\nnext " LONG_WORD LONG_WORD,
			"E: " LONG_WORD " " LONG_WORD " next..." },
		{ "E", LONG_WORD LONG_WORD LONG_WORD, "E: " LONG_WORD LONG_WORD "xxxxxx..." } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK(!strcmp(fact_exception(&arena, rows[i].type, rows[i].message), rows[i].shown),
			"%s", rows[i].shown);
}

int main(void)
{
	random_state = 0x2545f4914f6cdd1d;
	for (size_t i = 0; fact_records[i]; i++)
		for (int form = FACT_WIRE; form <= FACT_DOCUMENT && fact_records[i]->n_bytes;
			form++) {
			test_round_trips(fact_records[i], (enum fact_form)form);
			test_changes(fact_records[i], (enum fact_form)form);
			test_nulls(fact_records[i], (enum fact_form)form);
		}
	test_paths();
	test_exceptions();
	arena_free(&arena);
	return test_end();
}
