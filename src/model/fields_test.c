// SPDX-License-Identifier: MIT
/* PEP 3118 structures to NumPy's fields and back, and the formats that neither can express. */
#include "base/array_size.h"
#include "base/test.h"
#include "model/fields.h"

#include <string.h>

/* A format after conversion to descr and back: explicit sizes, order and padding. */
static const struct {
	const char *format;
	int64_t item_bytes;
	const char *again; /* NULL: refused */
} formats[] = {
	{ "T{<i:a:<d:b:}", 12, "T{<i:a:<d:b:}" },
	{ "T{i:a:d:b:}", 16, "T{<i:a:4x<d:b:}" },
	{ "T{d:a:i:b:}", 16, "T{<d:a:<i:b:4x}" },
	{ "T{=i:a:d:b:}", 12, "T{<i:a:<d:b:}" },
	{ "T{>h:a:^q:b:}", 10, "T{>h:a:<q:b:}" },
	{ "T{l:a:}", 8, "T{<q:a:}" },
	{ "T{<l:a:}", 4, "T{<i:a:}" },
	{ "T{(2,3)<h:m:5s:t:}", 17, "T{(2,3)<h:m:5s:t:}" },
	{ "T{3w:u:?:b:}", 16, "T{<3w:u:<?:b:3x}" },
	{ "T{T{<i:x:<i:y:}:p:<f:r:}", 12, "T{T{<i:x:<i:y:}:p:<f:r:}" },
	{ "T{Zd:z:e:h:}", 24, "T{<Zd:z:<e:h:6x}" },
	{ "T{<i:a:4x}", 8, "T{<i:a:4x}" },
	/* As NumPy writes and reads them: an order stays in force after a structure. */
	{ "T{T{>i:a:}:x:i:b:}", 8, "T{T{>i:a:}:x:>i:b:}" },
	{ "T{T{>i:a:}:x:@i:b:}", 8, "T{T{>i:a:}:x:<i:b:}" },
	{ "T{T{f:a:>h:b:}:x:h:c:}", 8, "T{T{<f:a:>h:b:}:x:>h:c:}" },
	{ "T{T{f:a:>h:b:}:x:@h:c:}", 12, NULL },
	/* Padding that NumPy writes after the structures to whose ends it belongs. */
	{ "T{>i:a:(2)T{=Q:b:3s:c:}:x:xxxxxxxxxxb:d:}", 37, NULL },
	{ "T{b:a:xxxxxxxT{d:b:b:c:}:x:xxxxxxx?:d:}", 40, NULL },
	{ "T{(3)T{>i:a:b:b:}:x:xi:c:}", 20, "T{(3)T{>i:a:<b:b:}:x:1x>i:c:}" },
	{ "T{1i:a:( 2 , 3)2h:b:}", 28, "T{<i:a:(2,3,2)<h:b:}" },
	{ "T{D:a:}", 16, "T{<Zd:a:}" },
	{ "T{<i:a:}", 8, NULL },
	{ "id", 16, "T{<i:f0:4x<d:f1:}" },
	{ "di", 12, "T{<d:f0:<i:f1:}" },
	{ "3i", 12, "T{(3)<i:f0:}" },
	{ "B4xi", 12, "T{<B:f0:4x3x<i:f1:}" },
	{ "T{<i:a:", 4, NULL },
	{ "T{<y:a:}", 4, NULL },
	{ "T{<i:a}", 4, NULL },
	{ "T{<g:a:}", 16, NULL },
	{ "T{<d:a:}", 4, NULL },
	{ "T{9999999999999999999i:a:}", 4, NULL },
	{ "T{(4294967296,4294967296,4294967296)i:a:}", 4, NULL },
	{ "(2", 4, NULL },
	{ "&i", 8, NULL },
	{ "T{(4611686018427387904)4T{0d:a:}:x:x}", 1, NULL },
	{ "T{(4611686018427387904)T{=0d:a:b:b:}:x:x}", 1, NULL },
};

static void test_formats(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		struct arena arena = { 0 };
		struct text again = { 0 };
		struct err err = { 0 };
		struct value *descr =
			fields_from_pep3118(&arena, formats[i].format, formats[i].item_bytes, &err);

		CHECK(!descr == !formats[i].again, "%s: %s", formats[i].format, err.message);
		if (descr) {
			CHECK(fields_item_bytes(descr) == formats[i].item_bytes, "%s takes %lld",
				formats[i].format, (long long)fields_item_bytes(descr));
			CHECK(fields_are_structured(descr), "%s", formats[i].format);
			CHECK(!fields_to_pep3118(&again, descr, &err), "%s: %s", formats[i].format,
				err.message);
			CHECK(!strcmp(again.bytes, formats[i].again), "%s gave %s",
				formats[i].format, again.bytes);
		}
		text_free(&again);
		arena_free(&arena);
	}
}

