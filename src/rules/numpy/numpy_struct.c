// SPDX-License-Identifier: MIT
/*
 * NAI rules of __array_struct__: the capsule and its PyArrayInterface. The document is NumPy's page
 * of the array interface, "C-struct access".
 */
#include "rules/numpy/numpy.h"

#include "model/fields.h"

#define STRUCT_RULE(ID, NAME, SEVERITY, LEVEL) \
	INTERFACE_RULE(PROTOCOL_NUMPY_STRUCT, FACT_STRUCT, ID, NAME, SEVERITY, LEVEL)

/* NumPy's array flags. */
enum { C_CONTIGUOUS = 0x1, F_CONTIGUOUS = 0x2, ALIGNED = 0x100 };

static void nai_struct_check_capsule(const struct subject *subject, struct report *report)
{
	const struct value *capsule = value_get(subject->declared, "capsule");
	const struct value *name = value_get(capsule, "name");

	if (!interface_was_read(subject->interface))
		rule_skip(report, "reading __array_struct__ raised an exception");
	else if (!value_is(capsule, VALUE_MAP))
		rule_fail(report, NULL, "__array_struct__ is %s, expected a PyCapsule",
			shared_show(subject->arena, capsule));
	else if (!value_is_null(name))
		rule_fail(report, "capsule.name", "the capsule is named %s, expected no name",
			shared_show(subject->arena, name));
	else if (value_is_null(value_get(subject->declared, "two")))
		rule_fail(report, NULL, "the capsule points to memory that cannot be read");
}

static void nai_struct_check_two(const struct subject *subject, struct report *report)
{
	const struct value *two = value_get(subject->declared, "two");

	if (value_int_or(two, 0) != 2)
		rule_fail(report, "two", "two is %s, expected 2", shared_show(subject->arena, two));
}

static void nai_struct_check_shape(const struct subject *subject, struct report *report)
{
	const struct value *shape = value_get(subject->declared, "shape");
	int64_t n_dims = value_int_or(value_get(subject->declared, "nd"), -1);

	if (n_dims < 0 || n_dims > ARRAY_MAX_DIMS)
		rule_fail(report, "nd", "nd is %s, expected 0 to %d",
			shared_show(subject->arena, value_get(subject->declared, "nd")),
			ARRAY_MAX_DIMS);
	else if (n_dims && value_is_null(shape))
		rule_fail(report, "shape", "shape is NULL but nd is %lld", (long long)n_dims);
	else if (n_dims && shared_check_entries(subject, report, "shape", n_dims))
		shared_check_extents(subject, report);
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

	/* The size of an unknown kind is known, but not the size of a field of that kind. */
	if (!is_known && itemsize >= 0 && itemsize <= INT64_MAX / 8 &&
		fields_item_bytes(descr) >= 0) {
		dtype = (struct dtype){ .bits = 8 * itemsize, .lanes = 1 };
		is_known = true;
	}
	if (numpy_struct_has_descr(subject) && value_is_null(descr))
		rule_fail(
			report, "descr", "descr is NULL but flags contains ARR_HAS_DESCR (0x800)");
	else if (numpy_struct_has_descr(subject) &&
		 protocol_check_descr(subject->declared, is_known ? &dtype : NULL, &err))
		rule_fail(report, "descr", "%s", err.message);
}

static void nai_struct_check_strides(const struct subject *subject, struct report *report)
{
	const struct value *strides = value_get(subject->declared, "strides");
	int64_t n_dims = value_int_or(value_get(subject->declared, "nd"), 0);

	if (n_dims > 0 && n_dims <= ARRAY_MAX_DIMS && !value_is_null(strides)) /* NAI110 */
		shared_check_entries(subject, report, "strides", n_dims);
}

