// SPDX-License-Identifier: MIT
/*
 * NAI rules of __array_struct__: the capsule and the PyArrayInterface that it holds. The document
 * is NumPy's page of the array interface, "C-struct access".
 */
#include "rules/numpy/numpy.h"

#include "model/fields.h"
#include "protocols/shared.h"

#define STRUCT_RULE(ID, NAME, SEVERITY, LEVEL) \
	NUMPY_RULE_OF(PROTOCOL_NUMPY_STRUCT, FACT_STRUCT, ID, NAME, SEVERITY, LEVEL)

/* NumPy's flags of an array. */
enum { C_CONTIGUOUS = 0x1, F_CONTIGUOUS = 0x2, ALIGNED = 0x100 };

static void nai_struct_check_capsule(const struct subject *subject, struct report *report)
{
	const struct value *capsule = value_get(subject->declared, "capsule");
	const struct value *name = value_get(capsule, "name");

	if (!shared_was_read(subject->interface))
		rule_skip(report, "reading __array_struct__ raised");
	else if (!value_is(capsule, VALUE_MAP))
		rule_fail(report, NULL, "the value is %s, not a PyCapsule",
			shared_show(subject->arena, capsule));
	else if (!value_is_null(name))
		rule_fail(report, "capsule.name", "the capsule is called %s, and must have no name",
			shared_show(subject->arena, name));
	else if (value_is_null(value_get(subject->declared, "two")))
		rule_fail(report, NULL, "the capsule points to memory that cannot be read");
}

static void nai_struct_check_two(const struct subject *subject, struct report *report)
{
	const struct value *two = value_get(subject->declared, "two");

	if (value_int_or(two, 0) != 2)
		rule_fail(report, "two", "two is %s, not 2", shared_show(subject->arena, two));
}

static void nai_struct_check_shape(const struct subject *subject, struct report *report)
{
	const struct value *shape = value_get(subject->declared, "shape");
	int64_t n_dims = value_int_or(value_get(subject->declared, "nd"), -1);

	if (n_dims < 0 || n_dims > ARRAY_MAX_DIMS)
		rule_fail(report, "nd", "nd is %s, not from 0 to %d",
			shared_show(subject->arena, value_get(subject->declared, "nd")),
			ARRAY_MAX_DIMS);
	if (n_dims < 0)
		return;
	if (n_dims && value_is_null(shape))
		rule_fail(report, "shape", "shape is NULL, and nd is %lld", (long long)n_dims);
	else if (n_dims && n_dims <= ARRAY_MAX_DIMS && !value_is_sequence(shape))
		rule_fail(report, "shape", "shape points to memory that cannot be read");
	else if (n_dims && n_dims <= ARRAY_MAX_DIMS && shape->n_items != (size_t)n_dims)
		rule_fail(report, "shape", "shape has %zu entries, and nd is %lld", shape->n_items,
			(long long)n_dims);
	else if (value_is_sequence(shape) && shape->n_items == (size_t)n_dims)
		shared_check_extents(subject, report);
}

static bool has_descr(const struct subject *subject)
{
	return value_int_or(value_get(subject->declared, "flags"), 0) & PROTOCOL_STRUCT_HAS_DESCR;
}

static void nai_struct_check_type(const struct subject *subject, struct report *report)
{
	struct dtype dtype;
	struct err err;

	if (protocol_read_struct_type(subject->declared, &dtype, &err))
		rule_fail(report, "typekind", "%s", err.message);
}

static void nai_struct_check_descr(const struct subject *subject, struct report *report)
{
	int64_t itemsize = value_int_or(value_get(subject->declared, "itemsize"), -1);
	const struct value *descr = value_get(subject->declared, "descr");
	struct dtype dtype;
	struct err err;
	bool is_known = !protocol_read_struct_type(subject->declared, &dtype, &err);

	/* Of an unknown kind the size is known, but not that of a field of that kind. */
	if (!is_known && itemsize >= 0 && itemsize <= INT64_MAX / 8 &&
		fields_item_bytes(descr) >= 0) {
		dtype = (struct dtype){ .bits = 8 * itemsize, .lanes = 1 };
		is_known = true;
	}
	if (has_descr(subject) && value_is_null(descr))
		rule_fail(report, "descr",
			"descr is NULL, and flags have 0x800, which says that it is set");
	else if (has_descr(subject) &&
		 protocol_check_descr(subject->declared, is_known ? &dtype : NULL, &err))
		rule_fail(report, "descr", "%s", err.message);
}

