// SPDX-License-Identifier: MIT
/* DLPack's DLDataType: code, bits and lanes (dlpack.h 1.3, DLDataTypeCode and DLDataType). */
#include "base/array_size.h"
#include "model/dtype.h"

#include "model/dtype_make.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct code {
	const char *word;
	enum dtype_kind kind;
	int bits[3];      /* the sizes that exist; none: any */
	const char *name; /* of DTYPE_FLOAT8 */
} codes[] = {
	{ "kDLInt", DTYPE_INT, { 0 }, NULL },
	{ "kDLUInt", DTYPE_UINT, { 0 }, NULL },
	{ "kDLFloat", DTYPE_FLOAT, { 16, 32, 64 }, NULL },
	{ "kDLOpaqueHandle", DTYPE_OPAQUE, { 0 }, NULL },
	{ "kDLBfloat", DTYPE_BFLOAT, { 16 }, NULL },
	{ "kDLComplex", DTYPE_COMPLEX, { 32, 64, 128 }, NULL },
	{ "kDLBool", DTYPE_BOOL, { 8 }, NULL },
	{ "kDLFloat8_e3m4", DTYPE_FLOAT8, { 8 }, "float8_e3m4" },
	{ "kDLFloat8_e4m3", DTYPE_FLOAT8, { 8 }, "float8_e4m3" },
	{ "kDLFloat8_e4m3b11fnuz", DTYPE_FLOAT8, { 8 }, "float8_e4m3b11fnuz" },
	{ "kDLFloat8_e4m3fn", DTYPE_FLOAT8, { 8 }, "float8_e4m3fn" },
	{ "kDLFloat8_e4m3fnuz", DTYPE_FLOAT8, { 8 }, "float8_e4m3fnuz" },
	{ "kDLFloat8_e5m2", DTYPE_FLOAT8, { 8 }, "float8_e5m2" },
	{ "kDLFloat8_e5m2fnuz", DTYPE_FLOAT8, { 8 }, "float8_e5m2fnuz" },
	{ "kDLFloat8_e8m0fnu", DTYPE_FLOAT8, { 8 }, "float8_e8m0fnu" },
	{ "kDLFloat6_e2m3fn", DTYPE_FLOAT8, { 6 }, "float6_e2m3fn" },
	{ "kDLFloat6_e3m2fn", DTYPE_FLOAT8, { 6 }, "float6_e3m2fn" },
	{ "kDLFloat4_e2m1fn", DTYPE_FLOAT8, { 4 }, "float4_e2m1fn" },
};

/*
 * IEEE's binary128 as (kDLFloat, 128). It is long double on some machines (AArch64); on others,
 * whose long double is another format of 16 bytes (x86-64), a typestr cannot name it.
 */
#define BINARY128 "binary128"

enum { FLOAT_CODE = 2, BINARY128_BITS = 128 };

static const bool long_double_is_binary128 = LDBL_MANT_DIG == 113;

enum { N_CODES = ARRAY_SIZE(codes) };

const char *dtype_dlpack_code_name(int64_t code)
{
	return code >= 0 && code < N_CODES ? codes[code].word : NULL;
}

static bool bits_exist(const struct code *code, int64_t bits)
{
	if (!code->bits[0])
		return bits >= 1 && bits <= UINT8_MAX;
	for (int i = 0; i < 3 && code->bits[i]; i++)
		if (code->bits[i] == bits)
			return true;
	return false;
}

int dtype_from_dlpack(
	struct dtype *dtype, int64_t code, int64_t bits, int64_t lanes, struct err *err)
{
	bool is_binary128 = code == FLOAT_CODE && bits == BINARY128_BITS;
	bool is_named = is_binary128 && !long_double_is_binary128;
	const char *name;
	size_t used;

	if (code < 0 || code >= N_CODES)
		return err_set(err, EXIT_FINDINGS,
			"the type code is %" PRId64 ", which dlpack.h does not define", code);
	if (!bits_exist(&codes[code], bits) && !is_binary128)
		return err_set(err, EXIT_FINDINGS, "bits is %" PRId64 ", which is invalid for %s",
			bits, codes[code].word);
	if (lanes < 1 || lanes > UINT16_MAX)
		return err_set(
			err, EXIT_FINDINGS, "lanes is %" PRId64 ", expected 1 to 65535", lanes);
	if (dtype_make(dtype, is_named ? DTYPE_FLOAT8 : codes[code].kind, bits, 1, err))
		return -1;
	dtype->lanes = lanes;
	name = is_named ? BINARY128 : codes[code].name;
	if (name)
		snprintf(dtype->name, sizeof(dtype->name), "%s", name);
	used = strlen(dtype->name);
	if (lanes > 1)
		snprintf(dtype->name + used, sizeof(dtype->name) - used, "x%" PRId64, lanes);
	return 0;
}

bool dtype_from_dlpack_name(struct dtype *dtype, const char *name)
{
	struct err ignored;

	for (int i = 0; i < N_CODES; i++)
		for (int j = 0; j < 3 && codes[i].bits[j]; j++)
			if (codes[i].bits[j] % 8 == 0 &&
				!dtype_from_dlpack(dtype, i, codes[i].bits[j], 1, &ignored) &&
				!strcmp(dtype->name, name))
				return true;
	*dtype = (struct dtype){ 0 };
	return false;
}

/* Whether the name without its lanes is word; NULL: any name. */
static bool name_matches(const char *word, const char *name)
{
	size_t n_chars = word ? strlen(word) : 0;

	return !n_chars ||
	       (!strncmp(word, name, n_chars) && (!name[n_chars] || name[n_chars] == 'x'));
}

/* Whether the type is that of the code and bits. */
static bool dlpack_code_fits_type(int64_t code, const struct dtype *dtype)
{
	if (code == FLOAT_CODE && dtype->bits == BINARY128_BITS)
		return long_double_is_binary128 ? dtype->kind == DTYPE_FLOAT
						: dtype->kind == DTYPE_FLOAT8 &&
							  name_matches(BINARY128, dtype->name);
	return codes[code].kind == dtype->kind && bits_exist(&codes[code], dtype->bits) &&
	       name_matches(codes[code].name, dtype->name);
}

int dtype_to_dlpack(
	const struct dtype *dtype, uint8_t *code, uint8_t *bits, uint16_t *lanes, struct err *err)
{
	if (dtype->foreign_order)
		return err_set(err, EXIT_UNAVAILABLE,
			"DLPack cannot express the byte order of this %s", dtype->name);
	for (int i = 0; i < N_CODES; i++) {
		if (!dlpack_code_fits_type(i, dtype) || dtype->lanes < 1 ||
			dtype->lanes > UINT16_MAX)
			continue;
		*code = (uint8_t)i;
		*bits = (uint8_t)dtype->bits;
		*lanes = (uint16_t)dtype->lanes;
		return 0;
	}
	return err_set(err, EXIT_UNAVAILABLE, "DLPack has no type for %s", dtype->name);
}
