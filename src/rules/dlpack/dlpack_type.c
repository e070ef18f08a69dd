// SPDX-License-Identifier: MIT
/* The element type of a DLTensor (dlpack.h 1.3, DLDataType, DLDataTypeCode). */
#include "rules/dlpack/dlpack.h"

#include "base/array_size.h"
#include "base/plural.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct data_type {
	int64_t code, bits, lanes;
};

/* False, with the rule skipped, if there is no DLTensor. */
static bool read_data_type(
	const struct subject *subject, struct report *report, struct data_type *type)
{
	const struct value *dtype = value_get(dlpack_tensor(subject, report), "dtype");

	if (!dtype)
		return false;
	type->code = value_int_or(value_get(dtype, "code"), -1);
	type->bits = value_int_or(value_get(dtype, "bits"), 0);
	type->lanes = value_int_or(value_get(dtype, "lanes"), 0);
	return true;
}

static void dlp_check_code(const struct subject *subject, struct report *report)
{
	struct data_type type;

	if (!read_data_type(subject, report, &type) || dtype_dlpack_code_name(type.code))
		return;
	if (dlpack_is_newer(subject))
		rule_skip(report,
			"type code %" PRId64 " may be defined in a DLPack version after 1.3",
			type.code);
	else
		rule_fail(report, "dl_tensor.dtype.code",
			"the type code is %" PRId64 ", which dlpack.h 1.3 does not define",
			type.code);
}

/* A number of bits, in whole bytes or not, for which the code has no type. */
static void dlp_check_bits_of(
	const struct subject *subject, struct report *report, bool is_small_float)
{
	struct data_type type;
	struct dtype dtype;
	struct err err;

	if (!read_data_type(subject, report, &type) || !dtype_dlpack_code_name(type.code) ||
		(type.code >= DLPACK_FIRST_FLOAT6) != is_small_float)
		return;
	if (dtype_from_dlpack(&dtype, type.code, type.bits, 1, &err))
		rule_fail(report, "dl_tensor.dtype.bits", "%s", err.message);
}

static void dlp_check_bits(const struct subject *subject, struct report *report)
{
	dlp_check_bits_of(subject, report, false);
}

static void dlp_check_small_float_bits(const struct subject *subject, struct report *report)
{
	dlp_check_bits_of(subject, report, true);
}

static void dlp_check_lanes(const struct subject *subject, struct report *report)
{
	struct data_type type;

	if (read_data_type(subject, report, &type) && type.lanes < 1)
		rule_fail(report, "dl_tensor.dtype.lanes",
			"lanes is %" PRId64 ", expected 1 or more", type.lanes);
}

static void dlp_check_single_lane(const struct subject *subject, struct report *report)
{
	struct data_type type;

	if (read_data_type(subject, report, &type) && type.lanes > 1)
		rule_fail(report, "dl_tensor.dtype.lanes", "lanes is %" PRId64 ", expected 1",
			type.lanes);
}

static void dlp_check_packing(const struct subject *subject, struct report *report)
{
	const struct array *array = shared_array(subject, report);
	int64_t last, row_bits;

	if (!array || !array->n_dims || !array_elements(array) || !dlpack_is_packed(subject))
		return;
	last = array->shape[array->n_dims - 1];
	row_bits = array->dtype.bits * array->dtype.lanes; /* below 8, as they are packed */
	if (last % 8 * row_bits % 8)
		rule_fail(report, "dl_tensor.shape",
			"a row of %" PRId64 " element%s of %" PRId64
			" bit%s does not end on a byte boundary, but the elements are not flagged as padded",
			last, plural(last), row_bits, plural(row_bits));
}

static void dlp_check_opaque(const struct subject *subject, struct report *report)
{
	struct data_type type;

	if (read_data_type(subject, report, &type) && type.code == DLPACK_OPAQUE_HANDLE)
		rule_fail(report, "dl_tensor.dtype.code", "the type code is kDLOpaqueHandle (3)");
}

/* The type by its name in any library: "float32", "torch.float32", "<f4"; false if text is not
 * such a name. */
