// SPDX-License-Identifier: MIT
/* CAI110 to CAI117: the optional keys of __cuda_array_interface__: strides, descr, mask, stream. */
#include "rules/cuda/cuda.h"

#include "protocols/shared.h"

#include <string.h>

enum { STREAM_SINCE = 3 };

static void cai_check_strides(const struct subject *subject, struct report *report)
{
	if (value_is_null(value_get(subject->declared, "strides")))
		return;
	shared_check_tuple(subject, report, "strides", -1);
	shared_check_integers(subject, report, "strides");
}

static void cai_check_mask(const struct subject *subject, struct report *report)
{
	const struct value *mask = value_get(subject->declared, "mask");

	if (value_is_null(mask) || value_is(mask, VALUE_OPAQUE) ||
		value_bool_or(value_get(mask, "exposes"), false))
		return;
	rule_fail(report, "mask", "mask is %s, which has no __cuda_array_interface__",
		value_is(mask, VALUE_MAP) ? "an object" : shared_show(subject->arena, mask));
}

/* What the elements of mask are, where they are neither bits, booleans nor bytes; else "". */
static const char *show_odd_elements(const struct subject *subject)
{
	static const char *const types[] = { "b1", "u1", "i1", "t1" };
	const struct value *typestr = value_at(subject->declared, "mask.declared.typestr");

	if (!value_is(typestr, VALUE_TEXT) || !typestr->n_bytes)
		return "";
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (!strcmp(types[i], typestr->bytes + 1))
			return "";
	return arena_printf(
		subject->arena, " by elements of type %s", shared_show(subject->arena, typestr));
}

static void cai_check_no_mask(const struct subject *subject, struct report *report)
{
	if (!value_is_null(value_get(subject->declared, "mask")))
		rule_fail(report, "mask", "the array is masked%s", show_odd_elements(subject));
}

static void cai_check_stream_type(const struct subject *subject, struct report *report)
{
	const struct value *stream = value_get(subject->declared, "stream");

	if (!value_is_null(stream) && !value_is_integer(stream))
		rule_fail(report, "stream", "stream is %s, not an int or None",
			shared_show(subject->arena, stream));
}

static void cai_check_stream_version(const struct subject *subject, struct report *report)
{
	const struct value *stream = value_get(subject->declared, "stream");
	int64_t version = value_int_or(value_get(subject->declared, "version"), STREAM_SINCE);

	if (version < STREAM_SINCE && !value_is_null(stream))
		rule_fail(report, "stream", "stream is %s, and version %lld knows no stream",
			shared_show(subject->arena, stream), (long long)version);
}

static void cai_check_mask_layout(const struct subject *subject, struct report *report)
{
	struct err err;

	if (protocol_check_mask_shape(subject->declared, &err))
		rule_fail(report, "mask", "%s", err.message);
}

static void cai_check_own_integers(const struct subject *subject, struct report *report)
{
	static const char *const fields[] = { "shape", "strides", "version", "stream", NULL };

	shared_check_own_integers(subject, report, fields);
}

static void cai_check_own_address(const struct subject *subject, struct report *report)
{
	shared_check_own_address(subject, report, false);
}

