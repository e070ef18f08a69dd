// SPDX-License-Identifier: MIT
/* Element types in three vocabularies: tables of valid and invalid spellings, and round trips. */
#include "base/array_size.h"
#include "model/dtype.h"

#include "base/test.h"

#include <float.h>
#include <inttypes.h>
#include <string.h>

static const struct typestr_row {
	const char *typestr, *name; /* NULL name: refused */
	int64_t itemsize;
	bool foreign_order;
	const char *again, *format; /* as written back; NULL: cannot be written */
} typestr_rows[] = {
	{ "|b1", "bool", 1, false, "|b1", "?" },
	{ "<b1", "bool", 1, false, "|b1", "?" },
	{ ">b1", "bool", 1, false, "|b1", "?" },
	{ "|i1", "int8", 1, false, "|i1", "b" },
	{ ">u1", "uint8", 1, false, "|u1", "B" },
	{ "<i2", "int16", 2, false, "<i2", "h" },
	{ "<u2", "uint16", 2, false, "<u2", "H" },
	{ "<i4", "int32", 4, false, "<i4", "i" },
	{ "=u4", "uint32", 4, false, "<u4", "I" },
	{ "<i8", "int64", 8, false, "<i8", "q" },
	{ ">u8", "uint64", 8, true, ">u8", ">Q" },
	{ "<f2", "float16", 2, false, "<f2", "e" },
	{ "|f4", "float32", 4, false, "<f4", "f" },
	{ ">f8", "float64", 8, true, ">f8", ">d" },
	{ "<f04", "float32", 4, false, "<f4", "f" },
	{ "<f16", "float128", 16, false, "<f16", "g" },
	{ "<c4", "complex32", 4, false, NULL, "Ze" },
	{ "<c8", "complex64", 8, false, "<c8", "Zf" },
	{ ">c16", "complex128", 16, true, ">c16", ">Zd" },
	{ "<c32", "complex256", 32, false, "<c32", "Zg" },
	{ "<M8", "datetime64", 8, false, "<M8", NULL },
	{ "<M8[ns]", "datetime64[ns]", 8, false, "<M8[ns]", NULL },
	{ ">M8[25s]", "datetime64[25s]", 8, true, ">M8[25s]", NULL },
	/* NumPy converts a divisor to a count of a smaller unit. */
	{ "<M8[s/2]", "datetime64[500ms]", 8, false, "<M8[500ms]", NULL },
	{ "<M8[3s/2]", "datetime64[1500ms]", 8, false, "<M8[1500ms]", NULL },
	{ "<m8[h/3]", "timedelta64[20m]", 8, false, "<m8[20m]", NULL },
	{ "<M8[M/30]", "datetime64[D]", 8, false, "<M8[D]", NULL },
	{ "<M8[m/60000]", "datetime64[ms]", 8, false, "<M8[ms]", NULL },
	{ "<M8[fs/10]", "datetime64[100as]", 8, false, "<M8[100as]", NULL },
	{ "<M8[as/1]", "datetime64[as]", 8, false, "<M8[as]", NULL },
	{ "<m8[1D]", "timedelta64[D]", 8, false, "<m8[D]", NULL },
	{ "<m8[generic]", "timedelta64", 8, false, "<m8", NULL },
	{ "<m8[2147483647as]", "timedelta64[2147483647as]", 8, false, "<m8[2147483647as]", NULL },
	{ "<M8[M]", "datetime64[M]", 8, false, "<M8[M]", NULL },
	{ "<M8[m]", "datetime64[m]", 8, false, "<M8[m]", NULL },
	{ "<M8[ms]", "datetime64[ms]", 8, false, "<M8[ms]", NULL },
	{ "|S12", "bytes12", 12, false, "|S12", "12s" },
	{ "<S12", "bytes12", 12, false, "|S12", "12s" },
	{ "|S0", "bytes0", 0, false, "|S0", "0s" },
	{ "<U5", "str5", 20, false, "<U5", "5w" },
	{ ">U5", "str5", 20, true, ">U5", ">5w" },
	{ "<U0", "str0", 0, false, "<U0", "0w" },
	{ "|V12", "void12", 12, false, "|V12", "12x" },
	{ ">V2", "void2", 2, false, "|V2", "2x" },
	{ "|V0", "void0", 0, false, "|V0", "0x" },
	{ "|O", "object", 8, false, "|O", "O" },
	{ "|O8", "object", 8, false, "|O", "O" },
	{ "|t5", "bits5", 1, false, "|t5", NULL },
	{ "|t17", "bits17", 3, false, "|t17", NULL },
	{ "f4", "float32", 4, false, "<f4", "f" },
	{ "<f", "float32", 4, false, "<f4", "f" },
	{ ">d", "float64", 8, true, ">f8", ">d" },
	{ "|i", "int32", 4, false, "<i4", "i" },
	{ "?", "bool", 1, false, "|b1", "?" },
	{ "float64", "float64", 8, false, "<f8", "d" },
	{ "M8[ns]", "datetime64[ns]", 8, false, "<M8[ns]", NULL },
	{ "V12", "void12", 12, false, "|V12", "12x" },
	{ "|S1152921504606846975", "bytes1152921504606846975", INT64_MAX / 8, false,
		"|S1152921504606846975", "1152921504606846975s" },
	{ .typestr = "" },
	{ .typestr = "<" },
	{ .typestr = "<float32" },
	{ .typestr = "<f4,<f4" },
	{ .typestr = "(2,)f4" },
	{ .typestr = "f"
		     "99999999999999999999999999999999999999999999" },
	{ .typestr = "x4" },
	{ .typestr = "@f4" },
	{ .typestr = "!f4" },
	{ .typestr = "<f4 " },
	{ .typestr = "< f4" },
	{ .typestr = "<f 4" },
	{ .typestr = "<f+4" },
	{ .typestr = "<f-4" },
	{ .typestr = "<f3" },
	{ .typestr = "<f0" },
	{ .typestr = "<i16" },
	{ .typestr = "|b8" },
	{ .typestr = "<c2" },
	{ .typestr = "<M4" },
	{ .typestr = "<M8[]" },
	{ .typestr = "<M8[0s]" },
	{ .typestr = "<M8[s" },
	{ .typestr = "<M8[s]x" },
	{ .typestr = "<M8[ss]" },
	{ .typestr = "<M8[25]" },
	{ .typestr = "<M8[2147483648s]" },
	{ .typestr = "<M8[2147483647s/2]" },
	{ .typestr = "<M8[s/7]" },
	{ .typestr = "<M8[s/0]" },
	{ .typestr = "<M8[s/]" },
	{ .typestr = "<M8[s/2" },
	{ .typestr = "<M8[W/11]" },
	{ .typestr = "<M8[as/2]" },
	{ .typestr = "<M8[h/36000]" },
	{ .typestr = "<f8[ns]" },
	{ .typestr = "|O4" },
	{ .typestr = "|t0" },
	{ .typestr = "|S" },
	{ .typestr = "|x4" },
	{ .typestr = "|S9223372036854775807" },
	{ .typestr = "|S92233720368547758080" },
	{ .typestr = "<U9223372036854775807" },
	{ .typestr = "StringDType()" },
};

