// SPDX-License-Identifier: MIT
/* `declared` as plain values and `types`. */
#include "facts/declared_codec.h"

#include "facts/type_entry.h"
#include "model/escape.h"
#include "model/number.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct plain_writer {
	struct arena *arena;
	struct value *types;
	struct text path, scratch;
};

static struct value *take_scratch(struct plain_writer *writer)
{
	struct text *scratch = &writer->scratch;
	struct value *text =
		value_text_n(writer->arena, scratch->bytes ? scratch->bytes : "", scratch->n_bytes);

	text_clear(scratch);
	return text;
}

static struct value *make_escaped(struct plain_writer *writer, const struct value *facts)
{
	if (facts->kind == VALUE_BYTES)
		escape_bytes(&writer->scratch, facts->bytes, facts->n_bytes);
	else
		escape_text(&writer->scratch, facts->bytes, facts->n_bytes, ESCAPE_REVERSIBLE);
	return take_scratch(writer);
}

/* The sign and payload of a NaN are preserved unless they are the default ones. */
static struct value *make_real(struct plain_writer *writer, double real)
{
	char number[NUMBER_TEXT_BYTES];
	uint64_t bits;
	double usual = (double)NAN;

	if (isfinite(real))
		return value_real(writer->arena, real);
	memcpy(&bits, &real, sizeof(bits));
	if (isnan(real) && memcmp(&real, &usual, sizeof(real)) != 0)
		return value_textf(writer->arena, "nan 0x%016" PRIx64, bits);
	return value_text(writer->arena, number_text(real, number));
}

static struct value *make_plain(struct plain_writer *writer, const struct value *facts);

static struct value *make_items(struct plain_writer *writer, const struct value *facts)
{
	bool is_map = facts->kind == VALUE_MAP;
	struct value *plain = is_map ? value_map(writer->arena) : value_list(writer->arena);
	size_t n_path = writer->path.n_bytes;

	for (size_t i = 0; i < facts->n_items; i++) {
		const char *key = NULL;

		if (is_map) {
			escape_text(&writer->scratch, facts->keys[i], strlen(facts->keys[i]),
				ESCAPE_REVERSIBLE);
			key = take_scratch(writer)->bytes;
			path_add_key(&writer->path, key);
			value_add(writer->arena, plain, key, make_plain(writer, facts->items[i]));
		} else {
			text_printf(&writer->path, "[%zu]", i);
			value_append(writer->arena, plain, make_plain(writer, facts->items[i]));
		}
		text_truncate(&writer->path, n_path);
	}
	return plain;
}

static struct value *make_without_type(struct plain_writer *writer, const struct value *facts)
{
	switch (facts->kind) {
	case VALUE_WIDE_INT:
		return value_text_n(writer->arena, facts->bytes, facts->n_bytes);
	case VALUE_REAL:
		return make_real(writer, facts->real);
	case VALUE_TEXT:
		if (!facts->type_name && escape_is_utf8(facts->bytes, facts->n_bytes))
			return value_text_n(writer->arena, facts->bytes, facts->n_bytes);
		return make_escaped(writer, facts);
	case VALUE_BYTES:
	case VALUE_OPAQUE:
		return make_escaped(writer, facts);
	case VALUE_BOOL:
		return value_bool(writer->arena, facts->boolean);
	case VALUE_INT:
		return value_int(writer->arena, facts->integer);
	default:
		return value_null(writer->arena);
	}
}

static struct value *make_plain(struct plain_writer *writer, const struct value *facts)
{
	bool has_items = facts->kind == VALUE_MAP || value_is_sequence(facts);
	const char *path = writer->path.bytes ? writer->path.bytes : "";
	struct value *plain;
	bool is_plain_text;

	if (has_items) {
		/* The entry of a container comes before those of its items. */
		struct value like = { .kind = facts->kind == VALUE_MAP ? VALUE_MAP : VALUE_LIST };

		if (facts->type_name || facts->kind == VALUE_LIST)
			value_add(writer->arena, writer->types, path,
				value_text(writer->arena, entry_make(writer->arena, &like, facts)));
		return make_items(writer, facts);
	}
	plain = make_without_type(writer, facts);
	is_plain_text = facts->kind != VALUE_TEXT || escape_is_utf8(facts->bytes, facts->n_bytes);
	if (facts->type_name || entry_read(plain, NULL, 0).kind != entry_narrow_kind(facts->kind) ||
		!is_plain_text)
		value_add(writer->arena, writer->types, path,
			value_text(writer->arena, entry_make(writer->arena, plain, facts)));
	return plain;
}

struct value *plain_from_facts(struct arena *arena, const struct value *facts, struct value *types)
{
	struct plain_writer writer = { .arena = arena, .types = types };
	struct value *plain = make_plain(&writer, facts);

	text_free(&writer.path);
	text_free(&writer.scratch);
	return plain;
}