static void nai_struct_check_aligned(const struct subject *subject, struct report *report)
{
	const struct array *array = shared_array(subject, report);
	int64_t flags = value_int_or(value_get(subject->declared, "flags"), 0);
	int64_t unit_bytes = 0; /* that a processor loads at once: a number, a date */

	if (array && array->dtype.kind < DTYPE_BYTES)
		unit_bytes = dtype_itemsize(&array->dtype) /
			     (array->dtype.kind == DTYPE_COMPLEX ? 2 : 1);
	if (unit_bytes < 2 || !(flags & ALIGNED) || array_elements(array) <= 0)
		return;
	if (array->pointer % (uint64_t)unit_bytes) {
		rule_fail(report, "flags",
			"flags contains ALIGNED, but data is 0x%llx, not a multiple of %lld bytes",
			(unsigned long long)array->pointer, (long long)unit_bytes);
		return;
	}
	for (int i = 0; i < array->n_dims; i++)
		if (array->shape[i] > 1 && array->stride_bytes[i] % unit_bytes) {
			rule_fail(report, "flags",
				"flags contains ALIGNED, but strides[%d] is %lld, not a multiple of %lld bytes",
				i, (long long)array->stride_bytes[i], (long long)unit_bytes);
			return;
		}
}

/* NAI901 reports a false NOTSWAPPED if another interface declares the byte order. */
static void nai_struct_check_flags(const struct subject *subject, struct report *report)
{
	const struct array *array = shared_array(subject, report);
	int64_t flags = value_int_or(value_get(subject->declared, "flags"), 0);

	if (!array || array_elements(array) <= 0 || protocol_lost_struct_flags(subject->declared))
		return;
	if (flags & C_CONTIGUOUS && !array_is_c_contiguous(array))
		rule_fail(report, "flags",
			"flags contains C_CONTIGUOUS, but according to strides the array is not C-contiguous");
	if (flags & F_CONTIGUOUS && !array_is_f_contiguous(array))
		rule_fail(report, "flags",
			"flags contains F_CONTIGUOUS, but according to strides the array is not Fortran-contiguous");
}

static void nai_struct_check_owner(const struct subject *subject, struct report *report)
{
	const struct value *capsule = value_get(subject->declared, "capsule");
	uint64_t address;

	if (value_to_address(value_get(capsule, "destructor"), &address) && !address)
		rule_fail(report, "capsule.destructor", "the capsule has no destructor");
	if (value_to_address(value_get(capsule, "context"), &address) && !address)
		rule_fail(report, "capsule.context",
			"the capsule has no context, so it keeps no reference to the owner of the memory");
	if (protocol_lost_struct_flags(subject->declared))
		rule_fail(report, "flags",
			"flags is 0 although descr is not NULL: access, alignment and byte order are unknown");
}

