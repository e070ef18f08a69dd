// SPDX-License-Identifier: MIT
/* Elements: IEEE formats of 16 bits and more, bfloat16, and the 8-bit floats of OCP and ONNX. */
#include "model/element.h"

#include "base/array_size.h"
#include "base/utf8.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_ELEMENT_BYTES = 16 };

/* A small binary float: its fields, and the meaning of the largest exponent. */
struct small_float {
	const char *name;
	int n_bits, mantissa_bits, bias;
	enum { IEEE, FINITE, FINITE_UNSIGNED_ZERO, POWERS } flavour;
};

static const struct small_float half = { "float16", 16, 10, 15, IEEE };
static const struct small_float bfloat = { "bfloat16", 16, 7, 127, IEEE };

static const struct small_float float8s[] = {
	{ "float8_e3m4", 8, 4, 3, IEEE },
	{ "float8_e4m3", 8, 3, 7, IEEE },
	{ "float8_e5m2", 8, 2, 15, IEEE },
	{ "float8_e4m3fn", 8, 3, 7, FINITE },
	{ "float8_e4m3fnuz", 8, 3, 8, FINITE_UNSIGNED_ZERO },
	{ "float8_e4m3b11fnuz", 8, 3, 11, FINITE_UNSIGNED_ZERO },
	{ "float8_e5m2fnuz", 8, 2, 16, FINITE_UNSIGNED_ZERO },
	{ "float8_e8m0fnu", 8, 0, 127, POWERS },
};

static double small_float_value(const struct small_float *format, unsigned bits)
{
	unsigned sign_bit = 1U << (format->n_bits - 1);
	unsigned n_fractions = 1U << format->mantissa_bits;
	unsigned magnitude = bits & (sign_bit - 1), fraction = magnitude & (n_fractions - 1);
	int exponent = (int)(magnitude >> format->mantissa_bits);
	int top = (int)((sign_bit - 1) >> format->mantissa_bits);
	double value;

	if (format->flavour == POWERS)
		return bits == 0xff ? (double)NAN : ldexp(1, (int)bits - format->bias);
	if (format->flavour == IEEE && exponent == top)
		value = fraction ? (double)NAN : (double)INFINITY;
	else if (format->flavour == FINITE && magnitude == sign_bit - 1)
		value = (double)NAN;
	else if (format->flavour == FINITE_UNSIGNED_ZERO && bits == sign_bit)
		return (double)NAN;
	else if (exponent == 0)
		value = ldexp(fraction, 1 - format->bias - format->mantissa_bits);
	else
		value = ldexp(
			n_fractions + fraction, exponent - format->bias - format->mantissa_bits);
	return bits & sign_bit ? -value : value;
}

/* NULL if the name is unknown. */
static const struct small_float *find_float8(const struct dtype *dtype)
{
	for (size_t i = 0; i < ARRAY_SIZE(float8s); i++)
		if (dtype->bits == 8 && !strcmp(dtype->name, float8s[i].name))
			return &float8s[i];
	return NULL;
}

static bool read_float8(struct element *element, const struct dtype *dtype, const uint8_t *bytes)
{
	const struct small_float *format = find_float8(dtype);

	if (format)
		element->real = small_float_value(format, *bytes);
	return format != NULL;
}

static bool element_read_real(struct element *element, int64_t n_bits, const uint8_t *bytes)
{
	long double wide;
	uint16_t bits;
	float single;

	switch (n_bits) {
	case 16:
		memcpy(&bits, bytes, sizeof(bits));
		element->real = small_float_value(&half, bits);
		return true;
	case 32:
		memcpy(&single, bytes, sizeof(single));
		element->real = (double)single;
		return true;
	case 64:
		memcpy(&element->real, bytes, sizeof(element->real));
		return true;
	}
	if (n_bits != 8 * (int64_t)sizeof(wide))
		return false;
	memcpy(&wide, bytes, sizeof(wide));
	element->real = (double)wide;
	return true;
}

static bool element_read_integer(
	struct element *element, int64_t n_bits, const uint8_t *bytes, bool is_signed)
{
	uint64_t natural = 0;

