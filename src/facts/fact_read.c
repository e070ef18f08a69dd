// SPDX-License-Identifier: MIT
/* Reads records from values, according to their tables. */
#include "facts/fact_codec.h"

#include "base/text.h"
#include "facts/declared_codec.h"
#include "facts/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *expected_type(enum fact_type type)
{
	switch (type) {
	case FACT_TEXT:
	case FACT_CHARS:
	case FACT_ENUM:
		return "a string";
	case FACT_BOOL:
		return "true or false";
	case FACT_INT:
		return "an integer";
	case FACT_UINT:
	case FACT_SIZE:
		return "an unsigned integer";
	case FACT_REAL:
		return "a number";
	case FACT_ADDRESS:
	case FACT_ADDRESS0:
		return "an address";
	case FACT_INTS:
		return "a list of integers";
	case FACT_TEXTS:
		return "a list of strings";
	case FACT_LIST:
		return "a list";
	case FACT_VALUE:
	case FACT_DECLARED:
		return "a value";
	case FACT_TYPES:
	case FACT_DETAILS:
	case FACT_RECORD:
	case FACT_FLAT:
		break;
	}
	return "a map";
}

/* Appends a short description of a value. */
static void add_brief(struct text *out, const struct value *value)
{
	enum { MAX_BYTES = 40 };

	if (value_is_sequence(value))
		text_add(out, "a list");
	else if (value_is(value, VALUE_MAP))
		text_add(out, "a map");
	else if (!value_add_scalar(out, value))
		text_printf(out, value->n_bytes > MAX_BYTES ? "'%.*s...'" : "'%.*s'", MAX_BYTES,
			value->bytes);
}

static size_t enter_path(struct fact_codec *codec, const char *name, size_t index);

/* Of a list, the first item of another type is what is wrong. */
static int fail_value(
	struct fact_codec *codec, const struct fact_field *field, const struct value *value)
{
	static const struct fact_field integer = { .type = FACT_INT },
				       string = { .type = FACT_TEXT };
	const bool is_wide = field->type == FACT_INT && value_is(value, VALUE_WIDE_INT);
	struct text message = { 0 };

	for (size_t i = 0; value_is_sequence(value) && i < value->n_items; i++) {
		const struct value *item = value->items[i];
		const struct fact_field *wrong = NULL;

		if (field->type == FACT_INTS && !value_to_int64(item, &(int64_t){ 0 }))
			wrong = &integer;
		else if (field->type == FACT_TEXTS && !value_is(item, VALUE_TEXT))
			wrong = &string;
		if (wrong) {
			enter_path(codec, NULL, i);
			return fail_value(codec, wrong, item);
		}
	}

	if (*codec->path)
		text_printf(&message, "'%s': ", codec->path);
	if (field->type == FACT_ENUM && value_is(value, VALUE_TEXT)) {
		text_add(&message, "expected one of ");
		for (size_t i = 0, n = 0; field->words[i]; i++)
			if (*field->words[i])
				text_printf(&message, "%s%s", n++ ? ", " : "", field->words[i]);
	} else
		text_printf(&message, "expected %s%s", expected_type(field->type),
			is_wide ? " from -2^63 to 2^63-1" : "");
	text_add(&message, ", got ");
	add_brief(&message, value);
	err_set(codec->err, EXIT_USAGE, "%s", message.bytes);
	text_free(&message);
	return -1;
}

static int fail_not_map(struct fact_codec *codec, const struct value *value)
{
	static const struct fact_field map = { .type = FACT_RECORD };

	return fail_value(codec, &map, value);
}

/* Appends to the path; returns its previous length. */
static size_t enter_path(struct fact_codec *codec, const char *name, size_t index)
{
	size_t n_chars = strlen(codec->path);
	char *end = codec->path + n_chars;

	if (name)
		snprintf(end, sizeof(codec->path) - n_chars, "%s%s", n_chars ? "." : "", name);
	else
		snprintf(end, sizeof(codec->path) - n_chars, "[%zu]", index);
	return n_chars;
}

