// SPDX-License-Identifier: MIT
/* Plain scalars by YAML 1.2's core schema: no keywords of 1.1 (yes, on), no 0777, no 1_000,
 * no 1:30. */
#include "formats/yaml/yaml_scalar.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(const char *text, const char *const *words)
{
	for (size_t i = 0; words[i]; i++)
		if (!strcmp(text, words[i]))
			return true;
	return false;
}

static size_t count_digits(const char *text)
{
	return strspn(text, "0123456789");
}

static size_t skip_sign(const char *text)
{
	return *text == '-' || *text == '+';
}

/* [-+]?[0-9]+ */
static bool is_decimal_integer(const char *text)
{
	size_t n_sign = skip_sign(text), n_digits = count_digits(text + n_sign);

	return n_digits && !text[n_sign + n_digits];
}

/* [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)? */
static bool is_real(const char *text)
{
	size_t n_whole, n_fraction = 0;

	text += skip_sign(text);
	n_whole = count_digits(text);
	text += n_whole;
	if (*text == '.') {
		n_fraction = count_digits(text + 1);
		text += 1 + n_fraction;
	}
	if (!n_whole && !n_fraction)
		return false;
	if (!*text)
		return true;
	if (*text != 'e' && *text != 'E')
		return false;
	text += 1 + skip_sign(text + 1);
	return count_digits(text) && !text[count_digits(text)];
}

static struct value *resolve_decimal(struct arena *arena, const char *text)
{
	const char *digits = text + skip_sign(text);
	long long integer;

	errno = 0;
	integer = strtoll(text, NULL, 10);
	if (!errno)
		return value_int(arena, integer);
	/* In its shortest form: no plus, no leading zeros. */
	digits += strspn(digits, "0");
	return value_wide_int(arena, arena_printf(arena, "%s%s", *text == '-' ? "-" : "", digits));
}

/* 0o[0-7]+ and 0x[0-9a-fA-F]+ */
static int unsigned_base(const char *text)
{
	if (text[0] != '0' || !text[1] || !text[2])
		return 0;
	if (text[1] == 'o' && !text[2 + strspn(text + 2, "01234567")])
		return 8;
	if (text[1] == 'x' && !text[2 + strspn(text + 2, "0123456789abcdefABCDEF")])
		return 16;
	return 0;
}

static struct value *resolve_unsigned(struct arena *arena, const char *text, int base)
{
	unsigned long long integer;

	errno = 0;
	integer = strtoull(text + 2, NULL, base);
	return errno ? NULL : value_uint(arena, integer);
}

static struct value *resolve_not_finite(struct arena *arena, const char *text)
{
	static const char *const nan_words[] = { ".nan", ".NaN", ".NAN", NULL };
	static const char *const inf_words[] = { ".inf", ".Inf", ".INF", NULL };

	if (is_word(text, nan_words))
		return value_real(arena, (double)NAN);
	if (is_word(text + skip_sign(text), inf_words))
		return value_real(arena, (double)(*text == '-' ? -INFINITY : INFINITY));
	return NULL;
}

struct value *yaml_scalar_resolve(struct arena *arena, const char *text, size_t n_chars)
{
	static const char *const null_words[] = { "", "~", "null", "Null", "NULL", NULL };
	static const char *const true_words[] = { "true", "True", "TRUE", NULL };
	static const char *const false_words[] = { "false", "False", "FALSE", NULL };
	struct value *value;

	if (strlen(text) != n_chars)
		return value_text_n(arena, text, n_chars);
	if (is_word(text, null_words))
		return value_null(arena);
	if (is_word(text, true_words) || is_word(text, false_words))
		return value_bool(arena, (*text | 0x20) == 't');
	if (is_decimal_integer(text))
		return resolve_decimal(arena, text);
	if (unsigned_base(text))
		return resolve_unsigned(arena, text, unsigned_base(text));
	if (is_real(text))
		return isfinite(strtod(text, NULL)) ? value_real(arena, strtod(text, NULL)) : NULL;
	value = resolve_not_finite(arena, text);
	return value ? value : value_text_n(arena, text, n_chars);
}