	if (n_bits != 8 && n_bits != 16 && n_bits != 32 && n_bits != 64)
		return false;
	for (int64_t i = n_bits / 8; i-- > 0;)
		natural = natural << 8 | bytes[i];
	if (is_signed && n_bits < 64 && natural >> (n_bits - 1))
		natural |= UINT64_MAX << n_bits;
	element->natural = natural;
	return true;
}

/* Copies a lane in this machine's order: swapped in units of the size given. */
static void order_bytes(
	uint8_t *out, const struct dtype *dtype, const void *bytes, size_t n_bytes, size_t n_unit)
{
	const uint8_t *in = bytes;

	for (size_t i = 0; i < n_bytes; i++)
		out[i] = dtype->foreign_order ? in[i / n_unit * n_unit + n_unit - 1 - i % n_unit]
					      : in[i];
}

bool element_read(struct element *element, const struct dtype *dtype, const void *bytes)
{
	uint8_t ordered[MAX_ELEMENT_BYTES] = { 0 };
	size_t n_bytes = (size_t)dtype->bits / 8;

	if (dtype->bits < 8 || n_bytes > sizeof(ordered))
		return false;
	order_bytes(ordered, dtype, bytes, n_bytes, n_bytes);
	element->kind = ELEMENT_REAL;
	switch (dtype->kind) {
	case DTYPE_BOOL:
		element->kind = ELEMENT_UNSIGNED;
		element->natural = ordered[0] != 0;
		return true;
	case DTYPE_INT:
		element->kind = ELEMENT_SIGNED;
		return element_read_integer(element, dtype->bits, ordered, true);
	case DTYPE_UINT:
		element->kind = ELEMENT_UNSIGNED;
		return element_read_integer(element, dtype->bits, ordered, false);
	case DTYPE_FLOAT:
		return element_read_real(element, dtype->bits, ordered);
	case DTYPE_BFLOAT:
		element->real = small_float_value(
			&bfloat, (unsigned)ordered[0] | (unsigned)ordered[1] << 8);
		return dtype->bits == 16;
	case DTYPE_FLOAT8:
		return read_float8(element, dtype, ordered);
	default:
		return false;
	}
}

bool element_less(const struct element *a, const struct element *b)
{
	if (a->kind == ELEMENT_SIGNED)
		return a->integer < b->integer;
	if (a->kind == ELEMENT_UNSIGNED)
		return a->natural < b->natural;
	return a->real < b->real || (a->real == b->real && signbit(a->real) && !signbit(b->real));
}

bool element_is_nan(const struct element *element)
{
	return element->kind == ELEMENT_REAL && isnan(element->real);
}

/* The keys of a format with a sign; magnitudes over the limit are NaN. */
static void order_floats(
	struct element_order *order, int n_bits, int mantissa_bits, bool has_infinity)
{
	order->is_float = true;
	order->sign = UINT64_C(1) << (n_bits - 1);
	order->limit = order->sign - 1;
	if (has_infinity)
		order->limit &= UINT64_MAX << mantissa_bits;
}

static bool order_float8(struct element_order *order, const struct dtype *dtype)
{
	const struct small_float *format = find_float8(dtype);

	if (!format)
		return false;
	if (format->flavour == POWERS) {
		order->limit = 0xfe;
		return true;
	}
	order_floats(order, 8, format->mantissa_bits, format->flavour == IEEE);
	if (format->flavour == FINITE)
		order->limit--;
	if (format->flavour == FINITE_UNSIGNED_ZERO)
		order->nan_bits = order->sign;
	return true;
}

bool element_order(struct element_order *order, const struct dtype *dtype)
{
	int64_t n_bits = dtype->bits;
	bool is_word = n_bits == 16 || n_bits == 32 || n_bits == 64;

	*order = (struct element_order){ .limit = UINT64_MAX, .nan_bits = UINT64_MAX };
	if (dtype->lanes != 1 || dtype->foreign_order || !(n_bits == 8 || is_word))
		return false;
	switch (dtype->kind) {
	case DTYPE_BOOL:
		order->is_bool = true;
		return n_bits == 8;
	case DTYPE_INT:
		order->sign = UINT64_C(1) << (n_bits - 1);
		return true;
	case DTYPE_UINT:
		return true;
	case DTYPE_FLOAT:
		order_floats(order, (int)n_bits, n_bits == 16 ? 10 : n_bits == 32 ? 23 : 52, true);
		return is_word;
	case DTYPE_BFLOAT:
		order_floats(order, 16, bfloat.mantissa_bits, true);
		return n_bits == 16;
	case DTYPE_FLOAT8:
		return order_float8(order, dtype);
	default:
		return false;
	}
}