/* Any value; in documents in plain form, whose sequences become lists. */
static struct value *read_any(struct fact_codec *codec, const struct value *value)
{
	struct value *facts;

	if (codec->form == FACT_WIRE)
		return value_copy(codec->arena, value);
	facts = plain_to_facts(codec->arena, value, NULL, codec->err);
	if (!facts)
		err_wrap(codec->err, "'%s'", codec->path);
	else if (facts->kind == VALUE_TUPLE)
		facts->kind = VALUE_LIST;
	return facts;
}

static bool read_ints(struct fact_codec *codec, const struct value *value, struct fact_ints *out)
{
	if (!value_is_sequence(value))
		return false;
	*out = (struct fact_ints){ .known = true, .n_items = value->n_items };
	out->items = arena_alloc(codec->arena, (value->n_items + 1) * sizeof(*out->items));
	for (size_t i = 0; i < value->n_items; i++)
		if (!value_to_int64(value->items[i], &out->items[i]))
			return false;
	return true;
}

/* The capacity of a list is the next power of two. */
static size_t list_capacity(size_t n_items)
{
	size_t capacity = 1;

	while (capacity < n_items)
		capacity *= 2;
	return capacity;
}

static bool read_texts(struct fact_codec *codec, const struct value *value, struct fact_texts *out)
{
	if (!value_is_sequence(value))
		return false;
	*out = (struct fact_texts){ .known = true, .n_items = value->n_items };
	out->items = arena_alloc(codec->arena, list_capacity(value->n_items) * sizeof(*out->items));
	for (size_t i = 0; i < value->n_items; i++) {
		if (!value_is(value->items[i], VALUE_TEXT))
			return false;
		out->items[i] = fact_text(codec->arena, read_any(codec, value->items[i]));
	}
	return true;
}

/* Documents contain numbers larger than INT64_MAX as decimal text. */
static bool read_uint(const struct value *value, uint64_t *out)
{
	struct value wide = { .kind = VALUE_WIDE_INT };

	if (!value_is(value, VALUE_TEXT) || !value->n_bytes)
		return value_to_uint64(value, out);
	wide.bytes = value->bytes;
	wide.n_bytes = value->n_bytes;
	return value_to_uint64(&wide, out);
}

/* Documents contain "inf" and "nan" as text. */
static bool read_double(const struct value *value, double *out)
{
	char *end;

	if (value_is(value, VALUE_REAL))
		*out = value->real;
	else if (value_is(value, VALUE_INT))
		*out = (double)value->integer;
	else if (value_is(value, VALUE_TEXT) && value->n_bytes) {
		*out = strtod(value->bytes, &end);
		return !*end;
	} else
		return false;
	return true;
}

/* Reads a field of a scalar type; value is not null. */
static bool read_scalar(struct fact_codec *codec, const struct fact_field *field,
	const struct value *value, void *out)
{
	switch (field->type) {
	case FACT_TEXT:
		if (value_is(value, VALUE_TEXT))
			*(const char **)out = fact_text(codec->arena, read_any(codec, value));
		return value_is(value, VALUE_TEXT);
	case FACT_CHARS:
		if (value_is(value, VALUE_TEXT))
			snprintf(out, field->n_chars, "%s", value->bytes);
		return value_is(value, VALUE_TEXT);
	case FACT_BOOL:
		if (value_is(value, VALUE_BOOL))
			*(enum answer *)out = answer_of(value->boolean);
		return value_is(value, VALUE_BOOL);
	case FACT_INT:
		((struct fact_int *)out)->known = true;
		return value_to_int64(value, &((struct fact_int *)out)->value);
	case FACT_UINT:
		((struct fact_uint *)out)->known = true;
		return read_uint(value, &((struct fact_uint *)out)->value);
	case FACT_SIZE:
		return read_uint(value, out);
	case FACT_REAL:
		((struct fact_real *)out)->known = true;
		return read_double(value, &((struct fact_real *)out)->value);
	case FACT_ADDRESS:
		((struct fact_address *)out)->known = true;
		return value_to_address(value, &((struct fact_address *)out)->value);
	case FACT_ADDRESS0:
		return value_to_address(value, out);
	case FACT_INTS:
		return read_ints(codec, value, out);
	case FACT_TEXTS:
		return read_texts(codec, value, out);
	case FACT_ENUM:
		return value_is(value, VALUE_TEXT) &&
		       fact_word_number(field->words, value->bytes, out);
	default:
		return false;
	}
}

