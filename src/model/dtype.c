// SPDX-License-Identifier: MIT
/* Element types: size, order and NumPy's or ml_dtypes' name. Each vocabulary has its own file. */
#include "model/dtype.h"

#include "model/dtype_make.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *stem;
	int unit_bits; /* of the number in the name; 0: the name has none */
} names[] = {
	[DTYPE_BOOL] = { "bool", 0 },
	[DTYPE_INT] = { "int", 1 },
	[DTYPE_UINT] = { "uint", 1 },
	[DTYPE_FLOAT] = { "float", 1 },
	[DTYPE_COMPLEX] = { "complex", 1 },
	[DTYPE_BFLOAT] = { "bfloat", 1 },
	[DTYPE_FLOAT8] = { "float8", 0 },
	[DTYPE_DATETIME] = { "datetime64", 0 },
	[DTYPE_TIMEDELTA] = { "timedelta64", 0 },
	[DTYPE_BYTES] = { "bytes", 8 },
	[DTYPE_UNICODE] = { "str", 32 },
	[DTYPE_VOID] = { "void", 8 },
	[DTYPE_OBJECT] = { "object", 0 },
	[DTYPE_BITFIELD] = { "bits", 1 },
	[DTYPE_OPAQUE] = { "opaque", 1 },
};

int dtype_make(struct dtype *dtype, enum dtype_kind kind, int64_t count, int64_t unit_bits,
	struct err *err)
{
	int name_bits = names[kind].unit_bits;
	int64_t bits;

	memset(dtype, 0, sizeof(*dtype));
	if (__builtin_mul_overflow(count, unit_bits, &bits))
		return err_set(err, EXIT_FINDINGS,
			"an element size of %" PRId64 " x %" PRId64 " bits is out of range", count,
			unit_bits);
	if (bits < 0 || bits > INT64_MAX - 7)
		return err_set(err, EXIT_FINDINGS,
			"an element size of %" PRId64 " bits is out of range", bits);
	dtype->kind = kind;
	dtype->bits = bits;
	dtype->lanes = 1;
	if (name_bits)
		snprintf(dtype->name, sizeof(dtype->name), "%s%" PRId64, names[kind].stem,
			bits / name_bits);
	else
		snprintf(dtype->name, sizeof(dtype->name), "%s", names[kind].stem);
	return 0;
}

int64_t dtype_itemsize(const struct dtype *dtype)
{
	int64_t bits;

	if (__builtin_mul_overflow(dtype->bits, dtype->lanes, &bits) ||
		__builtin_add_overflow(bits, 7, &bits))
		return -1;
	return bits / 8;
}

bool dtype_order_is_foreign(char order)
{
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		return order == '>' || order == '!';
	return order == '<';
}

/* Bits of the unit that byte order applies to; 8 or less: no order. */
static int64_t ordered_bits(const struct dtype *dtype)
{
	switch (dtype->kind) {
	case DTYPE_BYTES:
	case DTYPE_VOID:
	case DTYPE_OBJECT:
	case DTYPE_BITFIELD:
		return 0;
	case DTYPE_UNICODE:
		return 32;
	default:
		return dtype->bits;
	}
}

char dtype_order_char(const struct dtype *dtype)
{
	bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

	if (ordered_bits(dtype) <= 8)
		return '|';
	return little != dtype->foreign_order ? '<' : '>';
}