const struct rule numpy_struct_rules[] = {
	{
		STRUCT_RULE("NAI003", "struct-capsule", ERROR, MUST),
		.clause = CLAUSE_NUMPY "__array_struct__ (\"a PyCapsule whose pointer member\")",
		.summary =
			"__array_struct__ is a PyCapsule without a name that points to a PyArrayInterface",
		.why = "numpy.asarray raises ValueError for any other object and for a capsule that has a name, and crashes if the pointer in the capsule is invalid",
		.fix = "allocate the PyArrayInterface on the heap, and create the capsule with PyCapsule_New(interface, NULL, destructor)",
		.check = nai_struct_check_capsule,
	},
	{
		STRUCT_RULE("NAI109", "struct-two", ERROR, MUST),
		.requires = { "NAI003" },
		.clause = CLAUSE_NUMPY
		"PyArrayInterface (\"contains the integer 2 -- simple sanity check\")",
		.summary = "the first field of the struct, two, is 2",
		.why = "numpy.asarray uses two to recognize a PyArrayInterface, and raises ValueError for any other value",
		.fix = "set two to 2, and declare the other fields in the order of PyArrayInterface",
		.check = nai_struct_check_two,
	},
	{
		STRUCT_RULE("NAI110", "struct-shape", ERROR, MUST),
		.requires = { "NAI109" },
		.clause = CLAUSE_NUMPY
		"PyArrayInterface (\"A length-nd array of shape information\")",
		.summary =
			"nd is from 0 to 64, and shape points to nd non-negative extents, or is NULL if nd is 0",
		.why = "numpy.asarray raises ValueError if nd is out of range or an extent is negative; if nd is positive, it crashes if "
		       "shape is NULL or points to unmapped memory",
		.fix = "set nd to the number of dimensions, at most 64, and point shape to nd non-negative Py_intptr_t values that live as long as the capsule",
		.check = nai_struct_check_shape,
	},
	{
		STRUCT_RULE("NAI111", "struct-descr", ERROR, MUST),
		.requires = { "NAI109" },
		.clause = CLAUSE_NUMPY
		"PyArrayInterface (\"same as descr key of __array_interface__\"); descr",
		.summary =
			"if flags contains ARR_HAS_DESCR (0x800), descr is a list of fields (2-tuples or 3-tuples) whose names and titles are distinct and whose sizes add up to itemsize",
		.why = "numpy.asarray crashes if descr is NULL, ignores descr if numpy.dtype rejects it, and otherwise builds the "
		       "element type from descr and ignores typekind and itemsize",
		.fix = "use numpy.dtype(...).descr, which includes padding, or clear the flag ARR_HAS_DESCR",
		.check = nai_struct_check_descr,
	},
	{
		STRUCT_RULE("NAI203", "struct-type", ERROR, MUST),
		.requires = { "NAI109" },
		.subsumed_by = { "NAI201" },
		.clause = CLAUSE_NUMPY
		"PyArrayInterface (\"character code of typestr\", \"size of each element\"); typestr",
		.summary =
			"typekind is one of t b i u f c m M O S U V, and itemsize is valid for that kind",
		.why = "unless descr declares the element type, numpy.asarray raises TypeError for most such types, but for kinds O and U assumes another size and reads past the elements; other consumers may interpret the elements as another type",
		.fix = "use the kind and itemsize of numpy.dtype(...)",
		.check = nai_struct_check_type,
	},
	{
		STRUCT_RULE("NAI304", "struct-strides", ERROR, MUST),
		.requires = { "NAI109" },
		.clause = CLAUSE_NUMPY
		"PyArrayInterface (\"A length-nd array of stride information\")",
		.summary = "strides is NULL, or points to nd strides in bytes",
		.why = "numpy.asarray crashes if strides points to unmapped memory",
		.fix = "point strides to nd Py_intptr_t values that live as long as the capsule, or set it to NULL",
		.check = nai_struct_check_strides,
	},
	{
		STRUCT_RULE("NAI305", "struct-flags", ERROR, FACT),
		.requires = { "NAI203" },
		.clause = CLAUSE_NUMPY
		"PyArrayInterface (\"flags indicating how the data should be interpreted\")",
		.summary =
			"flags contains C_CONTIGUOUS or F_CONTIGUOUS only if the array is contiguous in that order",
		.why = "pygame.BufferProxy trusts these flags: it grants PyBUF_SIMPLE because of a false C_CONTIGUOUS, and PyBUF_F_CONTIGUOUS because of a false F_CONTIGUOUS, so consumers read the bytes that follow data instead of the elements",
		.fix = "derive flags from the layout: use PyArray_FLAGS(array), or set 0x1 (C_CONTIGUOUS) and 0x2 (F_CONTIGUOUS) only if the array is contiguous in that order",
		.check = nai_struct_check_flags,
	},
	{
		STRUCT_RULE("NAI306", "struct-aligned", WARNING, HAZARD),
		.requires = { "NAI109" },
		.clause = CLAUSE_NUMPY
		"PyArrayInterface (\"flags indicating how the data should be interpreted\")",
		.summary =
			"flags contains ALIGNED only if data and the strides of dimensions of more than one element are multiples of the alignment of the element type",
		.why = "C code that relies on this flag and accesses elements through a pointer to their type has undefined behaviour, and can crash if the compiler used aligned loads; NumPy checks the alignment itself",
		.fix = "set 0x100 (ALIGNED) only if data and strides are multiples of the alignment of the element type",
		.check = nai_struct_check_aligned,
	},
	{
		STRUCT_RULE("NAI801", "struct-ownership", NOTE, HAZARD),
		.requires = { "NAI003" },
		.clause = CLAUSE_NUMPY
		"__array_struct__ (\"Be sure to take a reference to the object and call PyCapsule_SetContext\"); PyArrayInterface",
		.summary =
			"the capsule has a destructor, and the object that owns the memory as its context; if descr is not NULL, flags is not 0",
		.why = "without a destructor, a struct that is allocated for each read leaks; without a context, a consumer that keeps only the capsule can access freed memory; if flags is 0, NumPy ignores descr and treats the array as read-only and byte-swapped",
		.fix = "call PyCapsule_SetContext with a reference to the owner, release the owner and free the struct in the "
		       "destructor, and set flags",
		.check = nai_struct_check_owner,
	},
	{ .id = NULL },
};