static int read_record(struct fact_codec *codec, const struct fact_record *record,
	const struct value *map, char *out);
static struct value *read_shape(
	struct fact_codec *codec, const struct fact_record *shape, const struct value *value);

/* Every list begins like fact_ints and fact_texts. */
static int read_records(struct fact_codec *codec, const struct fact_field *field,
	const struct value *value, struct fact_call_list *out)
{
	const struct fact_record *record = field->record;
	char *items;

	if (!value_is_sequence(value))
		return fail_value(codec, field, value);
	items = arena_alloc(codec->arena, list_capacity(value->n_items) * record->n_bytes);
	for (size_t i = 0; i < value->n_items; i++) {
		size_t n_path = enter_path(codec, NULL, i);

		if (read_record(codec, record, value->items[i], items + i * record->n_bytes))
			return -1;
		codec->path[n_path] = '\0';
	}
	out->known = true;
	out->n_items = value->n_items;
	out->items = (void *)items;
	return 0;
}

static int read_declared(
	struct fact_codec *codec, const struct value *map, const struct value **out)
{
	const struct value *declared = value_get(map, "declared");
	const char *end;

	if (!declared)
		declared = value_null(codec->arena);
	if (codec->form == FACT_WIRE)
		*out = value_copy(codec->arena, declared);
	else
		*out = plain_to_facts(codec->arena, declared, value_get(map, "types"), codec->err);
	if (*out)
		return 0;
	/* Report the path of the interface, which contains both declared and types. */
	end = strrchr(codec->path, '.');
	codec->path[end ? end - codec->path : 0] = '\0';
	return end ? err_wrap(codec->err, "'%s'", codec->path) : -1;
}

static int read_details(struct fact_codec *codec, const struct value *map,
	const struct value *value, const struct value **out)
{
	const struct fact_record *shape = NULL;

	if (codec->form == FACT_DOCUMENT)
		shape = codec->details_of(value_text_or(value_get(map, "protocol"), ""));
	if (!shape)
		*out = value_copy(codec->arena, value);
	else
		*out = read_shape(codec, shape, value);
	return *out ? 0 : -1;
}

/* value is not null, except for FACT_DECLARED. */
static int read_record_field(struct fact_codec *codec, const struct fact_field *field,
	const struct value *map, const struct value *value, char *out)
{
	switch (field->type) {
	case FACT_TYPES:
		return value_is(value, VALUE_MAP) ? 0 : fail_value(codec, field, value);
	case FACT_DECLARED:
		return read_declared(codec, map, (const struct value **)(out + field->offset));
	case FACT_DETAILS:
		return read_details(
			codec, map, value, (const struct value **)(out + field->offset));
	case FACT_VALUE:
		return (*(const struct value **)(out + field->offset) = read_any(codec, value))
			       ? 0
			       : -1;
	case FACT_RECORD:
		*(bool *)(out + field->offset) = true;
		return read_record(codec, field->record, value, out + field->offset);
	case FACT_FLAT:
		return read_record(codec, field->record, value, out);
	case FACT_LIST:
		return read_records(codec, field, value, (void *)(out + field->offset));
	default:
		return read_scalar(codec, field, value, out + field->offset)
			       ? 0
			       : fail_value(codec, field, value);
	}
}

static int check_record_keys(
	struct fact_codec *codec, const struct fact_record *record, const struct value *map)
{
	for (size_t i = 0; codec->form == FACT_DOCUMENT && i < map->n_items; i++) {
		const struct fact_field *field =
			fact_find_field(record, map->keys[i], strlen(map->keys[i]));

		if (field && field->place != FACT_IN_WIRE)
			continue;
		enter_path(codec, map->keys[i], 0);
		return err_set(codec->err, EXIT_USAGE, "'%s': unknown key", codec->path);
	}
	return 0;
}

