// SPDX-License-Identifier: MIT
/* Writes records as values, according to their tables, and copies them. */
#include "facts/fact_codec.h"

#include "facts/declared_codec.h"
#include "facts/facts.h"

#include <string.h>

/* --- details, which remain values --- */

static struct value *plain_or_copy(struct fact_codec *codec, const struct value *facts)
{
	if (codec->form == FACT_WIRE)
		return value_copy(codec->arena, facts);
	return plain_from_facts(codec->arena, facts, value_map(codec->arena));
}

static struct value *write_shape(
	struct fact_codec *codec, const struct fact_record *shape, const struct value *facts);

static struct value *write_shape_item(
	struct fact_codec *codec, const struct fact_field *field, const struct value *facts)
{
	struct value *list;

	if (value_is_null(facts))
		return fact_make_null(codec, field);
	if (field->record && value_is(facts, VALUE_MAP))
		return write_shape(codec, field->record, facts);
	if (!field->record || !value_is_sequence(facts))
		return plain_or_copy(codec, facts);
	list = value_list(codec->arena);
	for (size_t i = 0; i < facts->n_items; i++)
		value_append(
			codec->arena, list, write_shape(codec, field->record, facts->items[i]));
	return list;
}

/*
 * Writes every key of the shape, then unknown keys unchanged: the schema rejects them, which is
 * better than dropping them.
 */
static struct value *write_shape(
	struct fact_codec *codec, const struct fact_record *shape, const struct value *facts)
{
	struct value *map = value_map(codec->arena);

	for (size_t i = 0; i < shape->n_fields; i++)
		if (shape->fields[i].place != codec->omitted)
			value_add(codec->arena, map, shape->fields[i].name,
				write_shape_item(codec, &shape->fields[i],
					value_get(facts, shape->fields[i].name)));
	for (size_t i = 0; value_is(facts, VALUE_MAP) && i < facts->n_items; i++)
		if (!fact_find_field(shape, facts->keys[i], strlen(facts->keys[i])))
			value_add(codec->arena, map, facts->keys[i],
				plain_or_copy(codec, facts->items[i]));
	return map;
}

/* --- records --- */

static struct value *write_fields(
	struct fact_codec *codec, const struct fact_record *record, const char *in);

static struct value *write_text(struct fact_codec *codec, const char *text)
{
	struct value *value = value_text(codec->arena, text);

	return codec->form == FACT_WIRE || !text
		       ? value
		       : plain_from_facts(codec->arena, value, value_map(codec->arena));
}

static struct value *write_list(
	struct fact_codec *codec, const struct fact_field *field, const struct fact_call_list *in)
{
	struct value *list = value_list(codec->arena);

	for (size_t i = 0; i < in->n_items; i++)
		value_append(codec->arena, list,
			write_fields(codec, field->record,
				(const char *)in->items + i * field->record->n_bytes));
	return list;
}

static struct value *write_ints(struct fact_codec *codec, const struct fact_ints *ints)
{
	struct value *list = value_list(codec->arena);

	for (size_t i = 0; i < ints->n_items; i++)
		value_append(codec->arena, list, value_int(codec->arena, ints->items[i]));
	return list;
}

static struct value *write_texts(struct fact_codec *codec, const struct fact_texts *texts)
{
	struct value *list = value_list(codec->arena);

	for (size_t i = 0; i < texts->n_items; i++)
		value_append(codec->arena, list, write_text(codec, texts->items[i]));
	return list;
}

static struct value *write_details(struct fact_codec *codec, const struct fact_interface *interface)
{
	const struct fact_record *shape = NULL;

	if (codec->form == FACT_DOCUMENT)
		shape = codec->details_of(interface->protocol ? interface->protocol : "");
	return shape && value_is(interface->details, VALUE_MAP)
		       ? write_shape(codec, shape, interface->details)
		       : plain_or_copy(codec, interface->details);
}

/* The value of a known field; NULL if it is unknown. */
static struct value *write_known(
	struct fact_codec *codec, const struct fact_field *field, const char *in)
{
	const void *at = in + field->offset;
	struct arena *arena = codec->arena;

