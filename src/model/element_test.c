// SPDX-License-Identifier: MIT
/* Elements against values known from IEEE 754, the OCP 8-bit formats and NumPy. */
#include "base/array_size.h"
#include "model/element.h"

#include "base/test.h"

#include <math.h>
#include <string.h>

struct number_case {
	enum dtype_kind kind;
	bool foreign_order;
	int64_t bits;
	const char *name;
	const char *bytes;
	double expected;
};

static const struct number_case numbers[] = {
	{ DTYPE_BOOL, false, 8, "bool", "\0", 0 },
	{ DTYPE_BOOL, false, 8, "bool", "\xff", 1 },
	{ DTYPE_INT, false, 8, "int8", "\x80", -128 },
	{ DTYPE_INT, false, 16, "int16", "\xfe\xff", -2 },
	{ DTYPE_INT, true, 16, "int16", "\x01\x00", 256 },
	{ DTYPE_INT, false, 64, "int64", "\xff\xff\xff\xff\xff\xff\xff\xff", -1 },
	{ DTYPE_UINT, false, 32, "uint32", "\xff\xff\xff\xff", 4294967295.0 },
	{ DTYPE_UINT, true, 32, "uint32", "\x00\x00\x00\x01", 1 },
	{ DTYPE_FLOAT, false, 16, "float16", "\x00\x3c", 1 },
	{ DTYPE_FLOAT, false, 16, "float16", "\x00\xc0", -2 },
	{ DTYPE_FLOAT, false, 16, "float16", "\xff\x7b", 65504 },
	{ DTYPE_FLOAT, false, 16, "float16", "\x01\x00", 0x1p-24 },
	{ DTYPE_FLOAT, false, 16, "float16", "\x00\x7c", (double)INFINITY },
	{ DTYPE_FLOAT, true, 16, "float16", "\x3c\x00", 1 },
	{ DTYPE_FLOAT, false, 32, "float32", "\x00\x00\x80\x3f", 1 },
	{ DTYPE_FLOAT, true, 64, "float64", "\xbf\xf0\x00\x00\x00\x00\x00\x00", -1 },
	{ DTYPE_BFLOAT, false, 16, "bfloat16", "\x80\x3f", 1 },
	{ DTYPE_BFLOAT, false, 16, "bfloat16", "\x01\x00", 0x1p-133 },
	{ DTYPE_FLOAT8, false, 8, "float8_e4m3fn", "\x7e", 448 },
	{ DTYPE_FLOAT8, false, 8, "float8_e4m3", "\x77", 240 },
	{ DTYPE_FLOAT8, false, 8, "float8_e5m2", "\x7b", 57344 },
	{ DTYPE_FLOAT8, false, 8, "float8_e3m4", "\x6f", 15.5 },
	{ DTYPE_FLOAT8, false, 8, "float8_e4m3fnuz", "\x7f", 240 },
	{ DTYPE_FLOAT8, false, 8, "float8_e5m2fnuz", "\x7f", 57344 },
	{ DTYPE_FLOAT8, false, 8, "float8_e4m3b11fnuz", "\x7f", 30 },
	{ DTYPE_FLOAT8, false, 8, "float8_e8m0fnu", "\x80", 2 },
};

static struct dtype dtype_of(enum dtype_kind kind, int64_t bits, const char *name)
{
	struct dtype dtype = { .kind = kind, .bits = bits, .lanes = 1 };

	snprintf(dtype.name, sizeof(dtype.name), "%s", name);
	return dtype;
}

static double as_real(const struct element *element)
{
	if (element->kind == ELEMENT_SIGNED)
		return (double)element->integer;
	return element->kind == ELEMENT_UNSIGNED ? (double)element->natural : element->real;
}

static void check_numbers(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		const struct number_case *row = &numbers[i];
		struct dtype dtype = dtype_of(row->kind, row->bits, row->name);
		struct element element;

		dtype.foreign_order = row->foreign_order;
		CHECK(element_read(&element, &dtype, row->bytes), "row %zu, %s", i, row->name);
		CHECK(as_real(&element) == row->expected, "row %zu, %s: %g", i, row->name,
			as_real(&element));
	}
}