static void test_typestr(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(typestr_rows); i++) {
		const struct typestr_row *row = &typestr_rows[i];
		struct dtype dtype;
		struct err err;
		char out[DTYPE_TEXT_BYTES];

		if (dtype_from_typestr(&dtype, row->typestr, &err)) {
			CHECK(!row->name, "'%s': %s", row->typestr, err.message);
			CHECK(err.code == EXIT_FINDINGS, "'%s'", row->typestr);
			continue;
		}
		CHECK(row->name && !strcmp(dtype.name, row->name), "'%s': %s", row->typestr,
			dtype.name);
		CHECK(dtype_itemsize(&dtype) == row->itemsize, "'%s'", row->typestr);
		CHECK(dtype.foreign_order == row->foreign_order, "'%s'", row->typestr);
		if (dtype_to_typestr(&dtype, out, &err))
			CHECK(!row->again && err.code == EXIT_UNAVAILABLE, "'%s'", row->typestr);
		else
			CHECK(row->again && !strcmp(out, row->again), "'%s': %s", row->typestr,
				out);
		if (dtype_to_pep3118(&dtype, out, &err))
			CHECK(!row->format && err.code == EXIT_UNAVAILABLE, "'%s'", row->typestr);
		else
			CHECK(row->format && !strcmp(out, row->format), "'%s': %s", row->typestr,
				out);
	}
}