	switch (field->type) {
	case FACT_TEXT:
		return *(const char *const *)at ? write_text(codec, *(const char *const *)at)
						: NULL;
	case FACT_CHARS:
		if (!*(const char *)at)
			return NULL;
		/* The text is from a driver or the kernel, and may not be UTF-8. */
		return plain_or_copy(codec, value_text_escaped(arena, at));
	case FACT_BOOL:
		return *(const enum answer *)at
			       ? value_bool(arena, *(const enum answer *)at == ANSWER_YES)
			       : NULL;
	case FACT_INT:
		return ((const struct fact_int *)at)->known
			       ? value_int(arena, ((const struct fact_int *)at)->value)
			       : NULL;
	case FACT_UINT:
		return ((const struct fact_uint *)at)->known
			       ? plain_or_copy(codec,
					 value_uint(arena, ((const struct fact_uint *)at)->value))
			       : NULL;
	case FACT_REAL:
		return ((const struct fact_real *)at)->known
			       ? plain_or_copy(codec,
					 value_real(arena, ((const struct fact_real *)at)->value))
			       : NULL;
	case FACT_ADDRESS:
		return ((const struct fact_address *)at)->known
			       ? value_address(arena, ((const struct fact_address *)at)->value)
			       : NULL;
	case FACT_SIZE:
		return *(const uint64_t *)at
			       ? plain_or_copy(codec, value_uint(arena, *(const uint64_t *)at))
			       : NULL;
	case FACT_ADDRESS0:
		return *(const uint64_t *)at ? value_address(arena, *(const uint64_t *)at) : NULL;
	case FACT_INTS:
		return ((const struct fact_ints *)at)->known || field->is_required
			       ? write_ints(codec, at)
			       : NULL;
	case FACT_TEXTS:
		return ((const struct fact_texts *)at)->known || field->is_required
			       ? write_texts(codec, at)
			       : NULL;
	case FACT_VALUE:
		return *(const struct value *const *)at
			       ? plain_or_copy(codec, *(const struct value *const *)at)
			       : NULL;
	case FACT_DETAILS:
		return *(const struct value *const *)at
			       ? write_details(codec, (const struct fact_interface *)in)
			       : NULL;
	case FACT_ENUM:
		return *field->words[*(const int *)at]
			       ? value_text(arena, field->words[*(const int *)at])
			       : NULL;
	case FACT_RECORD:
		return *(const bool *)at || field->is_required
			       ? write_fields(codec, field->record, at)
			       : NULL;
	case FACT_FLAT:
		return write_fields(codec, field->record, in);
	case FACT_LIST:
		return *(const bool *)at || field->is_required ? write_list(codec, field, at)
							       : NULL;
	case FACT_DECLARED:
	case FACT_TYPES:
		break;
	}
	return NULL;
}

/* `declared` unchanged, or in documents in plain form, together with `types`. */
static struct value *write_declared(
	struct fact_codec *codec, const struct fact_interface *interface, struct value *types)
{
	if (!interface->declared)
		return value_null(codec->arena);
	return codec->form == FACT_WIRE
		       ? value_copy(codec->arena, interface->declared)
		       : plain_from_facts(codec->arena, interface->declared, types);
}

static struct value *write_fields(
	struct fact_codec *codec, const struct fact_record *record, const char *in)
{
	struct value *map = value_map(codec->arena), *types = value_map(codec->arena), *item;

	for (size_t i = 0; i < record->n_fields; i++) {
		const struct fact_field *field = &record->fields[i];

		if (field->place == codec->omitted)
			continue;
		if (field->type == FACT_DECLARED)
			item = write_declared(codec, (const struct fact_interface *)in, types);
		else
			item = field->type == FACT_TYPES ? types : write_known(codec, field, in);
		if (item || !record->is_sparse)
			value_add(codec->arena, map, field->name,
				item ? item : value_null(codec->arena));
	}
	return map;
}

struct value *fact_write(const struct fact_record *record, struct arena *arena, const void *in,
	enum fact_form form, fact_details_of details_of)
{
	struct fact_codec codec = { .arena = arena,
		.form = form,
		.omitted = form == FACT_WIRE ? FACT_IN_DOCUMENT : FACT_IN_WIRE,
		.details_of = details_of };

	return *(const bool *)in ? write_fields(&codec, record, in) : value_null(arena);
}

void fact_copy(const struct fact_record *record, struct arena *arena, const void *in, void *out)
{
	struct err ignored;

	fact_read(record, arena, fact_write(record, arena, in, FACT_WIRE, NULL), FACT_WIRE, NULL,
		out, &ignored);
}
