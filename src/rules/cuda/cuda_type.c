// SPDX-License-Identifier: MIT
/* The element type of __cuda_array_interface__, versions 0 to 3. */
#include "rules/cuda/cuda.h"

#include <string.h>

enum { LONGEST_REAL_BYTES = 8, LONGEST_COMPLEX_BYTES = 16, HALF_COMPLEX_BYTES = 4 };

/* CAI206 covers sizes of b, CAI203 covers O. */
static void cai_check_numpy_type(const struct subject *subject, struct report *report)
{
	shared_check_numpy_type(subject, report, "bO");
}

static void cai_check_object(const struct subject *subject, struct report *report)
{
	if (shared_typestr(subject).kind == 'O')
		rule_fail(report, "typestr", "typestr %s declares Python objects",
			shared_show_typestr(subject));
}

static void cai_check_bool(const struct subject *subject, struct report *report)
{
	struct typestr typestr = shared_typestr(subject);

	if (typestr.kind == 'b' && typestr.size != 1)
		rule_fail(report, "typestr",
			"typestr %s declares booleans of %lld bytes, expected 1",
			shared_show_typestr(subject), (long long)typestr.size);
}

static void cai_check_device_type(const struct subject *subject, struct report *report)
{
	struct typestr typestr = shared_typestr(subject);

	if (typestr.kind == 'f' && typestr.size > LONGEST_REAL_BYTES)
		rule_fail(report, "typestr",
			"typestr %s declares floating-point numbers of %lld bytes, expected at most %d on a device",
			shared_show_typestr(subject), (long long)typestr.size, LONGEST_REAL_BYTES);
	else if (typestr.kind == 'c' && typestr.size > LONGEST_COMPLEX_BYTES)
		rule_fail(report, "typestr",
			"typestr %s declares complex numbers of %lld bytes, expected at most %d on a device",
			shared_show_typestr(subject), (long long)typestr.size,
			LONGEST_COMPLEX_BYTES);
	else if (typestr.kind == 'c' && typestr.size == HALF_COMPLEX_BYTES)
		rule_fail(report, "typestr",
			"typestr %s declares complex numbers of %d bytes, for which numpy.dtype, and so most consumers, have no type",
			shared_show_typestr(subject), HALF_COMPLEX_BYTES);
	else if (strchr("SUMmt", typestr.kind))
		rule_fail(report, "typestr",
			"typestr %s is of kind '%c', which most consumers on a device reject",
			shared_show_typestr(subject), typestr.kind);
}

/* Whether libraries use the name for a type that has no typestr. */
static bool lacks_typestr(const char *dtype)
{
	static const char *const names[] = { "bfloat16", "float8_", "float6_", "float4_", "int4",
		"int2", "uint4", "uint2", NULL };
	const char *dot = strrchr(dtype, '.');

	if (dot)
		dtype = dot + 1;
	for (size_t i = 0; names[i]; i++) {
		size_t n_chars = strlen(names[i]);

		if (!strncmp(dtype, names[i], n_chars) &&
			(!dtype[n_chars] || names[i][n_chars - 1] == '_'))
			return true;
	}
	return false;
}

/* The element type of the DLPack export if it has no typestr; or NULL. */
static const char *nameless_dlpack_type(const struct subject *subject)
{
	const struct value *dtype = value_at(
		shared_interface_of(subject, PROTOCOL_DLPACK)->declared, "dl_tensor.dtype");
	struct dtype *read = arena_alloc(subject->arena, sizeof(*read));
	struct err ignored;

	if (!value_is(dtype, VALUE_MAP) ||
		dtype_from_dlpack(read, value_int_or(value_get(dtype, "code"), -1),
			value_int_or(value_get(dtype, "bits"), 0),
			value_int_or(value_get(dtype, "lanes"), 0), &ignored))
		return NULL;
	return lacks_typestr(read->name) ? read->name : NULL;
}

static void cai_check_nameless(const struct subject *subject, struct report *report)
{
	const char *name = subject->target->own.dtype;

	if (!name || !lacks_typestr(name))
		name = nameless_dlpack_type(subject);
	if (name)
		rule_fail(report, "typestr",
			"typestr is %s, but the object reports elements of type %s, which a typestr cannot express",
			shared_show_typestr(subject), name);
}

/* Self-reported raw bytes have no fields. */
static void cai_check_structure(const struct subject *subject, struct report *report)
{
	const char *own = subject->target->own.dtype;

	if (shared_typestr(subject).kind == 'V' && (!own || strncmp(own, "|V", 2) != 0) &&
		value_is_null(value_get(subject->declared, "descr")))
		rule_fail(report, "typestr", "typestr %s does not describe fields, and descr is %s",
			shared_show_typestr(subject),
			shared_show(subject->arena, value_get(subject->declared, "descr")));
}