static bool read_self_reported_type(const char *text, struct dtype *dtype)
{
	static const struct {
		const char *prefix;
		enum dtype_kind kind;
	} words[] = {
		{ "int", DTYPE_INT },
		{ "uint", DTYPE_UINT },
		{ "float", DTYPE_FLOAT },
		{ "complex", DTYPE_COMPLEX },
		{ "bool", DTYPE_BOOL },
		{ "bfloat", DTYPE_BFLOAT },
	};
	const char *dot = strrchr(text, '.'), *word = dot ? dot + 1 : text;
	size_t n_chars = strcspn(word, "0123456789");
	struct err ignored;

	*dtype = (struct dtype){ .kind = DTYPE_BOOL, .bits = 8, .lanes = 1 };
	if (!strcmp(word, "bool"))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		char *end;

		if (strlen(words[i].prefix) != n_chars ||
			memcmp(words[i].prefix, word, n_chars) != 0)
			continue;
		dtype->kind = words[i].kind;
		dtype->bits = strtoll(word + n_chars, &end, 10);
		return end != word + n_chars && !*end;
	}
	return *text && strchr("<>|=", *text) && !dtype_from_typestr(dtype, text, &ignored);
}

bool dlpack_self_reported_type(const struct subject *subject, struct dtype *type)
{
	return read_self_reported_type(fact_text_or(subject->target->own.dtype, ""), type);
}

static void dlp_check_self_reported_type(const struct subject *subject, struct report *report)
{
	const char *text = fact_text_or(subject->target->own.dtype, "");
	struct dtype type, own;

	if (!dlpack_tensor(subject, report))
		return;
	if (!dlpack_read_type(subject, &type))
		shared_array(subject, report);
	else if (!*text)
		rule_skip(report, "the object does not report its own dtype");
	else if (strcmp(text, type.name) != 0 && read_self_reported_type(text, &own) &&
		 !(own.kind == DTYPE_FLOAT && own.bits == 128 && !strcmp(type.name, "binary128")) &&
		 (own.kind != type.kind || own.bits != type.bits || type.lanes != 1))
		rule_fail(report, "dl_tensor.dtype",
			"the element type is %s, but the object's own dtype is %s", type.name,
			text);
}

/* DLPack does not express byte order: the other interfaces of the same elements do, if they
 * agree (NumPy's struct declares foreign order for any type with fields). */
static void dlp_check_byte_order(const struct subject *subject, struct report *report)
{
	const struct array *array = shared_array(subject, report), *other;
	const char *protocol, *foreign_by = NULL;
	size_t next = 0;

	while (array && (other = dlpack_next_other_interface(subject, &next, &protocol))) {
		if (other->pointer != array->pointer)
			continue;
		if (!other->dtype.foreign_order)
			return;
		foreign_by = foreign_by ? foreign_by : protocol;
	}
	if (foreign_by)
		rule_fail(report, "dl_tensor.dtype",
			"the elements have foreign byte order according to the %s interface, but DLPack cannot express it",
			foreign_by);
}