static struct value *field(struct arena *arena, const char *name, const char *type)
{
	struct value *tuple = value_tuple(arena);

	value_append(arena, tuple, value_text(arena, name));
	value_append(arena, tuple, value_text(arena, type));
	return tuple;
}

static void test_descr(void)
{
	struct arena arena = { 0 };
	struct value *descr = value_list(&arena);
	struct text format = { 0 };
	struct err err = { 0 };

	value_append(&arena, descr, field(&arena, "", "<f4"));
	CHECK(!fields_are_structured(descr), "NumPy's descr of a plain type");
	descr->items[0] = field(&arena, "a:b", "<f4");
	CHECK(fields_are_structured(descr), "one named field");
	CHECK(fields_to_pep3118(&format, descr, &err), "a colon in a name");
	descr->items[0] = field(&arena, "when", "<M8[ns]");
	CHECK(fields_to_pep3118(&format, descr, &err) && strstr(err.message, "when"), "%s",
		err.message);
	descr->items[0] = value_int(&arena, 3);
	CHECK(fields_to_pep3118(&format, descr, &err), "a field that is not a tuple");
	CHECK(fields_item_bytes(descr) == -1, "a field that is not a tuple");
	text_free(&format);
	arena_free(&arena);
}

/* descr as a dict, which np.dtype() accepts but the specification does not define. */
static void test_objects_in_wrong_descr(void)
{
	struct arena arena = { 0 };
	struct value *descr = value_map(&arena), *names = value_list(&arena),
		     *types = value_list(&arena);

	value_append(&arena, names, value_text(&arena, "Offset"));
	value_append(&arena, types, value_text(&arena, "<f4"));
	value_set(&arena, descr, "names", names);
	value_set(&arena, descr, "formats", types);
	CHECK(!fields_hold_objects(descr), "an O in a name is not an object");
	value_append(&arena, types, value_text(&arena, "|O"));
	CHECK(fields_hold_objects(descr), "an object among the formats");
	arena_free(&arena);
}

/* The names of fields after padding got one, with those of nested fields in parentheses. */
static const struct {
	const char *format;
	int64_t item_bytes;
	const char *named;
} paddings[] = {
	{ "id", 16, "f0 padding1 f1" },
	{ "di", 12, "f0 f1" },
	{ "T{i:a:d:b:}", 16, "a  b" },
	{ "T{i:f1:d:f00:}", 16, "f1 padding1 f00" },
	{ "T{i:f1:d:padding1:}", 16, "f1 padding1_ padding1" },
	{ "T{i:a:d:f2:i:b:}", 24, "a  f2 b " },
	{ "T{i:f4:d:f2:i:b:}", 24, "f4  f2 b padding4" },
	{ "T{T{i:f1:d:b:}:f1:}", 16, "f1 (f1 padding1 b)" },
};

static void add_names(struct text *out, const struct value *descr)
{
	for (size_t i = 0; i < descr->n_items; i++) {
		const struct value *type = value_item(descr->items[i], 1);

		text_printf(out, "%s%s", i ? " " : "",
			value_text_or(fields_name_of(descr->items[i]), "?"));
		if (!value_is(type, VALUE_LIST))
			continue;
		text_add(out, " (");
		add_names(out, type);
		text_add(out, ")");
	}
}

static void test_names_of_padding(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(paddings); i++) {
		struct arena arena = { 0 };
		struct text named = { 0 }, format = { 0 }, again = { 0 };
		struct err err = { 0 };
		const struct value *descr = fields_from_pep3118(
			&arena, paddings[i].format, paddings[i].item_bytes, &err);

		CHECK(descr, "%s: %s", paddings[i].format, err.message);
		CHECK(!fields_to_pep3118(&format, descr, &err), "%s", err.message);
		text_add(&named, "");
		add_names(&named, fields_name_padding(&arena, descr));
		CHECK(!strcmp(named.bytes, paddings[i].named), "%s gave '%s'", paddings[i].format,
			named.bytes);
		CHECK(!fields_to_pep3118(&again, descr, &err) && !strcmp(format.bytes, again.bytes),
			"%s is unchanged", paddings[i].format);
		text_free(&named);
		text_free(&format);
		text_free(&again);
		arena_free(&arena);
	}
}

int main(void)
{
	test_names_of_padding();
	test_objects_in_wrong_descr();
	test_formats();
	test_descr();
	return test_end();
}
