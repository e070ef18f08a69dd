// SPDX-License-Identifier: MIT
/*
 * The dictionary of __cuda_array_interface__, versions 0 to 3: whether the object should expose it,
 * the required keys, and the optional ones: strides, descr, mask, stream.
 */
#include "rules/cuda/cuda.h"

#include "base/array_size.h"
#include "model/cuda_streams.h"
#include "protocols/shared.h"

#include <string.h>
#include <strings.h>

enum { KNOWN_VERSION = 3 };

/* The self-reported device if it is the host; otherwise NULL. */
static const char *self_reported_host(const struct subject *subject)
{
	const struct value *type =
		value_at(shared_interface_of(subject, PROTOCOL_DLPACK)->declared, "device[0]");
	const char *device = subject->target->own.device;

	if (value_is_integer(type))
		return value_int_or(type, 0) == DLPACK_CPU ? "cpu (__dlpack_device__)" : NULL;
	return device && (!strcasecmp(device, "cpu") ||
				 !strncasecmp(device, "cpu:", strlen("cpu:")))
		       ? device
		       : NULL;
}

/* PyTorch tensors that require gradients deliberately raise, and suggest detach(). */
static bool is_gradient_refusal(const struct subject *subject)
{
	return subject->interface->status == INTERFACE_REFUSED &&
	       fact_text_is(subject->interface->error.type, "RuntimeError") &&
	       subject->target->own.requires_grad == ANSWER_YES;
}

static void cai_check_access(const struct subject *subject, struct report *report)
{
	const char *host = self_reported_host(subject);
	const struct memory *memory = subject->memory;

	if (is_gradient_refusal(subject))
		return;
	shared_check_access(subject, report, "reading __cuda_array_interface__", true);
	/* Memory shared by host and device is on both. */
	if (memory && (memory->kind == MEMORY_DEVICE || memory->kind == MEMORY_MANAGED ||
			      memory->kind == MEMORY_PINNED || memory->kind == MEMORY_REGISTERED))
		return;
	if (interface_was_read(subject->interface) && host)
		rule_fail(report, NULL,
			"the attribute is present, but the object reports that its device is %s",
			host);
}

static void cai_check_dictionary(const struct subject *subject, struct report *report)
{
	if (interface_was_read(subject->interface))
		shared_check_dictionary(subject, report);
	else
		rule_skip(report, "the attribute could not be read");
}

static void cai_check_mapping(const struct subject *subject, struct report *report)
{
	if (value_bool_or(value_get(subject->details, "mapping"), false))
		rule_fail(report, NULL, "__cuda_array_interface__ is a %s, not a dict",
			subject->declared->type_name ? subject->declared->type_name : "mapping");
}

static void cai_check_shape(const struct subject *subject, struct report *report)
{
	shared_check_tuple(subject, report, "shape", -1);
}

static void cai_check_data(const struct subject *subject, struct report *report)
{
	shared_check_tuple(subject, report, "data", 2);
}

/* Whether data has an item at the index; CAI104 covers the rest. */
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

static void cai_check_version_known(const struct subject *subject, struct report *report)
{
	const struct value *version = value_get(subject->declared, "version");
	int64_t number = value_int_or(version, INT64_MAX);

	if (number < 0 || number > KNOWN_VERSION)
		rule_fail(report, "version", "version is %s, expected 0 to %d",
			shared_show(subject->arena, version), KNOWN_VERSION);
}

static void cai_check_version_newest(const struct subject *subject, struct report *report)
{
	static const char *const lacks[] = {
		"masks, streams or the address of an array without elements",
		"streams or the address of an array without elements",
		"streams, so consumers must synchronize explicitly",
	};
	int64_t version = value_int_or(value_get(subject->declared, "version"), KNOWN_VERSION);

	if (version >= 0 && version < KNOWN_VERSION)
		rule_fail(report, "version", "version is %lld, which does not define %s",
			(long long)version, lacks[version]);
}

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
	struct err err;

	if (!value_is_null(mask) && !value_is(mask, VALUE_OPAQUE) &&
		!value_bool_or(value_get(mask, "exposes"), false))
		rule_fail(report, "mask", "mask is %s, which has no __cuda_array_interface__",
			shared_show_mask(subject->arena, mask));
	else if (protocol_check_mask_interface(
			 subject->declared, subject->protocol->attribute, &err))
		rule_fail(report, "mask", "%s", err.message);
}

