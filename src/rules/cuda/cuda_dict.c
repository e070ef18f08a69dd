// SPDX-License-Identifier: MIT
/*
 * CAI001 to CAI117: the dictionary of __cuda_array_interface__, versions 0 to 3: whether the object
 * should have it, the required keys, and the optional ones: strides, descr, mask, stream.
 */
#include "protocols/shared.h"
#include "rules/cuda/cuda.h"

#include <string.h>
#include <strings.h>

enum { KNOWN_VERSION = 3, DLPACK_CPU = 1 };

/* What the object calls its device where that is the host; NULL where it says no such thing. */
static const char *self_reported_host(const struct subject *subject)
{
	const struct value *type =
		value_at(shared_interface_of(subject, PROTOCOL_DLPACK)->declared, "device[0]");
	const char *device = subject->target->own.device;

	if (value_is_integer(type))
		return value_int_or(type, 0) == DLPACK_CPU ? "cpu, by __dlpack_device__" : NULL;
	return device && (!strcasecmp(device, "cpu") ||
				 !strncasecmp(device, "cpu:", strlen("cpu:")))
		       ? device
		       : NULL;
}

/* Memory that host and device share is on both. */
static bool is_on_device(const struct memory *memory)
{
	return memory &&
	       (memory->kind == MEMORY_DEVICE || memory->kind == MEMORY_MANAGED ||
		       memory->kind == MEMORY_PINNED || memory->kind == MEMORY_REGISTERED);
}

/* PyTorch's tensors raise on purpose, and say what to do, where their use is recorded. */
static bool is_gradient_refusal(const struct subject *subject)
{
	return subject->interface->status == INTERFACE_REFUSED &&
	       fact_text_is(subject->interface->error.type, "RuntimeError") &&
	       subject->target->own.requires_grad == ANSWER_YES;
}

static void cai_check_access(const struct subject *subject, struct report *report)
{
	const char *host = self_reported_host(subject);

	if (is_gradient_refusal(subject))
		return;
	shared_check_access(subject, report, "reading __cuda_array_interface__", true);
	if (shared_was_read(subject->interface) && host && !is_on_device(subject->memory))
		rule_fail(report, NULL, "the object has the attribute, and says that it is on %s",
			host);
}

static void cai_check_dictionary(const struct subject *subject, struct report *report)
{
	if (shared_was_read(subject->interface))
		shared_check_dictionary(subject, report);
	else
		rule_skip(report, "the attribute could not be read");
}

static void cai_check_mapping(const struct subject *subject, struct report *report)
{
	if (value_bool_or(value_get(subject->details, "mapping"), false))
		rule_fail(report, NULL, "the value is a %s, not a dict",
			subject->declared->type_name ? subject->declared->type_name : "mapping");
}

static void cai_check_unknown_keys(const struct subject *subject, struct report *report)
{
	static const char *const known[] = { "shape", "typestr", "data", "version", "strides",
		"descr", "mask", "stream", NULL };

	shared_check_keys(subject, report, known);
}

static void cai_check_shape(const struct subject *subject, struct report *report)
{
	if (!value_get(subject->declared, "shape"))
		rule_fail(report, "shape", "shape is missing");
	else
		shared_check_tuple(subject, report, "shape", -1);
}

static void cai_check_shape_integers(const struct subject *subject, struct report *report)
{
	shared_check_integers(subject, report, "shape");
}

static void cai_check_typestr_given(const struct subject *subject, struct report *report)
{
	const struct value *typestr = value_get(subject->declared, "typestr");

	if (!typestr)
		rule_fail(report, "typestr", "typestr is missing");
	else if (!value_is(typestr, VALUE_TEXT))
		rule_fail(report, "typestr", "typestr is %s, not a str",
			shared_show(subject->arena, typestr));
}

static void cai_check_data(const struct subject *subject, struct report *report)
{
	const struct value *data = value_get(subject->declared, "data");

	if (!data)
		rule_fail(report, "data", "data is missing");
	else
		shared_check_tuple(subject, report, "data", 2);
}

/* Whether data holds an item at the index that can be judged: CAI104 has the rest. */
static bool has_data(const struct subject *subject, size_t index)
{
	return value_item(value_get(subject->declared, "data"), index) != NULL;
}