void element_of_key(struct element *element, const struct element_order *order,
	const struct dtype *dtype, uint64_t key)
{
	uint64_t bits = order->is_float && !(key & order->sign) ? ~key : key ^ order->sign;
	uint8_t bytes[sizeof(bits)];

	for (size_t i = 0; i < sizeof(bits); i++)
		bytes[i] = (uint8_t)(bits >> 8 * i);
	(void)element_read(element, dtype, bytes);
}

static struct value *number_to_value(
	struct arena *arena, const struct dtype *dtype, const struct element *element)
{
	if (dtype->kind == DTYPE_BOOL)
		return value_bool(arena, element->natural != 0);
	if (element->kind == ELEMENT_SIGNED)
		return value_int(arena, element->integer);
	if (element->kind == ELEMENT_UNSIGNED)
		return value_uint(arena, element->natural);
	return value_real(arena, element->real);
}

static struct value *complex_to_value(
	struct arena *arena, const struct dtype *dtype, const uint8_t *bytes)
{
	struct dtype part = *dtype;
	struct value *pair = value_tuple(arena);
	struct element element;

	part.kind = DTYPE_FLOAT;
	part.bits = dtype->bits / 2;
	for (int i = 0; i < 2; i++) {
		if (!element_read(&element, &part, bytes + i * part.bits / 8))
			return value_bytes(arena, bytes, (size_t)dtype->bits / 8);
		value_append(arena, pair, value_real(arena, element.real));
	}
	return pair;
}

/* The UTF-8 of UCS-4 characters, in which surrogates stay; numbers above the last character become
 * U+FFFD. Trailing zeros are padding. */
static struct value *unicode_to_value(
	struct arena *arena, const struct dtype *dtype, const uint8_t *bytes)
{
	size_t n_chars = (size_t)dtype->bits / 32, n_bytes = 0;
	char *text = arena_alloc(arena, 4 * n_chars + 1);

	for (size_t i = 0; i < n_chars; i++) {
		uint32_t point;

		order_bytes((uint8_t *)&point, dtype, bytes + 4 * i, 4, 4);
		if (point > 0x10ffff)
			point = 0xfffd;
		n_bytes += utf8_from_point(point, text + n_bytes);
	}
	while (n_bytes > 0 && !text[n_bytes - 1])
		n_bytes--;
	return value_text_n(arena, text, n_bytes);
}

static struct value *lane_to_value(
	struct arena *arena, const struct dtype *dtype, const uint8_t *bytes)
{
	size_t n_bytes = (size_t)dtype->bits / 8;
	struct dtype count = *dtype;
	struct element element;

	switch (dtype->kind) {
	case DTYPE_COMPLEX:
		return complex_to_value(arena, dtype, bytes);
	case DTYPE_UNICODE:
		return unicode_to_value(arena, dtype, bytes);
	case DTYPE_BYTES:
		while (n_bytes > 0 && !bytes[n_bytes - 1])
			n_bytes--;
		return value_bytes(arena, bytes, n_bytes);
	case DTYPE_DATETIME:
	case DTYPE_TIMEDELTA:
		count.kind = DTYPE_INT;
		break;
	default:
		break;
	}
	if (element_read(&element, &count, bytes))
		return number_to_value(arena, &count, &element);
	return value_bytes(arena, bytes, n_bytes);
}

struct value *element_to_value(struct arena *arena, const struct dtype *dtype, const void *bytes)
{
	const uint8_t *lanes = bytes;
	struct value *tuple;

	if (dtype->bits % 8 != 0)
		return value_bytes(arena, bytes, (size_t)dtype_itemsize(dtype));
	if (dtype->lanes == 1)
		return lane_to_value(arena, dtype, lanes);
	tuple = value_tuple(arena);
	for (int64_t i = 0; i < dtype->lanes; i++)
		value_append(
			arena, tuple, lane_to_value(arena, dtype, lanes + i * dtype->bits / 8));
	return tuple;
}