const struct rule cuda_type_rules[] = {
	{
		CUDA_RULE("CAI201", "typestr-grammar", ERROR, MUST),
		.requires = { "CAI103" },
		.clause = CLAUSE_CUDA "typestr; " CLAUSE_NUMPY "typestr",
		.summary =
			"typestr is a byte order (< > | =), a letter for the kind, a size that is valid for that kind and, for kinds M and m, an optional unit such as [ns]; '|O' and common names of numpy.dtype, such as 'f4', are accepted",
		.why = "CuPy, Numba and cuda.core raise TypeError (from numpy.dtype) for nearly all other strings, and PyTorch raises ValueError; a consumer with its own parser may compute a wrong size",
		.fix = "use numpy.dtype(...).str: '<f4' for float32, '|b1' for bool",
		.check = cai_check_numpy_type,
	},
	{
		CUDA_RULE("CAI202", "byte-order", WARNING, FACT),
		.requires = { "CAI201" },
		.clause = CLAUSE_CUDA
		"typestr (silent on byte order; CuPy and mpi4py reject a foreign one)",
		.summary =
			"the byte order in typestr, if it applies to the elements, is that of this machine",
		.why = "a GPU computes only in its native byte order: CuPy and mpi4py reject the array, and PyTorch ignores the byte order and reads wrong numbers",
		.fix = "swap the bytes before the array is copied to a device: array.astype(array.dtype.newbyteorder('='))",
		.check = shared_check_native_order,
	},
	{
		CUDA_RULE("CAI203", "object-kind", ERROR, FACT),
		.requires = { "CAI201" },
		.clause = CLAUSE_CUDA "data (\"The data must be device-accessible\")",
		.summary = "the kind in typestr is not O",
		.why = "the elements would be pointers to Python objects, which no device can dereference",
		.fix = "export numbers, or keep the array on the host",
		.check = cai_check_object,
	},
	{
		CUDA_RULE("CAI204", "inexpressible-type", WARNING, HAZARD),
		.optional_facts = FACT_STRUCT,
		.requires = { "CAI201" },
		.clause =
			CLAUSE_NUMPY "typestr (cannot express bfloat16, float8 and sub-byte types)",
		.summary = "the element type can be expressed as a typestr",
		.why = "exporters declare such elements as V2, f2, u1 or V1: consumers compute with the wrong type, or see raw bytes",
		.fix = "export such arrays only through __dlpack__, and raise AttributeError in __cuda_array_interface__, as "
		       "JAX does",
		.check = cai_check_nameless,
	},
	{
		CUDA_RULE("CAI205", "structure-descr", WARNING, HAZARD),
		.requires = { "CAI204" },
		.clause = CLAUSE_CUDA "descr (\"This is for describing more complicated types\")",
		.summary =
			"descr is present and not None if typestr is of kind V, unless the object's own dtype is raw bytes",
		.why = "typestr gives only the size of a structure: without descr, consumers see raw bytes instead of fields",
		.fix = "add descr=numpy.dtype(...).descr; export raw bytes as u1 with one more dimension",
		.check = cai_check_structure,
	},
	{
		CUDA_RULE("CAI206", "bool-size", ERROR, MUST),
		.requires = { "CAI201" },
		.clause = CLAUSE_NUMPY "typestr",
		.summary = "a typestr of kind b declares a size of 1",
		.why = "numpy.dtype raises TypeError, and consumers that assume one byte for each boolean read elements at wrong addresses",
		.fix = "use '|b1', or the actual integer type of the elements",
		.check = cai_check_bool,
	},
	{
		CUDA_RULE("CAI207", "device-type", WARNING, FACT),
		.requires = { "CAI201" },
		.clause = CLAUSE_CUDA "typestr (CuPy and PyTorch reject these)",
		.summary =
			"the element type is supported on a CUDA device: not text, dates, durations, bit fields, (real or complex) long doubles or complex numbers of four bytes",
		.why = "typestr can express them, but most consumers on a device reject them; numpy.dtype raises TypeError for bit fields and '<c4'; a long double has 8 bytes on the device and 16 on the host",
		.fix = "export dates and durations as int64 and text and bit fields as u1, and convert long doubles: array.astype('f8'), or 'c16' for complex numbers; export complex numbers of four bytes as f2 with one more dimension, of extent 2",
		.check = cai_check_device_type,
	},
	{
		CUDA_RULE("CAI208", "byte-order-letter", WARNING, HAZARD),
		.requires = { "CAI201" },
		.clause = CLAUSE_NUMPY "typestr",
		.summary =
			"typestr begins with '<' or '>', or with '|' if byte order does not apply (elements of one byte, and kinds S, V, O and t), and is not a name specific to numpy.dtype, such as 'f4'",
		.why = "'|' declares no byte order, and '=' and names such as 'f4' are specific to numpy.dtype: CuPy, Numba and PyTorch, which use it, accept all three, but mpi4py and other consumers with their own parser reject '=' and names",
		.fix = "use '<' on a little-endian machine, '>' on a big-endian one, and '|' if byte order does not apply",
		.check = shared_check_order_letter,
	},
	{ .id = NULL },
};