/* "; the elements of mask are of type '<f4', not booleans, bits or bytes"; "" if they are. */
static const char *show_odd_mask_type(const struct subject *subject)
{
	static const char *const types[] = { "b1", "u1", "i1", "t1" };
	const struct value *typestr = value_at(subject->declared, "mask.declared.typestr");

	if (!value_is(typestr, VALUE_TEXT) || !typestr->n_bytes)
		return "";
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(types[i], typestr->bytes + 1))
			return "";
	return arena_printf(subject->arena,
		"; the elements of mask are of type %s, not booleans, bits or bytes",
		shared_show(subject->arena, typestr));
}

static void cai_check_no_mask(const struct subject *subject, struct report *report)
{
	if (!value_is_null(value_get(subject->declared, "mask")))
		rule_fail(report, "mask", "the array is masked%s", show_odd_mask_type(subject));
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
	int64_t version =
		value_int_or(value_get(subject->declared, "version"), CUDA_INTERFACE_WITH_STREAM);

	if (version < CUDA_INTERFACE_WITH_STREAM && !value_is_null(stream))
		rule_fail(report, "stream",
			"stream is %s, but version %lld does not define streams",
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
		.summary =
			"reading __cuda_array_interface__ raises only AttributeError or, for a tensor that requires gradients, RuntimeError; an object on the host has the attribute only if a CUDA device shares the memory (managed, pinned or registered)",
		.why = "libraries check for the attribute with hasattr, which propagates every exception except AttributeError; if a host array exposes the attribute, consumers use its address on the device",
		.fix = "raise AttributeError in the property if no CUDA device can access the memory or the array cannot be exported",
		.check = cai_check_access,
	},
	{
		CUDA_RULE("CAI002", "dictionary", ERROR, MUST),
		.clause = CLAUSE_CUDA "Python Interface Specification",
		.summary = "the value is a dict or another mapping",
		.why = "CuPy, PyTorch, cuda.core and mpi4py raise TypeError for any other object, and Numba raises TypeError or AttributeError",
		.fix = "return a dict",
		.check = cai_check_dictionary,
	},
	{
		CUDA_RULE("CAI004", "unknown-keys", NOTE, HAZARD),
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA "Python Interface Specification",
		.summary =
			"the dictionary has only the keys shape, typestr, data, version, strides, descr, mask and stream",
		.why = "consumers ignore other keys, so a misspelt optional key has no effect and causes no error",
		.fix = "correct the spelling, or move custom information to a separate attribute",
		.check = shared_check_keys,
	},
	{
		CUDA_RULE("CAI005", "dict-type", ERROR, MUST),
		.requires = { "CAI002" },
		.since = "cai=2",
		.clause = CLAUSE_CUDA
		"Python Interface Specification (versions 0 and 1: \"a dictionary-like object\")",
		.summary = "the value is a dict or an instance of a subclass of dict",
		.why = "PyTorch raises TypeError for any other mapping, and CuPy, cuda.core and mpi4py for any that is not exactly a dict",
		.fix = "return dict(mapping)",
		.check = cai_check_mapping,
	},
	{
		CUDA_RULE("CAI101", "shape", ERROR, MUST),
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA "shape (\"representing the size of each dimension\")",
		.summary = "shape is present and is a tuple",
		.why = "CuPy and mpi4py raise TypeError for a list; without shape, the number of elements is unknown",
		.fix = "use a tuple of ints, such as shape=(2, 3), or shape=() for a zero-dimensional array",
		.check = cai_check_shape,
	},
	{
		CUDA_RULE("CAI102", "shape-integers", ERROR, MUST),
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA "shape (\"representing the size of each dimension\")",
		.summary = "every extent in shape is an int, not a bool or a float",
		.why = "consumers multiply the extents to compute a size in bytes: a float raises an exception or results "
		       "in a wrong size, and True is silently treated as 1",
		.fix = "use shape=tuple(int(extent) for extent in shape)",
		.check = shared_check_shape_integers,
	},
	{
		CUDA_RULE("CAI103", "typestr-text", ERROR, MUST),
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA "typestr",
		.summary = "typestr is present and is a str",
		.why = "without it, the element type is unknown; CuPy, Numba and PyTorch also accept a dtype object, but cuda.core and mpi4py raise TypeError",
		.fix = "use numpy.dtype(...).str, which is '<f4' for float32",
		.check = shared_check_typestr_text,
	},
	{
		CUDA_RULE("CAI104", "data-pair", ERROR, MUST),
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA "data",
		.summary = "data is present and is a 2-tuple: (address, read-only flag)",
		.why = "PyTorch raises TypeError (`data` must be a 2-tuple of (int, bool)), mpi4py raises TypeError for a list, and consumers that unpack two values fail for any other number",
		.fix = "use data=(address, read_only)",
		.check = cai_check_data,
	},
	{
		CUDA_RULE("CAI105", "data-pointer", ERROR, MUST),
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA "data (\"The first element is the data pointer\")",
		.summary = "data[0] is an int from 0 to 2^64 - 1, not None",
		.why = "consumers convert it to a pointer: PyTorch raises TypeError for None, which old versions of Numba exported for "
		       "empty arrays",
		.fix = "use the address as an unsigned int, and 0 for an array without elements",
		.check = cai_check_pointer,
	},
	{
		CUDA_RULE("CAI106", "readonly-bool", ERROR, MUST),
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA "data (\"The second element is the read-only flag\")",
		.summary = "data[1] is True or False",
		.why = "PyTorch, cuda.core and mpi4py use its truth value: None means writable, and the string 'False' means read-only",
		.fix = "use data=(address, bool(flag)): True if the memory must not be written",
		.check = cai_check_readonly,
	},
	{
		CUDA_RULE("CAI107", "version-integer", ERROR, MUST),
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA
		"version (\"An integer for the version of the interface being exported\")",
		.summary = "version is present and is a non-negative int",
		.why = "Numba and cuda.core compare it with a number: a missing version or a str raises KeyError or TypeError, and True or a negative number is treated as an outdated version",
		.fix = "set version=3",
		.check = shared_check_version,
	},
	{
		CUDA_RULE("CAI108", "version-known", NOTE, HAZARD),
		.requires = { "CAI107" },
		.clause = CLAUSE_CUDA "version (\"The current version is\")",
		.summary = "version is from 0 to 3, the documented versions",
		.why = "CuPy, Numba and cuda.core treat a newer version as version 3, and cannot detect changes that they do not support; suai checks the dictionary as version 3, too",
		.fix = "set version=3 unless a newer version of the document has been published",
		.check = cai_check_version_known,
	},
	{
		CUDA_RULE("CAI109", "version-newest", NOTE, HAZARD),
		.requires = { "CAI107" },
		.clause = CLAUSE_CUDA
		"Differences with CUDA Array Interface Version 0; Differences with CUDA Array Interface Version 1; Differences with CUDA Array Interface Version 2",
		.summary = "version is 3, the current one",
		.why = "lower versions define no stream, so a consumer may read memory before pending work is complete; cuda.core rejects lower versions",
		.fix = "set version=3, and stream if work may be pending",
		.check = cai_check_version_newest,
	},
	{
		CUDA_RULE("CAI110", "strides-tuple", ERROR, MUST),
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA "strides",
		.summary = "strides is absent, None or a tuple of ints",
		.why = "mpi4py raises TypeError for a list, which CuPy once exported; strides that are not integers raise an exception or misplace elements",
		.fix = "use strides=tuple(int(stride) for stride in strides), or strides=None for C order",
		.check = cai_check_strides,
	},
	{
		CUDA_RULE("CAI111", "descr", ERROR, MUST),
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA "descr; " CLAUSE_NUMPY "descr",
		.summary =
			"descr, if present and not None, is a list of fields (2-tuples or 3-tuples) whose names and titles are distinct and whose sizes add up to the item size that typestr declares",
		.why = "mpi4py raises TypeError for a descr of any other type; recent versions of CuPy build element types of kind V from descr: a wrong size of a field misplaces the fields after it, and a repeated name raises ValueError",
		.fix = "use typestr=dtype.str and descr=dtype.descr of one NumPy dtype, or remove descr",
		.check = shared_check_descr,
	},
	{
		CUDA_RULE("CAI112", "mask-interface", ERROR, MUST),
		.requires = { "CAI002" },
		.since = "cai=1",
		.clause = CLAUSE_CUDA "mask",
		.summary =
			"mask, if present, is None or an object that exposes __cuda_array_interface__",
		.why = "a consumer that supports masks fails to read that attribute of mask; Numba, CuPy, cuda.core and mpi4py reject the array",
		.fix = "remove mask, or use an array on the device that marks the valid elements",
		.check = cai_check_mask,
	},
	{
		CUDA_RULE("CAI113", "mask-absent", WARNING, HAZARD),
		.requires = { "CAI112" },
		.since = "cai=1",
		.clause = CLAUSE_CUDA
		"mask (\"Numba does not currently support working with masked CUDA arrays\")",
		.summary = "mask is absent or None",
		.why = "Numba, CuPy, cuda.core and mpi4py reject every masked array, and PyTorch ignores the mask; cuDF is the only library known to export one",
		.fix = "fill the invalid elements and export without a mask, or export data and mask as two arrays",
		.check = cai_check_no_mask,
	},
	{
		CUDA_RULE("CAI114", "stream-type", ERROR, MUST),
		.requires = { "CAI002" },
		.since = "cai=3",
		.clause = CLAUSE_CUDA "stream",
		.summary = "stream is absent, None or an int, not a bool",
		.why = "consumers convert it to a stream handle: an object that is not an int usually raises an exception, and True is interpreted as stream 1",
		.fix = "use the handle as an int, such as stream.ptr or int(stream), or stream=None if no work is pending",
		.check = cai_check_stream_type,
	},
	{
		CUDA_RULE("CAI115", "stream-version", WARNING, MUST),
		.requires = { "CAI107" },
		.clause = CLAUSE_CUDA "Differences with CUDA Array Interface Version 2",
		.summary = "stream is absent or None if version is below 3",
		.why = "CuPy and Numba use stream in any version, but a consumer that checks the version, such as JAX for version 2, ignores stream and does not wait for the work on it",
		.fix = "set version=3",
		.check = cai_check_stream_version,
	},
	{
		CUDA_RULE("CAI116", "mask-layout", ERROR, MUST),
		.requires = { "CAI112" },
		.since = "cai=1",
		.clause = CLAUSE_CUDA "mask; " CLAUSE_NUMPY "mask (\"broadcastable\")",
		.summary = "the shape of mask broadcasts to the shape of the array",
		.why = "a consumer that supports masks cannot assign a mask value to each element: it rejects the array, uses wrong values, or reads past the end of the mask",
		.fix = "remove mask, or use a mask of the same shape as the array",
		.check = cai_check_mask_layout,
	},
	{
		CUDA_RULE("CAI117", "python-integers", WARNING, HAZARD),
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA "shape; strides; version; stream",
		.summary =
			"the integers in shape, strides, version and stream are Python ints, not NumPy integers or other objects with __index__",
		.why = "NumPy integers can overflow when a consumer multiplies extents, strides and sizes, other objects with __index__ need not support arithmetic, and json.dumps raises TypeError for both",
		.fix = "convert each one with int(), as in shape=tuple(int(extent) for extent in shape)",
		.check = cai_check_builtin_integers,
	},
	{
		CUDA_RULE("CAI118", "python-address", ERROR, FACT),
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA "data (\"The first element is the data pointer\")",
		.summary =
			"data[0] is an int or an instance of a subclass of int, not another object with __index__",
		.why = "PyTorch and mpi4py raise TypeError for numpy.int64, numpy.uintp and any other object that is not an int",
		.fix = "convert it: data=(int(address), readonly)",
		.check = cai_check_builtin_address,
	},
	{ .id = NULL },
};
