// SPDX-License-Identifier: MIT
/* Checks of a typestr that several protocols share; NumPy arrays.interface v3, typestr. */
#include "rules/shared/shared.h"

#include "base/plural.h"
#include "base/words.h"
#include "model/fields.h"
#include "protocols/shared.h"

#include <stdlib.h>
#include <string.h>

static bool is_big_endian_host(void)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

/* Reads decimal digits; false if there are none or too many. */
static bool read_size(const char **text, int64_t *size)
{
	const char *start = *text;

	*size = 0;
	for (; **text >= '0' && **text <= '9'; (*text)++) {
		if (*size > INT64_MAX / 10 - 10)
			return false;
		*size = *size * 10 + (**text - '0');
	}
	return *text > start;
}

bool shared_read_typestr(const struct value *text, struct typestr *typestr, const char **wrong)
{
	const char *next;
	char spelt[DTYPE_TEXT_BYTES];

	*typestr = (struct typestr){ 0 };
	*wrong = value_exceeds_limit(text)    ? "exceeds suai's limit on the length of text"
		 : value_is(text, VALUE_TEXT) ? "contains a null character"
					      : "is not a str";
	if (!value_is(text, VALUE_TEXT) || strlen(text->bytes) != text->n_bytes)
		return false;
	*wrong = "does not begin with a byte order (< > | =)";
	next = dtype_spell_out(text->bytes, spelt) ? spelt : text->bytes;
	if (!*next || !strchr("<>|=", *next))
		return false;
	typestr->order = *next++;
	*wrong = "has no valid kind after the byte order (t b i u f c m M O S U V)";
	if (!*next || !strchr("tbiufcmMOSUV", *next))
		return false;
	typestr->kind = *next++;
	*wrong = "has no valid size after the kind";
	typestr->size = sizeof(void *);
	/* NumPy itself writes '|O'. */
	if (!(typestr->kind == 'O' && !*next) && !read_size(&next, &typestr->size))
		return false;
	*wrong = "has characters after the size";
	return !*next || (strchr("mM", typestr->kind) && *next == '[' && strchr(next, ']'));
}

struct typestr shared_typestr(const struct subject *subject)
{
	const struct value *text = value_get(subject->declared, "typestr");
	struct typestr typestr;
	const char *wrong;

	shared_read_typestr(text, &typestr, &wrong);
	return typestr;
}

const char *shared_show_typestr(const struct subject *subject)
{
	return shared_show(subject->arena, value_get(subject->declared, "typestr"));
}

void shared_check_typestr(const struct subject *subject, struct report *report)
{
	const struct value *text = value_get(subject->declared, "typestr");
	struct typestr typestr;
	const char *wrong;

	if (!shared_read_typestr(text, &typestr, &wrong))
		rule_fail(report, "typestr", "typestr %s %s", shared_show_typestr(subject), wrong);
}

bool shared_read_dtype(const struct subject *subject, struct dtype *dtype)
{
	const struct value *text = value_get(subject->declared, "typestr");
	struct err ignored;

	return value_is(text, VALUE_TEXT) && strlen(text->bytes) == text->n_bytes &&
	       !dtype_from_typestr(dtype, text->bytes, &ignored);
}

void shared_check_numpy_type(
	const struct subject *subject, struct report *report, const char *exempt_kinds)
{
	const struct value *text = value_get(subject->declared, "typestr");
	struct typestr typestr;
	const char *wrong;
	struct dtype dtype;
	struct err err;

	if (!shared_read_typestr(text, &typestr, &wrong))
		rule_fail(report, "typestr", "typestr %s %s", shared_show_typestr(subject), wrong);
	else if (!strchr(exempt_kinds, typestr.kind) &&
		 dtype_from_typestr(&dtype, text->bytes, &err))
		rule_fail(report, "typestr", "typestr is %s", err.message);
}

/* The number of bytes in a typestr that is otherwise invalid ('<q4'); 0: none. */
static int64_t read_wrong_size(const struct value *text)
{
	const char *next = value_text_or(text, "");
	int64_t size;

	if (!*next || !strchr("<>|=", *next) || !next[1])
		return 0;
	next += 2;
	return read_size(&next, &size) && !*next && size < INT64_MAX / 8 ? size : 0;
}