static void cai_check_pointer(const struct subject *subject, struct report *report)
{
	if (has_data(subject, 0))
		shared_check_pointer(subject, report, "data[0]");
}

static void cai_check_readonly(const struct subject *subject, struct report *report)
{
	if (has_data(subject, 1))
		shared_check_bool(subject, report, "data[1]");
}

static void cai_check_version(const struct subject *subject, struct report *report)
{
	const struct value *version = value_get(subject->declared, "version");

	if (!version)
		rule_fail(report, "version", "version is missing");
	else
		shared_check_version(subject, report);
}

static void cai_check_version_known(const struct subject *subject, struct report *report)
{
	const struct value *version = value_get(subject->declared, "version");
	int64_t number = value_int_or(version, INT64_MAX);

	if (number < 0 || number > KNOWN_VERSION)
		rule_fail(report, "version", "version is %s; those known are 0 to %d",
			shared_show(subject->arena, version), KNOWN_VERSION);
}

static void cai_check_version_newest(const struct subject *subject, struct report *report)
{
	static const char *const lacks[] = {
		"it knows no mask, no sizes of 0 and no stream",
		"it says nothing of sizes of 0 and of streams",
		"it says nothing of streams, so that consumers must synchronise by hand",
	};
	int64_t version = value_int_or(value_get(subject->declared, "version"), KNOWN_VERSION);

	if (version >= 0 && version < KNOWN_VERSION)
		rule_fail(report, "version", "version is %lld: %s", (long long)version,
			lacks[version]);
}

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

static void cai_check_builtin_integers(const struct subject *subject, struct report *report)
{
	static const char *const fields[] = { "shape", "strides", "version", "stream", NULL };

	shared_check_builtin_integers(subject, report, fields);
}

static void cai_check_builtin_address(const struct subject *subject, struct report *report)
{
	shared_check_builtin_address(subject, report, false);
}