const struct rule dlpack_type_rules[] = {
	{
		DLPACK_EACH("DLP201", "type-code", ERROR, MUST),
		.clause = CLAUSE_DLPACK_H
		"DLDataType.code (\"should be one of DLDataTypeCode enum values\")",
		.summary = "the type code is a value of DLDataTypeCode, 0 to 17 in version 1.3",
		.why = "consumers such as NumPy, JAX and PyArrow reject a tensor whose code they do not know",
		.fix = "use kDLInt (0), kDLUInt (1), kDLFloat (2), kDLBfloat (4), kDLComplex (5), kDLBool (6), or a code of float8, float6 or float4 (7 to 17)",
		.check = dlp_check_code,
	},
	{
		DLPACK_EACH("DLP202", "type-bits", ERROR, MUST),
		.requires = { "DLP201" },
		.clause = CLAUSE_DLPACK_H "DLDataType (\"Examples\"); DLDataTypeCode",
		.summary =
			"bits is valid for the code: float 16, 32, 64, 128; bfloat 16; complex 32, 64, 128; bool 8; float8 8; integers and "
			"opaque handles any but 0",
		.why = "bits includes both components of a complex number and the whole byte of a bool; with any other value, consumers use the wrong element size, or reject the tensor",
		.fix = "set bits to the width of one lane of an element, such as 8 for a bool, or 64 for a complex number of two float32 components",
		.check = dlp_check_bits,
	},
	{
		DLPACK_EACH("DLP203", "lanes", ERROR, MUST),
		.clause = CLAUSE_DLPACK_H "DLDataType.lanes",
		.summary = "lanes is at least 1",
		.why = "the size of an element is bits times lanes, which is 0 for 0 lanes; 0 usually means that lanes was "
		       "never initialized",
		.fix = "set lanes to 1, or to the number of components of a vector type",
		.check = dlp_check_lanes,
	},
	{
		DLPACK_EACH("DLP204", "single-lane", WARNING, HAZARD),
		.requires = { "DLP203" },
		.clause = CLAUSE_DLPACK_H "DLDataType.lanes (\"used for vector types\")",
		.summary = "an element has one lane",
		.why = "vectors are legal, but NumPy, CuPy, JAX and PyArrow reject them",
		.fix = "export the lanes as an additional dimension, with lanes set to 1",
		.check = dlp_check_single_lane,
	},
	{
		DLPACK_EACH("DLP205", "byte-order", ERROR, MUST),
		.clause = "derived from " CLAUSE_DLPACK_H "DLDataType (\"native endian-ness\")",
		.summary = "elements of foreign byte order are not exported",
		.why = "the consumer reads the bytes of each number in the wrong order, without an error",
		.fix = "raise BufferError for such arrays; the user can convert them: a.astype(a.dtype.newbyteorder(\"=\"))",
		.check = dlp_check_byte_order,
	},
	{
		DLPACK_EACH("DLP206", "small-float-bits", ERROR, MUST),
		.requires = { "DLP201" },
		.clause = CLAUSE_DLPACK_H
		"kDLFloat6_e2m3fn (\"Setting bits != 6 is currently unspecified\"); kDLFloat4_e2m1fn",
		.summary = "bits is 6 for the float6 codes and 4 for float4",
		.why = "dlpack.h requires consumers to stop the import if bits has any other value; bits=8 does not declare padding, which only DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED does",
		.fix = "set bits to 6 for float6 and to 4 for float4; if each element takes a byte, also set DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED, which requires a versioned struct",
		.check = dlp_check_small_float_bits,
	},
	{
		DLPACK_EACH("DLP207", "packed-rows", NOTE, HAZARD),
		.clause = CLAUSE_DLPACK_H
		"DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED (\"is assumed packed\")",
		.summary = "rows of packed sub-byte elements end on a byte boundary",
		.why = "a consumer that rounds the size of a row to whole bytes may read the wrong elements, or miss the last one",
		.fix = "pad the last dimension to whole bytes, or use a byte for each element and set DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED, which requires a versioned struct",
		.check = dlp_check_packing,
	},
	{
		DLPACK_EACH("DLP208", "opaque-handle", WARNING, HAZARD),
		.clause = CLAUSE_DLPACK_H "kDLOpaqueHandle (\"reserved for testing purposes\")",
		.summary = "the type code is not kDLOpaqueHandle",
		.why = "the meaning of a handle differs between libraries, so consumers such as NumPy, JAX and PyArrow reject the tensor",
		.fix = "export numbers; view other data as unsigned integers of the same size",
		.check = dlp_check_opaque,
	},
	{
		DLPACK_EACH("DLP209", "own-type", ERROR, HAZARD),
		.clause = "derived from " CLAUSE_DLPACK_H "DLTensor.dtype",
		.summary =
			"the element type of the tensor is the one that the object's dtype attribute names, unless suai does not know the name",
		.why = "the consumer interprets the elements differently from the producer: bool exported as uint8 is treated as numbers instead of "
		       "a mask (dlpack#75)",
		.fix = "map dtype to code and bits with a table, with kDLBool for bool",
		.check = dlp_check_self_reported_type,
	},
	{ .id = NULL },
};