static void nai_struct_check_strides(const struct subject *subject, struct report *report)
{
	const struct value *strides = value_get(subject->declared, "strides");
	int64_t n_dims = value_int_or(value_get(subject->declared, "nd"), 0);

	if (n_dims <= 0 || n_dims > ARRAY_MAX_DIMS || value_is_null(strides)) /* NAI110 */
		return;
	if (!value_is_sequence(strides))
		rule_fail(report, "strides", "strides points to memory that cannot be read");
	else if (n_dims > 0 && n_dims <= ARRAY_MAX_DIMS && strides->n_items != (size_t)n_dims)
		rule_fail(report, "strides", "strides has %zu entries, and nd is %lld",
			strides->n_items, (long long)n_dims);
}

/* What a processor loads at once: a number, a date; 1 where elements are bytes or structures. */
static int64_t alignment_bytes(const struct dtype *dtype)
{
	int64_t n_bytes = dtype->kind < DTYPE_BYTES ? dtype_itemsize(dtype) : 1;

	return dtype->kind == DTYPE_COMPLEX ? n_bytes / 2 : n_bytes;
}

static void nai_struct_check_aligned(const struct subject *subject, struct report *report)
{
	const struct array *array = shared_array(subject, report);
	int64_t flags = value_int_or(value_get(subject->declared, "flags"), 0);
	int64_t unit_bytes = array ? alignment_bytes(&array->dtype) : 0;

	if (unit_bytes < 2 || !(flags & ALIGNED) || array_elements(array) <= 0)
		return;
	if (array->pointer % (uint64_t)unit_bytes) {
		rule_fail(report, "flags",
			"flags claim ALIGNED, but 0x%llx is not a multiple of %lld",
			(unsigned long long)array->pointer, (long long)unit_bytes);
		return;
	}
	for (int i = 0; i < array->n_dims; i++)
		if (array->shape[i] > 1 && array->stride_bytes[i] % unit_bytes) {
			rule_fail(report, "flags",
				"flags claim ALIGNED, but strides[%d], %lld, is not a multiple of %lld",
				i, (long long)array->stride_bytes[i], (long long)unit_bytes);
			return;
		}
}

/* A false NOTSWAPPED is NAI901's, where another interface names the byte order. */
static void nai_struct_check_flags(const struct subject *subject, struct report *report)
{
	const struct array *array = shared_array(subject, report);
	int64_t flags = value_int_or(value_get(subject->declared, "flags"), 0);

	if (!array || array_elements(array) <= 0 || protocol_lost_struct_flags(subject->declared))
		return;
	if (flags & C_CONTIGUOUS && !array_is_c_contiguous(array))
		rule_fail(report, "flags", "flags claim C_CONTIGUOUS, but strides do not");
	if (flags & F_CONTIGUOUS && !array_is_f_contiguous(array))
		rule_fail(report, "flags", "flags claim F_CONTIGUOUS, but strides do not");
}

static void nai_struct_check_keeping(const struct subject *subject, struct report *report)
{
	const struct value *capsule = value_get(subject->declared, "capsule");
	uint64_t address;

	if (value_to_address(value_get(capsule, "destructor"), &address) && !address)
		rule_fail(report, "capsule.destructor", "the capsule has no destructor");
	if (value_to_address(value_get(capsule, "context"), &address) && !address)
		rule_fail(
			report, "capsule.context", "the capsule has no context: it keeps no owner");
	if (protocol_lost_struct_flags(subject->declared))
		rule_fail(report, "flags",
			"flags are all clear, that for descr too, and descr is set: access, alignment and byte order are unknown");
}

