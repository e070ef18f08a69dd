// SPDX-License-Identifier: MIT
/* PEP 3118 formats: sizes by the PEP's grammar, and their element types. */
#include "base/array_size.h"
#include "model/dtype.h"

#include "base/test.h"

#include <inttypes.h>
#include <string.h>

enum { MALFORMED = -2, SIZE_UNKNOWN = -1 };

static const struct row {
	const char *format;
	int64_t n_bytes;  /* SIZE_UNKNOWN: well-formed, but of unknown size */
	const char *name; /* with an itemsize of n_bytes, or of 24 if size_unknown; NULL: void */
	bool foreign_order;
} rows[] = {
	{ NULL, 1, "uint8", false },
	{ "b", 1, "int8", false },
	{ ">B", 1, "uint8", false },
	{ "?", 1, "bool", false },
	{ "c", 1, "bytes1", false },
	{ "h", 2, "int16", false },
	{ "!H", 2, "uint16", true },
	{ "i", 4, "int32", false },
	{ ">i", 4, "int32", true },
	{ "<I", 4, "uint32", false },
	{ "l", 8, "int64", false },
	{ "@l", 8, "int64", false },
	{ "^l", 8, "int64", false },
	{ "=l", 4, "int32", false },
	{ "<L", 4, "uint32", false },
	{ "q", 8, "int64", false },
	{ ">Q", 8, "uint64", true },
	{ "n", 8, "int64", false },
	{ "@N", 8, "uint64", false },
	{ "e", 2, "float16", false },
	{ "f", 4, "float32", false },
	{ "=d", 8, "float64", false },
	{ "g", 16, "float128", false },
	{ ">g", 16, "float128", true },
	{ "Ze", 4, "complex32", false },
	{ "Zf", 8, "complex64", false },
	{ ">Zd", 16, "complex128", true },
	{ "Zg", 32, "complex256", false },
	{ "F", 8, "complex64", false },
	{ "D", 16, "complex128", false },
	{ "s", 1, "bytes1", false },
	{ "12s", 12, "bytes12", false },
	{ "0s", 0, "bytes0", false },
	{ "w", 4, "str1", false },
	{ ">5w", 20, "str5", true },
	{ "O", 8, "object", false },
	{ " \n\td ", 8, "float64", false },
	{ "1i", 4, "int32", false },
	{ "P", 8, NULL, false },
	{ "<P", 8, NULL, false },
	{ "u", 2, NULL, false },
	{ "3u", 6, NULL, false },
	{ "5p", 5, NULL, false },
	{ "x", 1, NULL, false },
	{ "4x", 4, NULL, false },
	{ "3i", 12, NULL, false },
	{ "5c", 5, NULL, false },
	{ "(2,3)i", 24, NULL, false },
	{ "( 2 , 3 )i", 24, NULL, false },
	{ "(2,3)=d", 48, NULL, false },
	{ "=(2,3)d", 48, NULL, false },
	{ "(2)3h", 12, NULL, false },
	{ "(0)d", 0, NULL, false },
	{ "", 0, NULL, false },
	{ "<", 0, NULL, false },
	{ "i<", 4, "int32", false },
	{ "i:ival:", 4, NULL, false },
	{ "&i", 8, NULL, false },
	{ "&<(2)i", 8, NULL, false },
	{ "&T{ib}", 8, NULL, false },
	{ "&5t", 8, NULL, false },
	{ "&&i", 8, NULL, false },
	{ "X{}", 8, NULL, false },
	{ "X{ii->T{d}}", 8, NULL, false },
	{ "ix", 5, NULL, false },
	{ "bi", 8, NULL, false },
	{ "b0i", 4, NULL, false },
	{ "=bi", 5, NULL, false },
	{ "^bi", 5, NULL, false },
	{ "b^i", 5, NULL, false },
	{ "b^i@i", 12, NULL, false },
	{ "bZd", 24, NULL, false },
	{ "bZf", 12, NULL, false },
	{ "bg", 32, NULL, false },
	{ "b3w", 16, NULL, false },
	{ "ib", 5, NULL, false },
	{ "T{i:a:}", 4, NULL, false },
	{ "T{}", 0, NULL, false },
	{ "T{i:a:(2,3)=d:b:}", 52, NULL, false },
	{ "T{b:a:xxxxxxxl:b:}", 16, NULL, false },
	{ "T{b:a:>q:b:}", 9, NULL, false },
	{ "T{<i:a:<b:b:3x}", 8, NULL, false },
	{ "T{=ib}", 5, NULL, false },
	{ "(3)T{bh}", 12, NULL, false },
	{ "bT{bd}", 24, NULL, false },
	{ "T{ib}i", 12, NULL, false },
	{ "i:ival: (16,4)d:data:", 520, NULL, false },
	{ "i:ival: \n T{ H:sval: B:bval: B:cval: }:sub: ", 8, NULL, false },
	{ "T{ib}", SIZE_UNKNOWN, NULL, false },
	{ "T{T{ib}}", SIZE_UNKNOWN, NULL, false },
	{ "2T{ib}i", SIZE_UNKNOWN, NULL, false },
	{ "T{i=b}", SIZE_UNKNOWN, NULL, false },
	{ "=bT{@i}", SIZE_UNKNOWN, NULL, false },
	{ "5t", SIZE_UNKNOWN, NULL, false },
	{ "T{3t5ti}", SIZE_UNKNOWN, NULL, false },
	{ "Z", MALFORMED, NULL, false },
	{ "Zi", MALFORMED, NULL, false },
	{ "3", MALFORMED, NULL, false },
	{ "3 i", MALFORMED, NULL, false },
	{ "<n", MALFORMED, NULL, false },
	{ "=N", MALFORMED, NULL, false },
	{ "y", MALFORMED, NULL, false },
	{ "i}", MALFORMED, NULL, false },
	{ "T", MALFORMED, NULL, false },
	{ "T{i", MALFORMED, NULL, false },
	{ "T{i:a}", MALFORMED, NULL, false },
	{ ":a:", MALFORMED, NULL, false },
	{ "(2,3i", MALFORMED, NULL, false },
	{ "()i", MALFORMED, NULL, false },
	{ "(2,)i", MALFORMED, NULL, false },
	{ "(-1)i", MALFORMED, NULL, false },
	{ "(2)(3)i", MALFORMED, NULL, false },
	{ "(2)", MALFORMED, NULL, false },
	{ "&", MALFORMED, NULL, false },
	{ "X", MALFORMED, NULL, false },
	{ "X{{}", MALFORMED, NULL, false },
	{ "-3i", MALFORMED, NULL, false },
	{ "9223372036854775808i", MALFORMED, NULL, false },
	{ "9223372036854775807i", MALFORMED, NULL, false },
	{ "(4294967296,4294967296)b", MALFORMED, NULL, false },
	{ "9223372036854775807xi", MALFORMED, NULL, false },
};