const struct rule cuda_dict_rules[] = {
	{
		CUDA_RULE("CAI001", "attribute-access", ERROR, MUST),
		.optional_facts = FACT_STRUCT | FACT_MEMORY,
		.clause = CLAUSE_CUDA "Python Interface Specification; " CLAUSE_PYTHON "hasattr",
		.summary = "reading __cuda_array_interface__ gives a value for an object on a CUDA "
			   "device; for any other it raises AttributeError, and nothing else",
		.why = "libraries ask with hasattr, which lets every other exception through: a "
		       "program stops where it only wanted to know whether the object lies on a "
		       "GPU",
		.fix = "raise AttributeError in the property of an object that lies elsewhere, or "
		       "that cannot be exported",
		.check = cai_check_access,
	},
	{
		CUDA_RULE("CAI002", "dictionary", ERROR, MUST),
		.clause = CLAUSE_CUDA "Python Interface Specification",
		.summary = "the value is a dictionary",
		.why = "consumers look up its keys: anything else raises an error that names "
		       "neither the object nor the interface",
		.fix = "return a dict",
		.check = cai_check_dictionary,
	},
	{
		CUDA_RULE("CAI004", "unknown-keys", NOTE, HAZARD),
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA "Python Interface Specification",
		.summary = "the dictionary has the keys shape, typestr, data, version, strides, "
			   "descr, mask and stream alone",
		.why = "consumers ignore other keys, so that what a misspelt one says is silently "
		       "lost",
		.fix = "correct the spelling, or keep your own information in an attribute of its "
		       "own",
		.check = cai_check_unknown_keys,
	},
	{
		CUDA_RULE("CAI005", "real-dict", ERROR, MUST),
		.requires = { "CAI002" },
		.since = "cai=2",
		.clause = CLAUSE_CUDA
		"Python Interface Specification (versions 0 and 1: \"a dictionary-like object\")",
		.summary = "the value is a dict or a subclass of it",
		.why = "CuPy and cuda.core declare it a dict and raise a TypeError for every other "
		       "mapping",
		.fix = "write dict(mapping)",
		.check = cai_check_mapping,
	},
	{
		CUDA_RULE("CAI101", "shape", ERROR, MUST),
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA "shape (\"representing the size of each dimension\")",
		.summary = "shape is present and a tuple",
		.why = "CuPy declares it a tuple and raises a TypeError for a list; without it "
		       "nobody knows how many elements there are",
		.fix = "write tuple(shape), () for a single element",
		.check = cai_check_shape,
	},
	{
		CUDA_RULE("CAI102", "shape-integers", ERROR, MUST),
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA "shape (\"representing the size of each dimension\")",
		.summary = "every extent in shape is an int, not a bool and not a float",
		.why = "consumers multiply the extents to a size in bytes: a float raises there, "
		       "or gives a wrong amount",
		.fix = "convert each extent with int()",
		.check = cai_check_shape_integers,
	},
	{
		CUDA_RULE("CAI103", "typestr-text", ERROR, MUST),
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA "typestr",
		.summary = "typestr is present and a str",
		.why = "without it nobody knows what an element is; a dtype object passes Numba "
		       "and fails where the text is parsed",
		.fix = "give a str such as '<f4'; numpy.dtype(...).str has it",
		.check = cai_check_typestr_given,
	},
	{
		CUDA_RULE("CAI104", "data-pair", ERROR, MUST),
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA "data",
		.summary = "data is present and a tuple of two: the address and the read-only flag",
		.why = "PyTorch raises TypeError (data must be a 2-tuple of (int, bool)), and others fail where they unpack two "
		       "values",
		.fix = "give (address, read_only)",
		.check = cai_check_data,
	},
	{
		CUDA_RULE("CAI105", "data-pointer", ERROR, MUST),
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA "data (\"The first element is the data pointer\")",
		.summary = "data[0] is an int from 0 to 2^64 - 1, never None",
		.why = "consumers turn it into a pointer: PyTorch raises TypeError for None, which old Numba gave for empty "
		       "arrays",
		.fix = "give the address as an unsigned int, and 0 for an array without elements",
		.check = cai_check_pointer,
	},
	{
		CUDA_RULE("CAI106", "readonly-bool", ERROR, MUST),
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA "data (\"The second element is the read-only flag\")",
		.summary = "data[1] is True or False",
		.why = "consumers test its truth: None counts as writable, 'False' as read-only; "
		       "C++ bindings refuse NumPy's bool",
		.fix = "write bool(flag): True where the memory may not be written",
		.check = cai_check_readonly,
	},
	{
		CUDA_RULE("CAI107", "version-integer", ERROR, MUST),
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA
		"version (\"An integer for the version of the interface being exported\")",
		.summary = "version is present and an int of 0 or more",
		.why = "Numba and cuda.core compare it with a number: a missing version raises a "
		       "TypeError or a KeyError there, and a negative one counts as older than all",
		.fix = "add version: 3",
		.check = cai_check_version,
	},
	{
		CUDA_RULE("CAI108", "version-known", NOTE, HAZARD),
		.requires = { "CAI107" },
		.clause = CLAUSE_CUDA "version (\"The current version is\")",
		.summary = "version is one of 0 to 3, those that the document knows",
		.why = "a consumer takes a newer version for one that it knows, and cannot see "
		       "what it does not know; suai judges it as version 3",
		.fix = "give version: 3 unless a newer document was published",
		.check = cai_check_version_known,
	},
	{
		CUDA_RULE("CAI109", "version-newest", NOTE, HAZARD),
		.requires = { "CAI107" },
		.clause = CLAUSE_CUDA
		"Differences with CUDA Array Interface Version 0; Differences with CUDA Array Interface Version 1; Differences with CUDA Array Interface Version 2",
		.summary = "version is 3, the current one",
		.why = "cuda.core refuses lower versions, and below 3 no consumer learns which "
		       "stream it must wait for: pending work races with it",
		.fix = "give version: 3, with stream where work may be pending",
		.check = cai_check_version_newest,
	},
	{
		CUDA_RULE("CAI110", "strides-tuple", ERROR, MUST),
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA "strides",
		.summary = "strides is absent, None or a tuple of ints",
		.why = "a list fails in consumers that compare it with a tuple, hash it or declare "
		       "it one (CuPy once exported lists)",
		.fix = "write tuple(int(stride) for stride in strides), or None for C order",
		.check = cai_check_strides,
	},
	{
		CUDA_RULE("CAI111", "descr", ERROR, MUST),
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA "descr; " CLAUSE_NUMPY "descr",
		.summary =
			"descr, where given, is a list of tuples of two or three, and its fields "
			"take as many bytes as an element",
		.why = "consumers that build the element type from descr read fields at wrong "
		       "places, or refuse the array",
		.fix = "give numpy.dtype(...).descr of the type that typestr names, or leave descr "
		       "out",
		.check = shared_check_descr,
	},
	{
		CUDA_RULE("CAI112", "mask-interface", ERROR, MUST),
		.requires = { "CAI002" },
		.since = "cai=1",
		.clause = CLAUSE_CUDA "mask",
		.summary =
			"mask, where given, is None or an object that has __cuda_array_interface__ "
			"itself",
		.why = "a consumer that honours masks reads that attribute, and one that does not "
		       "refuses the array for nothing",
		.fix = "leave mask out, or give an array on the device that says which elements "
		       "are valid",
		.check = cai_check_mask,
	},
	{
		CUDA_RULE("CAI113", "mask-refused", WARNING, HAZARD),
		.requires = { "CAI112" },
		.since = "cai=1",
		.clause = CLAUSE_CUDA
		"mask (\"Numba does not currently support working with masked CUDA arrays\")",
		.summary = "mask is absent or None",
		.why = "Numba, CuPy, cuda.core and mpi4py refuse every masked array; cuDF is the "
		       "only library known to export one",
		.fix = "fill the invalid elements and export without a mask, or export data and "
		       "mask as two arrays",
		.check = cai_check_no_mask,
	},
	{
		CUDA_RULE("CAI114", "stream-type", ERROR, MUST),
		.requires = { "CAI002" },
		.since = "cai=3",
		.clause = CLAUSE_CUDA "stream",
		.summary = "stream is absent, None or an int, not a bool",
		.why = "consumers make a stream handle of it: a stream object of a library fails "
		       "there, and True is taken for stream 1",
		.fix = "give the handle as an int, such as stream.ptr or int(stream), or None "
		       "where no work is pending",
		.check = cai_check_stream_type,
	},
	{
		CUDA_RULE("CAI115", "stream-version", WARNING, MUST),
		.requires = { "CAI107" },
		.clause = CLAUSE_CUDA "Differences with CUDA Array Interface Version 2",
		.summary = "a dictionary of a version below 3 names no stream",
		.why = "consumers that go by the version do not look for it, and the wait that the "
		       "producer counts on never happens",
		.fix = "give version: 3",
		.check = cai_check_stream_version,
	},
	{
		CUDA_RULE("CAI116", "mask-layout", ERROR, MUST),
		.requires = { "CAI112" },
		.since = "cai=1",
		.clause = CLAUSE_CUDA "mask; " CLAUSE_NUMPY "mask (\"broadcastable\")",
		.summary = "the shape of mask broadcasts to that of the array",
		.why = "a consumer that honours masks refuses the array, or reads past the end of the mask: some "
		       "elements have none",
		.fix = "give a mask of the array's own shape: mask=valid.reshape(array.shape)",
		.check = cai_check_mask_layout,
	},
	{
		CUDA_RULE("CAI117", "own-integers", WARNING, HAZARD),
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA "shape; data; strides; version; stream",
		.summary = "integers are Python's int, not NumPy's",
		.why = "NumPy's integers wrap around when a consumer multiplies extents, strides and sizes, and json.dumps "
		       "raises TypeError for them",
		.fix = "convert with int()",
		.check = cai_check_builtin_integers,
	},
	{
		CUDA_RULE("CAI118", "own-address", ERROR, FACT),
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA "data (\"The first element is the data pointer\")",
		.summary =
			"data[0] is an int or a subclass of it, not another object with __index__",
		.why = "PyTorch and Numba raise TypeError for numpy.int64, numpy.uintp and all else "
		       "that is not an int",
		.fix = "convert it: data=(int(address), readonly)",
		.check = cai_check_builtin_address,
	},
	{ .id = NULL },
};