static void check_nans(void)
{
	static const struct number_case nans[] = {
		{ DTYPE_FLOAT, false, 16, "float16", "\x01\x7c", 0 },
		{ DTYPE_BFLOAT, false, 16, "bfloat16", "\xc0\x7f", 0 },
		{ DTYPE_FLOAT8, false, 8, "float8_e4m3fn", "\xff", 0 },
		{ DTYPE_FLOAT8, false, 8, "float8_e4m3fnuz", "\x80", 0 },
		{ DTYPE_FLOAT8, false, 8, "float8_e8m0fnu", "\xff", 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(nans); i++) {
		struct dtype dtype = dtype_of(nans[i].kind, nans[i].bits, nans[i].name);
		struct element element;

		CHECK(element_read(&element, &dtype, nans[i].bytes), "%s", nans[i].name);
		CHECK(element_is_nan(&element), "%s", nans[i].name);
	}
}

static uint64_t key_of(const struct element_order *order, uint64_t bits, uint64_t mask)
{
	if (order->is_bool)
		return bits != 0;
	return (order->is_float && bits & order->sign ? ~bits : bits ^ order->sign) & mask;
}

/* Every pattern of one byte, and two-byte patterns near the limits. */
static void check_order(const struct dtype *dtype)
{
	int n_bytes = (int)dtype->bits / 8;
	uint64_t mask = UINT64_MAX >> (64 - dtype->bits), last_key = 0;
	struct element element, back, last = { 0 };
	struct element_order order;
	bool any = false;

	CHECK(element_order(&order, dtype), "%s has no order", dtype->name);
	for (uint64_t key = 0; key < UINT64_C(1) << (8 * n_bytes); key++) {
		uint64_t bits =
			order.is_float && !(key & order.sign) ? ~key & mask : key ^ order.sign;
		uint64_t magnitude = order.is_float ? bits & ~order.sign : bits;
		bool is_nan = magnitude > order.limit || bits == order.nan_bits;

		if (order.is_bool && key > 1)
			break;
		CHECK(element_read(&element, dtype, &bits), "%s", dtype->name);
		CHECK(element_is_nan(&element) == is_nan, "%s 0x%x", dtype->name, (unsigned)bits);
		if (is_nan)
			continue;
		CHECK(key_of(&order, bits, mask) == key, "%s 0x%x", dtype->name, (unsigned)bits);
		element_of_key(&back, &order, dtype, key);
		CHECK(!element_less(&back, &element) && !element_less(&element, &back), "%s 0x%x",
			dtype->name, (unsigned)bits);
		CHECK(!any || element_less(&last, &element), "%s 0x%x after 0x%x", dtype->name,
			(unsigned)key, (unsigned)last_key);
		last = element;
		last_key = key;
		any = true;
	}
}

static void check_orders(void)
{
	static const char *const float8s[] = { "float8_e3m4", "float8_e4m3", "float8_e5m2",
		"float8_e4m3fn", "float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e5m2fnuz",
		"float8_e8m0fnu" };
	struct dtype dtypes[] = { dtype_of(DTYPE_BOOL, 8, "bool"), dtype_of(DTYPE_INT, 8, "int8"),
		dtype_of(DTYPE_UINT, 8, "uint8"), dtype_of(DTYPE_INT, 16, "int16"),
		dtype_of(DTYPE_FLOAT, 16, "float16"), dtype_of(DTYPE_BFLOAT, 16, "bfloat16") };
	struct dtype none = dtype_of(DTYPE_COMPLEX, 64, "complex64"), dtype;
	struct element_order order;

	for (size_t i = 0; i < ARRAY_SIZE(dtypes); i++)
		check_order(&dtypes[i]);
	for (size_t i = 0; i < ARRAY_SIZE(float8s); i++) {
		dtype = dtype_of(DTYPE_FLOAT8, 8, float8s[i]);
		check_order(&dtype);
	}
	CHECK(!element_order(&order, &none), "complex numbers have no order");
	none = dtype_of(DTYPE_FLOAT, 128, "float128");
	CHECK(!element_order(&order, &none), "16 bytes");
}

static void check_values(void)
{
	static const float pair[] = { 1, -2.5F };
	static const uint32_t characters[] = { 'a', 0xe9, 0x20ac, 0x1f600, 0, 0 };
	struct dtype complex64 = dtype_of(DTYPE_COMPLEX, 64, "complex64");
	struct dtype text = dtype_of(DTYPE_UNICODE, 192, "U6");
	struct dtype bytes = dtype_of(DTYPE_BYTES, 32, "S4");
	struct dtype vector = dtype_of(DTYPE_INT, 8, "int8");
	struct dtype record = dtype_of(DTYPE_VOID, 24, "V3");
	struct arena arena = { 0 };
	const struct value *value = element_to_value(&arena, &complex64, pair);

	CHECK(value_item(value, 1) && value_item(value, 1)->real == -2.5, "imaginary part");
	value = element_to_value(&arena, &text, characters);
	CHECK(value_is_text(value, "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"), "%s",
		value_text_or(value, "?"));
	value = element_to_value(&arena, &bytes, "ab\0");
	CHECK(value_is(value, VALUE_BYTES) && value->n_bytes == 2, "padding of bytes");
	vector.lanes = 3;
	value = element_to_value(&arena, &vector, "\1\2\3");
	CHECK(value_int_or(value_item(value, 2), 0) == 3, "third lane");
	value = element_to_value(&arena, &record, "\1\2\3");
	CHECK(value_is(value, VALUE_BYTES) && value->n_bytes == 3, "a structure's bytes");
	arena_free(&arena);
}

int main(void)
{
	check_numbers();
	check_nans();
	check_orders();
	check_values();
	return test_end();
}