static int read_record(struct fact_codec *codec, const struct fact_record *record,
	const struct value *map, char *out)
{
	if (!value_is(map, VALUE_MAP))
		return fail_not_map(codec, map);
	if (check_record_keys(codec, record, map))
		return -1;
	if (record->n_bytes)
		*(bool *)out = true;
	for (size_t i = 0; i < record->n_fields; i++) {
		const struct fact_field *field = &record->fields[i];
		const struct value *item = value_get(map, field->name);
		size_t n_path;

		if (value_is_null(item) && field->type != FACT_DECLARED)
			continue;
		n_path = enter_path(codec, field->name, 0);
		if (field->place != codec->omitted &&
			read_record_field(codec, field, map, item, out))
			return -1;
		codec->path[n_path] = '\0';
	}
	return 0;
}

int fact_read(const struct fact_record *record, struct arena *arena, const struct value *value,
	enum fact_form form, fact_details_of details_of, void *out, struct err *err)
{
	struct fact_codec codec = { .arena = arena,
		.form = form,
		.omitted = form == FACT_WIRE ? FACT_IN_DOCUMENT : FACT_IN_WIRE,
		.details_of = details_of,
		.err = err };

	memset(out, 0, record->n_bytes);
	return value_is_null(value) ? 0 : read_record(&codec, record, value, out);
}

/* --- details, which remain values --- */

static bool shape_accepts(const struct fact_field *field, const struct value *value)
{
	uint64_t number;
	int64_t integer;

	switch (field->type) {
	case FACT_BOOL:
		return value_is(value, VALUE_BOOL);
	case FACT_INT:
		return value_to_int64(value, &integer);
	case FACT_UINT:
	case FACT_SIZE:
		return read_uint(value, &number);
	case FACT_ADDRESS:
	case FACT_ADDRESS0:
		return value_to_address(value, &number) || value_is(value, VALUE_TEXT);
	case FACT_INTS:
	case FACT_TEXTS:
	case FACT_LIST:
		return value_is_sequence(value);
	case FACT_VALUE:
		return true;
	case FACT_RECORD:
	case FACT_FLAT:
		return value_is(value, VALUE_MAP);
	default:
		return value_is(value, VALUE_TEXT);
	}
}

static struct value *read_shape_item(
	struct fact_codec *codec, const struct fact_field *field, const struct value *value)
{
	struct value *list, *item;

	if (!shape_accepts(field, value)) {
		fail_value(codec, field, value);
		return NULL;
	}
	if (!field->record)
		return read_any(codec, value);
	if (field->type != FACT_LIST)
		return read_shape(codec, field->record, value);
	list = value_list(codec->arena);
	for (size_t i = 0; i < value->n_items; i++) {
		size_t n_path = enter_path(codec, NULL, i);

		item = read_shape(codec, field->record, value->items[i]);
		if (!item)
			return NULL;
		value_append(codec->arena, list, item);
		codec->path[n_path] = '\0';
	}
	return list;
}

/* Reads a shape in a document: every key, null if it is missing. */
static struct value *read_shape(
	struct fact_codec *codec, const struct fact_record *shape, const struct value *value)
{
	struct value *facts = value_map(codec->arena);

	if (!value_is(value, VALUE_MAP)) {
		fail_not_map(codec, value);
		return NULL;
	}
	if (check_record_keys(codec, shape, value))
		return NULL;
	for (size_t i = 0; i < shape->n_fields; i++) {
		const struct value *item = value_get(value, shape->fields[i].name);
		struct value *read;
		size_t n_path;

		if (shape->fields[i].place == codec->omitted)
			continue;
		if (value_is_null(item)) {
			value_add(codec->arena, facts, shape->fields[i].name,
				fact_make_null(codec, &shape->fields[i]));
			continue;
		}
		n_path = enter_path(codec, shape->fields[i].name, 0);
		read = read_shape_item(codec, &shape->fields[i], item);
		if (!read)
			return NULL;
		value_add(codec->arena, facts, shape->fields[i].name, read);
		codec->path[n_path] = '\0';
	}
	return facts;
}
