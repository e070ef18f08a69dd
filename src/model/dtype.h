// SPDX-License-Identifier: MIT
/*
 * Element types in every vocabulary: NumPy's typestr (arrays.interface v3),
 * DLPack's DLDataType (dlpack.h 1.3) and PEP 3118 format strings.
 */
#ifndef MODEL_DTYPE_H
#define MODEL_DTYPE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dtype_kind {
	DTYPE_BOOL,
	DTYPE_INT,
	DTYPE_UINT,
	DTYPE_FLOAT,     /* IEEE binary16/32/64 and C long double */
	DTYPE_COMPLEX,   /* bits count both parts */
	DTYPE_BFLOAT,    /* bfloat16 */
	DTYPE_FLOAT8,    /* fp8, fp6, fp4, binary128: `name` distinguishes them */
	DTYPE_DATETIME,  /* NumPy M */
	DTYPE_TIMEDELTA, /* NumPy m */
	DTYPE_BYTES,     /* NumPy S: fixed-width bytes */
	DTYPE_UNICODE,   /* NumPy U: UCS-4 characters */
	DTYPE_VOID,      /* NumPy V: structures and raw bytes */
	DTYPE_OBJECT,    /* PyObject pointers */
	DTYPE_BITFIELD,  /* NumPy t */
	DTYPE_OPAQUE,    /* DLPack's opaque handle */
};

/* The size of buffers for the typestr or the PEP 3118 format of a type. */
enum { DTYPE_TEXT_BYTES = 40 };

struct dtype {
	enum dtype_kind kind;
	int64_t bits;       /* of one lane */
	int64_t lanes;      /* 1 except for DLPack vectors */
	bool foreign_order; /* byte order is not this machine's */
	char name[40]; /* "float32", "bfloat16", "complex64", "datetime64[ns]", ">f8" is "float64"
			*/
};

/* The largest element, whose bits are counted in a signed 64-bit integer. */
#define DTYPE_MAX_BYTES (INT64_MAX / 8)

/* Bytes of one element: bits times lanes, rounded up; -1 on overflow. */
int64_t dtype_itemsize(const struct dtype *dtype);

/* Parses a typestr such as "<f4", "|b1", "<M8[ns]", "|V12", and the spellings of dtype_spell_out.
 */
int dtype_from_typestr(struct dtype *dtype, const char *typestr, struct err *err);

/* Writes the typestr of other spellings that numpy.dtype accepts: "f8", "float64" and "<d" are
 * "<f8". False if text is a typestr, or unknown. */
bool dtype_spell_out(const char *text, char typestr[DTYPE_TEXT_BYTES]);

/* Reads a type from the fields of DLDataType; the codes are dlpack.h's DLDataTypeCode. */
int dtype_from_dlpack(
	struct dtype *dtype, int64_t code, int64_t bits, int64_t lanes, struct err *err);

/* Reads a type from the name of one of whole bytes that has its own DLPack code, or few sizes:
 * "bfloat16", "float8_e4m3fn". False, with a dtype of zeros, for any other name. */
bool dtype_from_dlpack_name(struct dtype *dtype, const char *name);

/*
 * Reads a type from a PEP 3118 format (native, "<", ">", "=", "!", "@" prefixes, Zf/Zd/Zg,
 * "T{...}", "(2,3)i", "?", "c", "s", "w", "O", "&", "P"); itemsize is Py_buffer.itemsize in bytes.
 * A structure or an unknown but well-formed format is DTYPE_VOID of itemsize bytes. NULL format
 * means "B".
 */
int dtype_from_pep3118(struct dtype *dtype, const char *format, int64_t itemsize, struct err *err);

/* Bytes that a PEP 3118 format takes by its own grammar; -1 if it cannot be determined. */
int64_t dtype_pep3118_bytes(const char *format);

/* The size with every member aligned and every structure padded as in C, whatever the byte orders;
 * -1 for formats without a structure. */
int64_t dtype_pep3118_padded_bytes(const char *format);

/* Writes into out; -1 with err set (EXIT_UNAVAILABLE) if the vocabulary cannot express the type. */
int dtype_to_typestr(const struct dtype *dtype, char out[DTYPE_TEXT_BYTES], struct err *err);
int dtype_to_pep3118(const struct dtype *dtype, char out[DTYPE_TEXT_BYTES], struct err *err);
int dtype_to_dlpack(
	const struct dtype *dtype, uint8_t *code, uint8_t *bits, uint16_t *lanes, struct err *err);

/* DLPack's names of its codes, such as "kDLBfloat"; NULL for an unknown code. */
const char *dtype_dlpack_code_name(int64_t code);

#endif