static void check_row(const struct row *row)
{
	int64_t itemsize = row->n_bytes < 0 ? 24 : row->n_bytes;
	const char *format = row->format ? row->format : "NULL";
	struct dtype dtype;
	struct err err;
	char void_name[40];

	CHECK(dtype_pep3118_bytes(row->format) == (row->n_bytes < 0 ? -1 : row->n_bytes),
		"'%s': %" PRId64, format, dtype_pep3118_bytes(row->format));
	if (dtype_from_pep3118(&dtype, row->format, itemsize, &err)) {
		CHECK(row->n_bytes == MALFORMED && err.code == EXIT_FINDINGS, "'%s': %s", format,
			err.message);
		return;
	}
	snprintf(void_name, sizeof(void_name), "void%" PRId64, itemsize);
	CHECK(row->n_bytes != MALFORMED, "'%s' is read as %s", format, dtype.name);
	CHECK(!strcmp(dtype.name, row->name ? row->name : void_name), "'%s': %s", format,
		dtype.name);
	CHECK(dtype_itemsize(&dtype) == itemsize, "'%s'", format);
	CHECK(dtype.foreign_order == row->foreign_order, "'%s'", format);
}

static void test_itemsize(void)
{
	struct dtype dtype;
	struct err err;

	CHECK(dtype_from_pep3118(&dtype, "f", 8, &err) == -1, "a plain type of another size");
	CHECK(strstr(err.message, "4 bytes, but itemsize is 8"), "%s", err.message);
	CHECK(dtype_from_pep3118(&dtype, "f", -4, &err) == -1, "a negative itemsize");
	CHECK(dtype_from_pep3118(&dtype, "T{f}", INT64_MAX, &err) == -1, "too many bits");
	/* ctypes in Python 3.11 computes wrong sizes of structures: they stay raw bytes of the
	 * itemsize. */
	CHECK(!dtype_from_pep3118(&dtype, "T{<i:a:<b:b:}", 8, &err) && dtype.bits == 64, "%s",
		dtype.name);
}

/* The size of a structure with the padding that C inserts, whatever its byte orders. */
static void test_padded_bytes(void)
{
	static const struct {
		const char *format;
		int64_t n_bytes;
	} formats[] = {
		{ "T{<i:a:<b:b:}", 8 },
		{ "T{<b:a:<i:b:}", 8 },
		{ "T{>b:a:!d:b:=b:c:}", 24 },
		{ "T{<b:<a:<i:a:}", 8 },
		{ "T{<b:a:T{<b:b:<d:c:}:d:}", 24 },
		{ "<i", -1 },
		{ "T{<b:a:", -1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		CHECK(dtype_pep3118_padded_bytes(formats[i].format) == formats[i].n_bytes,
			"%" PRId64 " bytes of '%s'", dtype_pep3118_padded_bytes(formats[i].format),
			formats[i].format);
}

static void test_depth(void)
{
	char format[400] = "";

	for (size_t i = 0; i < 63; i++) {
		format[2 * i] = 'T';
		format[2 * i + 1] = '{';
		format[127 + i] = '}';
	}
	format[126] = 'b';
	CHECK(dtype_pep3118_bytes(format) == 1, "63 structures in '%s'", format);
	memset(format, '&', 300);
	format[300] = 'b';
	CHECK(dtype_pep3118_bytes(format) == -1, "300 pointers");
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_row(&rows[i]);
	test_itemsize();
	test_padded_bytes();
	test_depth();
	return test_end();
}