void shared_check_descr(const struct subject *subject, struct report *report)
{
	const struct value *descr = value_get(subject->declared, "descr");
	bool is_known = true;
	struct dtype dtype;
	struct err err;

	if (value_exceeds_limit(descr)) {
		rule_skip(report,
			"descr exceeds suai's limits on size and nesting; lists and tuples are read up to %d levels deep",
			VALUE_MAX_DEPTH);
		return;
	}
	if (!shared_read_dtype(subject, &dtype)) {
		int64_t size = read_wrong_size(value_get(subject->declared, "typestr"));

		dtype = (struct dtype){ .bits = 8 * size, .lanes = 1 };
		is_known = size > 0 && fields_item_bytes(descr) >= 0;
	}
	if (protocol_check_descr(subject->declared, is_known ? &dtype : NULL, &err))
		rule_fail(report, "descr", "%s", err.message);
}

static const struct typestr_kind *find_kind(const struct typestr_kind *kinds, char kind)
{
	while (kinds->kind && kinds->kind != kind)
		kinds++;
	return kinds->kind ? kinds : NULL;
}

void shared_check_kind(
	const struct subject *subject, struct report *report, const struct typestr_kind *kinds)
{
	struct typestr typestr = shared_typestr(subject);
	const char *letters = "";

	if (find_kind(kinds, typestr.kind))
		return;
	for (; kinds->kind; kinds++)
		letters = arena_printf(
			subject->arena, "%s%s%c", letters, *letters ? " " : "", kinds->kind);
	rule_fail(report, "typestr", "typestr %s is of kind %c, expected %s",
		shared_show_typestr(subject), typestr.kind,
		words_enumerate_text(subject->arena, letters, "or"));
}

void shared_check_kind_size(
	const struct subject *subject, struct report *report, const struct typestr_kind *kinds)
{
	struct typestr typestr = shared_typestr(subject);
	const struct typestr_kind *kind = find_kind(kinds, typestr.kind);
	const char *next = kind ? kind->sizes : "";
	char *end;

	for (; *next; next = end)
		if (strtoll(next, &end, 10) == typestr.size)
			return;
	if (kind)
		rule_fail(report, "typestr",
			"typestr %s declares %lld byte%s for kind %c, expected %s",
			shared_show_typestr(subject), (long long)typestr.size, plural(typestr.size),
			kind->kind, words_enumerate_text(subject->arena, kind->sizes, "or"));
}

/* Characters of U take four bytes each. */
static bool has_byte_order(const struct typestr *typestr)
{
	return typestr->kind == 'U' || (typestr->size > 1 && strchr("iufcmM", typestr->kind));
}

void shared_check_native_order(const struct subject *subject, struct report *report)
{
	struct typestr typestr = shared_typestr(subject);
	char foreign = is_big_endian_host() ? '<' : '>';

	if (typestr.order == foreign && has_byte_order(&typestr))
		rule_fail(report, "typestr", "typestr %s is %s-endian, but this machine is not",
			shared_show_typestr(subject), foreign == '>' ? "big" : "little");
}

void shared_check_order_letter(const struct subject *subject, struct report *report)
{
	const struct value *text = value_get(subject->declared, "typestr");
	struct typestr typestr = shared_typestr(subject);
	char native = is_big_endian_host() ? '>' : '<';
	char spelt[DTYPE_TEXT_BYTES];

	if (value_is(text, VALUE_TEXT) && dtype_spell_out(text->bytes, spelt))
		rule_fail(report, "typestr",
			"typestr %s is a name specific to numpy.dtype, expected '%s'",
			shared_show_typestr(subject), spelt);
	else if (typestr.order == '=')
		rule_fail(report, "typestr", "typestr %s begins with '=', expected '%c'",
			shared_show_typestr(subject), has_byte_order(&typestr) ? native : '|');
	else if (typestr.order == '|' && has_byte_order(&typestr))
		rule_fail(report, "typestr",
			"typestr %s declares no byte order for elements of %lld %s%s",
			shared_show_typestr(subject), (long long)typestr.size,
			typestr.kind == 'U' ? "character" : "byte", plural(typestr.size));
}