const struct rule numpy_struct_rules[] = {
	{
		STRUCT_RULE("NAI003", "struct-capsule", ERROR, MUST),
		.clause = CLAUSE_NUMPY "__array_struct__ (\"a PyCapsule whose pointer member\")",
		.summary =
			"__array_struct__ is a PyCapsule without a name that points to a PyArrayInterface",
		.why = "NumPy asks the capsule for a pointer by no name, and raises ValueError where that fails",
		.fix = "make it with PyCapsule_New(&interface, NULL, destructor)",
		.check = nai_struct_check_capsule,
	},
	{
		STRUCT_RULE("NAI109", "struct-two", ERROR, MUST),
		.requires = { "NAI003" },
		.clause = CLAUSE_NUMPY
		"PyArrayInterface (\"contains the integer 2 -- simple sanity check\")",
		.summary = "the first field of the struct, two, is 2",
		.why = "NumPy takes it for another struct and raises ValueError",
		.fix = "set two to 2, and the fields after it in the order of PyArrayInterface",
		.check = nai_struct_check_two,
	},
	{
		STRUCT_RULE("NAI110", "struct-shape", ERROR, MUST),
		.requires = { "NAI109" },
		.clause = CLAUSE_NUMPY
		"PyArrayInterface (\"A length-nd array of shape information\")",
		.summary =
			"nd is from 0 to 64, and shape points to nd extents, none of them negative",
		.why = "numpy.asarray raises ValueError for nd out of range and negative extents, and crashes where shape is "
		       "NULL or points nowhere",
		.fix = "let shape point to nd integers of Py_intptr_t that live as long as the capsule",
		.check = nai_struct_check_shape,
	},
	{
		STRUCT_RULE("NAI111", "struct-descr", ERROR, MUST),
		.requires = { "NAI109" },
		.clause = CLAUSE_NUMPY
		"PyArrayInterface (\"same as descr key of __array_interface__\"); descr",
		.summary =
			"descr, where flags have 0x800, is not NULL but a list of fields that take itemsize bytes",
		.why = "numpy.asarray crashes where it is NULL; else it builds the element type from descr, whatever typekind and "
		       "itemsize are",
		.fix = "give numpy.dtype(...).descr, padding included, or clear the flag ARR_HAS_DESCR",
		.check = nai_struct_check_descr,
	},
	{
		STRUCT_RULE("NAI203", "struct-type", ERROR, MUST),
		.requires = { "NAI109" },
		.clause = CLAUSE_NUMPY
		"PyArrayInterface (\"character code of typestr\", \"size of each element\"); typestr",
		.summary =
			"typekind is one of t b i u f c m M O S U V, and itemsize a size that NumPy has for it",
		.why = "numpy.asarray raises TypeError, and other readers interpret the elements as another type",
		.fix = "give the letter and the bytes of numpy.dtype(...): kind and itemsize",
		.check = nai_struct_check_type,
	},
	{
		STRUCT_RULE("NAI304", "struct-strides", ERROR, MUST),
		.requires = { "NAI109" },
		.clause = CLAUSE_NUMPY
		"PyArrayInterface (\"A length-nd array of stride information\")",
		.summary = "strides is NULL, or points to nd strides in bytes",
		.why = "NumPy crashes where it points nowhere",
		.fix = "let strides point to nd integers of Py_intptr_t that live as long as the capsule, or to NULL",
		.check = nai_struct_check_strides,
	},
	{
		STRUCT_RULE("NAI305", "struct-flags", ERROR, FACT),
		.requires = { "NAI203" },
		.clause = CLAUSE_NUMPY
		"PyArrayInterface (\"flags indicating how the data should be interpreted\")",
		.summary =
			"flags claim C_CONTIGUOUS and F_CONTIGUOUS only where strides are those of that order",
		.why = "readers trust them: pygame.BufferProxy grants plain bytes where C_CONTIGUOUS is set, and returns the block at "
		       "data instead of the elements",
		.fix = "derive flags from the layout: PyArray_FLAGS(array), or set 0x1 and 0x2 only where strides are those of C or "
		       "Fortran order",
		.check = nai_struct_check_flags,
	},
	{
		STRUCT_RULE("NAI306", "struct-aligned", WARNING, HAZARD),
		.requires = { "NAI109" },
		.clause = CLAUSE_NUMPY
		"PyArrayInterface (\"flags indicating how the data should be interpreted\")",
		.summary =
			"flags claim ALIGNED only where data and strides are multiples of the element's alignment",
		.why = "C code that casts data to its type by this flag has undefined behaviour: it is slow, or a crash where the "
		       "compiler used aligned loads; NumPy checks for itself",
		.fix = "set 0x100 only where data and strides are multiples of the alignment",
		.check = nai_struct_check_aligned,
	},
	{
		STRUCT_RULE("NAI801", "struct-keeping", NOTE, HAZARD),
		.requires = { "NAI003" },
		.clause = CLAUSE_NUMPY
		"__array_struct__ (\"Be sure to take a reference to the object and call PyCapsule_SetContext\"); PyArrayInterface",
		.summary =
			"the capsule has a destructor and its owner as context, and flags are not all clear where descr is set",
		.why = "without a destructor every reader leaks the struct; without an owner the memory is freed with the object; "
		       "without flags NumPy takes the array for read-only and byte-swapped",
		.fix = "call PyCapsule_SetContext with a reference to the owner, free both in the destructor, and set flags",
		.check = nai_struct_check_keeping,
	},
	{ .id = NULL },
};