static const struct dlpack_row {
	int64_t code, bits, lanes;
	const char *name; /* NULL: refused */
	int64_t itemsize;
	const char *typestr; /* NULL: NumPy has no word for it */
} dlpack_rows[] = {
	{ 0, 8, 1, "int8", 1, "|i1" },
	{ 0, 64, 1, "int64", 8, "<i8" },
	{ 0, 4, 1, "int4", 1, NULL },
	{ 0, 24, 1, "int24", 3, NULL },
	{ 1, 1, 1, "uint1", 1, NULL },
	{ 1, 16, 1, "uint16", 2, "<u2" },
	{ 2, 16, 1, "float16", 2, "<f2" },
	{ 2, 32, 4, "float32x4", 16, NULL },
	{ 2, 64, 1, "float64", 8, "<f8" },
	{ 3, 64, 1, "opaque64", 8, NULL },
	{ 4, 16, 1, "bfloat16", 2, NULL },
	{ 5, 32, 1, "complex32", 4, NULL },
	{ 5, 64, 1, "complex64", 8, "<c8" },
	{ 5, 128, 2, "complex128x2", 32, NULL },
	{ 6, 8, 1, "bool", 1, "|b1" },
	{ 6, 8, 3, "boolx3", 3, NULL },
	{ 7, 8, 1, "float8_e3m4", 1, NULL },
	{ 8, 8, 1, "float8_e4m3", 1, NULL },
	{ 9, 8, 1, "float8_e4m3b11fnuz", 1, NULL },
	{ 10, 8, 1, "float8_e4m3fn", 1, NULL },
	{ 10, 8, 65535, "float8_e4m3fnx65535", 65535, NULL },
	{ 11, 8, 1, "float8_e4m3fnuz", 1, NULL },
	{ 12, 8, 1, "float8_e5m2", 1, NULL },
	{ 13, 8, 1, "float8_e5m2fnuz", 1, NULL },
	{ 14, 8, 1, "float8_e8m0fnu", 1, NULL },
	{ 15, 6, 1, "float6_e2m3fn", 1, NULL },
	{ 16, 6, 4, "float6_e3m2fnx4", 3, NULL },
	{ 17, 4, 1, "float4_e2m1fn", 1, NULL },
	{ 17, 4, 2, "float4_e2m1fnx2", 1, NULL },
	{ 0, 0, 1, NULL, 0, NULL },
	{ 0, 256, 1, NULL, 0, NULL },
	{ 0, -8, 1, NULL, 0, NULL },
	{ 0, 8, 0, NULL, 0, NULL },
	{ 0, 8, 65536, NULL, 0, NULL },
	{ 0, 8, -1, NULL, 0, NULL },
	{ 2, 8, 1, NULL, 0, NULL },
	{ 2, 256, 1, NULL, 0, NULL },
	{ 2, 80, 1, NULL, 0, NULL },
#if LDBL_MANT_DIG == 113
	{ 2, 128, 1, "float128", 16, "<f16" },
#else
	{ 2, 128, 1, "binary128", 16, NULL },
	{ 2, 128, 2, "binary128x2", 32, NULL },
#endif
	{ 4, 32, 1, NULL, 0, NULL },
	{ 5, 16, 1, NULL, 0, NULL },
	{ 6, 1, 1, NULL, 0, NULL },
	{ 10, 16, 1, NULL, 0, NULL },
	{ 15, 8, 1, NULL, 0, NULL },
	{ 17, 8, 1, NULL, 0, NULL },
	{ 18, 8, 1, NULL, 0, NULL },
	{ -1, 8, 1, NULL, 0, NULL },
	{ INT64_MAX, 8, 1, NULL, 0, NULL },
};