const struct rule cuda_optional_rules[] = {
	{
		CUDA_RULE("CAI110", "strides-tuple", ERROR, MUST),
		.needs = { "CAI002" },
		.clause = CLAUSE_CUDA "strides",
		.says = "strides is absent, None or a tuple of ints",
		.why = "a list fails in consumers that compare it with a tuple, hash it or declare "
		       "it one (CuPy once exported lists)",
		.fix = "write tuple(int(stride) for stride in strides), or None for C order",
		.check = cai_check_strides,
	},
	{
		CUDA_RULE("CAI111", "descr", ERROR, MUST),
		.needs = { "CAI002" },
		.clause = CLAUSE_CUDA "descr; " CLAUSE_NUMPY "descr",
		.says = "descr, where given, is a list of tuples of two or three, and its fields "
			"take as many bytes as an element",
		.why = "consumers that build the element type from descr read fields at wrong "
		       "places, or refuse the array",
		.fix = "give numpy.dtype(...).descr of the type that typestr names, or leave descr "
		       "out",
		.check = shared_check_descr,
	},
	{
		CUDA_RULE("CAI112", "mask-interface", ERROR, MUST),
		.needs = { "CAI002" },
		.since = "cai=1",
		.clause = CLAUSE_CUDA "mask",
		.says = "mask, where given, is None or an object that has __cuda_array_interface__ "
			"itself",
		.why = "a consumer that honours masks reads that attribute, and one that does not "
		       "refuses the array for nothing",
		.fix = "leave mask out, or give an array on the device that says which elements "
		       "are valid",
		.check = cai_check_mask,
	},
	{
		CUDA_RULE("CAI113", "mask-refused", WARNING, HAZARD),
		.needs = { "CAI112" },
		.since = "cai=1",
		.clause = CLAUSE_CUDA
		"mask (\"Numba does not currently support working with masked CUDA arrays\")",
		.says = "mask is absent or None",
		.why = "Numba, CuPy, cuda.core and mpi4py refuse every masked array; cuDF is the "
		       "only library known to export one",
		.fix = "fill the invalid elements and export without a mask, or export data and "
		       "mask as two arrays",
		.check = cai_check_no_mask,
	},
	{
		CUDA_RULE("CAI114", "stream-type", ERROR, MUST),
		.needs = { "CAI002" },
		.since = "cai=3",
		.clause = CLAUSE_CUDA "stream",
		.says = "stream is absent, None or an int, not a bool",
		.why = "consumers make a stream handle of it: a stream object of a library fails "
		       "there, and True is taken for stream 1",
		.fix = "give the handle as an int, such as stream.ptr or int(stream), or None "
		       "where no work is pending",
		.check = cai_check_stream_type,
	},
	{
		CUDA_RULE("CAI115", "stream-version", WARNING, MUST),
		.needs = { "CAI107" },
		.clause = CLAUSE_CUDA "Differences with CUDA Array Interface Version 2",
		.says = "a dictionary of a version below 3 names no stream",
		.why = "consumers that go by the version do not look for it, and the wait that the "
		       "producer counts on never happens",
		.fix = "give version: 3",
		.check = cai_check_stream_version,
	},
	{
		CUDA_RULE("CAI116", "mask-layout", ERROR, MUST),
		.needs = { "CAI112" },
		.since = "cai=1",
		.clause = CLAUSE_CUDA "mask; " CLAUSE_NUMPY "mask (\"broadcastable\")",
		.says = "the shape of mask broadcasts to that of the array",
		.why = "a consumer that honours masks refuses the array, or reads past the end of the mask: some "
		       "elements have none",
		.fix = "give a mask of the array's own shape: mask=valid.reshape(array.shape)",
		.check = cai_check_mask_layout,
	},
	{
		CUDA_RULE("CAI117", "own-integers", WARNING, HAZARD),
		.needs = { "CAI002" },
		.clause = CLAUSE_CUDA "shape; data; strides; version; stream",
		.says = "integers are Python's int, not NumPy's",
		.why = "NumPy's integers wrap around when a consumer multiplies extents, strides and sizes, and json.dumps "
		       "raises TypeError for them",
		.fix = "convert with int()",
		.check = cai_check_own_integers,
	},
	{
		CUDA_RULE("CAI118", "own-address", ERROR, FACT),
		.needs = { "CAI002" },
		.clause = CLAUSE_CUDA "data (\"The first element is the data pointer\")",
		.says = "data[0] is an int or a subclass of it, not another object with __index__",
		.why = "PyTorch and Numba raise TypeError for numpy.int64, numpy.uintp and all else "
		       "that is not an int",
		.fix = "convert it: data=(int(address), readonly)",
		.check = cai_check_own_address,
	},
	{ .id = NULL },
};