static void test_dlpack(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(dlpack_rows); i++) {
		const struct dlpack_row *row = &dlpack_rows[i];
		struct dtype dtype;
		struct err err;
		char out[DTYPE_TEXT_BYTES];
		uint8_t code, bits;
		uint16_t lanes;

		if (dtype_from_dlpack(&dtype, row->code, row->bits, row->lanes, &err)) {
			CHECK(!row->name && err.code == EXIT_FINDINGS, "row %zu: %s", i,
				err.message);
			continue;
		}
		CHECK(row->name && !strcmp(dtype.name, row->name), "row %zu: %s", i, dtype.name);
		CHECK(dtype_itemsize(&dtype) == row->itemsize, "row %zu", i);
		CHECK(!dtype_to_dlpack(&dtype, &code, &bits, &lanes, &err) && code == row->code &&
				bits == row->bits && lanes == row->lanes,
			"row %zu: %d %d %d", i, code, bits, lanes);
		if (dtype_to_typestr(&dtype, out, &err))
			CHECK(!row->typestr && err.code == EXIT_UNAVAILABLE, "row %zu", i);
		else
			CHECK(row->typestr && !strcmp(out, row->typestr), "row %zu: %s", i, out);
	}
	CHECK(!strcmp(dtype_dlpack_code_name(4), "kDLBfloat"), "code 4");
	CHECK(!strcmp(dtype_dlpack_code_name(17), "kDLFloat4_e2m1fn"), "code 17");
	CHECK(!dtype_dlpack_code_name(18) && !dtype_dlpack_code_name(-1), "unknown codes");
}

static void test_dlpack_name(void)
{
	struct dtype dtype;

	CHECK(dtype_from_dlpack_name(&dtype, "bfloat16") && dtype.kind == DTYPE_BFLOAT, "bfloat16");
	CHECK(dtype_from_dlpack_name(&dtype, "float8_e5m2fnuz") && dtype.bits == 8, "a float8");
	CHECK(!dtype_from_dlpack_name(&dtype, "float4_e2m1fn"), "half a byte");
	CHECK(!dtype_from_dlpack_name(&dtype, "int4") && !dtype.lanes,
		"no separate code, and no type");
	CHECK(!dtype_from_dlpack_name(&dtype, ""), "no name");
}

static void test_no_dlpack(void)
{
	static const char *const typestrs[] = { ">f4", "<f16", "<c32", "<M8[s]", "|S3", "<U3",
		"|V4", "|O", "|t3" };

	for (size_t i = 0; i < ARRAY_SIZE(typestrs); i++) {
		struct dtype dtype;
		struct err err = { .code = EXIT_DONE };
		uint8_t code, bits;
		uint16_t lanes;

		CHECK(!dtype_from_typestr(&dtype, typestrs[i], &err), "%s", typestrs[i]);
		CHECK(dtype_to_dlpack(&dtype, &code, &bits, &lanes, &err) == -1 &&
				err.code == EXIT_UNAVAILABLE,
			"%s", typestrs[i]);
	}
}

int main(void)
{
	test_typestr();
	test_dlpack();
	test_dlpack_name();
	test_no_dlpack();
	return test_end();
}
