// SPDX-License-Identifier: MIT
/*
 * The dictionary of __sycl_usm_array_interface__ version 1, its keys and their Python types. The
 * document is dpctl's page of the attribute.
 */
#include "rules/sycl/sycl.h"

static void suai_check_access(const struct subject *subject, struct report *report)
{
	shared_check_access(subject, report, "reading __sycl_usm_array_interface__", true);
}

static void suai_check_shape_present(const struct subject *subject, struct report *report)
{
	shared_check_present(subject, report, "shape");
}

static void suai_check_shape_tuple(const struct subject *subject, struct report *report)
{
	if (!value_is_null(value_get(subject->declared, "shape"))) /* None: SUAI104 */
		shared_check_tuple(subject, report, "shape", -1);
}

static void suai_check_shape_scalar(const struct subject *subject, struct report *report)
{
	if (value_is_null(value_get(subject->declared, "shape")))
		rule_fail(report, "shape", "shape is None, expected a tuple");
}

static void suai_check_data_pair(const struct subject *subject, struct report *report)
{
	shared_check_tuple(subject, report, "data", 2);
	if (!value_is_null(value_at(subject->details, "data.readonly_error")))
		rule_fail(report, "data[1]", "data[1] has no truth value: bool(data[1]) raised %s",
			value_text_or(value_at(subject->details, "data.readonly_error"), "?"));
}

static void suai_check_data_pointer(const struct subject *subject, struct report *report)
{
	if (value_at(subject->declared, "data[0]"))
		shared_check_pointer(subject, report, "data[0]");
}

static void suai_check_readonly_bool(const struct subject *subject, struct report *report)
{
	if (value_at(subject->declared, "data[1]") &&
		value_is_null(value_at(subject->details, "data.readonly_error"))) /* SUAI106 */
		shared_check_bool(subject, report, "data[1]");
}

/* Compares the flag only with the object's own; XPR801 covers other interfaces. */
static void suai_check_readonly_meaning(const struct subject *subject, struct report *report)
{
	bool flag = value_bool_or(value_at(subject->declared, "data[1]"), false);
	enum answer own = subject->target->own.readonly;

	if (own != ANSWER_UNKNOWN && own != answer_of(flag))
		rule_fail(report, "data[1]", "data[1] is %s, but the object reports that it is %s",
			flag ? "True (read-only)" : "False (writable)",
			own == ANSWER_YES ? "read-only" : "writable");
	else if (flag && own == ANSWER_UNKNOWN)
		rule_skip(report, "the object does not otherwise report whether it is writable");
}

static void suai_check_strides_tuple(const struct subject *subject, struct report *report)
{
	if (value_is_null(value_get(subject->declared, "strides")))
		return;
	shared_check_tuple(subject, report, "strides", -1);
	if (value_is(value_get(subject->declared, "strides"), VALUE_TUPLE))
		shared_check_integers(subject, report, "strides");
}

static void suai_check_offset_integer(const struct subject *subject, struct report *report)
{
	const struct value *offset = value_get(subject->declared, "offset");

	if (offset)
		shared_check_integer(report, subject->arena, offset, "offset");
}

static void suai_check_version_present(const struct subject *subject, struct report *report)
{
	shared_check_present(subject, report, "version");
}

static void suai_check_version_known(const struct subject *subject, struct report *report)
{
	const struct value *version = value_get(subject->declared, "version");

	if (version && (!value_is_integer(version) || value_int_or(version, 0) != 1))
		rule_fail(report, "version", "version is %s, expected the int 1",
			shared_show(subject->arena, version));
}

static void suai_check_syclobj_present(const struct subject *subject, struct report *report)
{
	const struct value *syclobj = value_get(subject->declared, "syclobj");

	if (value_is_null(syclobj))
		rule_fail(report, "syclobj", "syclobj is %s", shared_show(subject->arena, syclobj));
}

static void suai_check_builtin_integers(const struct subject *subject, struct report *report)
{
	static const char *const fields[] = { "shape", "data[0]", "strides", "offset", "version",
		NULL };

	shared_check_builtin_integers(subject, report, fields);
}

static void suai_check_builtin_address(const struct subject *subject, struct report *report)
{
	shared_check_builtin_address(subject, report, true);
}

const struct rule sycl_dict_rules[] = {
	{
		SYCL_RULE("SUAI001", "attribute-access", ERROR, MUST),
		.clause = CLAUSE_SYCL_PAGE "introduction; " CLAUSE_PYTHON "hasattr",
		.summary =
			"reading __sycl_usm_array_interface__ either returns a value or raises AttributeError",
		.why = "libraries check for the attribute with hasattr, which propagates every exception except AttributeError, so a program fails although it only tested whether the object has USM memory",
		.fix = "raise AttributeError in the property if the object cannot be exported",
		.check = suai_check_access,
	},
	{
		SYCL_RULE("SUAI002", "dictionary", ERROR, MUST),
		.requires = { "SUAI001" },
		.clause = CLAUSE_SYCL_PAGE "introduction (\"a Python dictionary\")",
		.summary = "__sycl_usm_array_interface__ is an instance of dict or of a subclass",
		.why = "dpctl and dpnp reject every other object, including other mappings, so the array cannot be imported",
		.fix = "return a dict; dict(mapping) converts another mapping",
		.check = shared_check_dictionary,
	},
	{
		SYCL_RULE("SUAI004", "unknown-keys", NOTE, HAZARD),
		.requires = { "SUAI002" },
		.clause = CLAUSE_SYCL_PAGE "introduction (\"the following fields\")",
		.summary =
			"the dictionary has only the keys shape, typestr, data, strides, offset, syclobj and version",
		.why = "consumers ignore other keys, so the value of a misspelt key is silently lost",
		.fix = "correct the spelling, or move custom information to a separate attribute",
		.check = shared_check_keys,
	},
	{
		SYCL_RULE("SUAI101", "shape-present", ERROR, MUST),
		.requires = { "SUAI002" },
		.clause = CLAUSE_SYCL_PAGE "shape",
		.summary = "shape is present",
		.why = "without it, the number of elements is unknown, and dpctl rejects the object",
		.fix = "add shape=array.shape: a tuple with the extent of each dimension, () for a zero-dimensional array",
		.check = suai_check_shape_present,
	},
	{
		SYCL_RULE("SUAI102", "shape-tuple", ERROR, MUST),
		.requires = { "SUAI101" },
		.clause = CLAUSE_SYCL_PAGE "shape (\"a tuple of integers\")",
		.summary = "shape is a tuple",
		.why = "dpctl and dpnp accept a list, but a consumer that hashes it or adds it to a tuple raises TypeError; dpctl rejects an int",
		.fix = "use shape=tuple(shape)",
		.check = suai_check_shape_tuple,
	},
	{
		SYCL_RULE("SUAI103", "shape-integers", ERROR, MUST),
		.requires = { "SUAI101" },
		.clause = CLAUSE_SYCL_PAGE "shape (\"a tuple of integers\")",
		.summary = "every extent in shape is an int, not a bool or a float",
		.why = "dpctl converts each extent with int(), so 2.5 becomes 2; dpnp raises TypeError for a float or a str, and interprets True as 1",
		.fix = "use shape=tuple(int(extent) for extent in shape)",
		.check = shared_check_shape_integers,
	},
	{
		SYCL_RULE("SUAI104", "shape-scalar", ERROR, MUST),
		.requires = { "SUAI101" },
		.clause = CLAUSE_SYCL_PAGE "shape (\"a tuple of integers\")",
		.summary = "shape is () for a zero-dimensional array, not None",
		.why = "dpctl reports that shape is required, and a consumer that calls len(shape) raises a TypeError that does not mention the key",
		.fix = "use shape=() for a zero-dimensional array",
		.check = suai_check_shape_scalar,
	},
	{
		SYCL_RULE("SUAI105", "typestr-text", ERROR, MUST),
		.requires = { "SUAI002" },
		.clause = CLAUSE_SYCL_PAGE "typestr (\"a string\")",
		.summary = "typestr is present and is a str",
		.why = "dpctl treats a missing typestr as float64, and dpnp raises KeyError; both accept None, bytes and a dtype, but a consumer that parses the text fails",
		.fix = "use numpy.dtype(...).str, which is '<f4' for float32",
		.check = shared_check_typestr_text,
	},
	{
		SYCL_RULE("SUAI106", "data-pair", ERROR, MUST),
		.requires = { "SUAI002" },
		.clause = CLAUSE_SYCL_PAGE "data (\"A 2-tuple\")",
		.summary =
			"data is present and is a 2-tuple of the address and a read-only flag that has a truth value",
		.why = "dpctl and dpnp reject data that does not have two entries, and dpnp ignores the flag of a list; both evaluate bool(data[1]), and an exception from it, such as the one that NumPy raises for an array of flags, aborts the import",
		.fix = "use data=(address, bool(read_only))",
		.check = suai_check_data_pair,
	},
	{
		SYCL_RULE("SUAI107", "data-pointer", ERROR, MUST),
		.requires = { "SUAI002" },
		.clause = CLAUSE_SYCL_PAGE "data (\"a Python integer encoding USM pointer value\")",
		.summary = "data[0] is an int from 0 to 2^64 - 1",
		.why = "consumers convert it to a pointer: dpctl raises OverflowError for an int out of range, raises TypeError for None or a str, and truncates a float",
		.fix = "use an unsigned address; data=(address % 2**64, readonly) converts a signed one",
		.check = suai_check_data_pointer,
	},
	{
		SYCL_RULE("SUAI108", "readonly-bool", WARNING, MUST),
		.requires = { "SUAI002" },
		.clause = CLAUSE_SYCL_PAGE "data (\"a read-only flag\")",
		.summary = "data[1] is True or False",
		.why = "consumers use its truth value: None means writable, and the string 'False' means read-only",
		.fix = "use data=(address, bool(flag))",
		.check = suai_check_readonly_bool,
	},
	{
		SYCL_RULE("SUAI109", "readonly-meaning", WARNING, MUST),
		.requires = { "SUAI108" },
		.clause = CLAUSE_SYCL_PAGE "data (\"True means the data area is read-only\")",
		.summary = "data[1] is True if the array is read-only, and False if it is writable",
		.why = "if the flag is wrong, a consumer writes to memory that must not be modified, or treats writable memory as read-only",
		.fix = "use data=(address, not array.flags.writable)",
		.check = suai_check_readonly_meaning,
	},
	{
		SYCL_RULE("SUAI110", "strides-tuple", ERROR, MUST),
		.requires = { "SUAI002" },
		.clause = CLAUSE_SYCL_PAGE "strides (\"an optional tuple of integers\")",
		.summary = "strides is absent, None or a tuple of ints",
		.why = "dpctl accepts a list and truncates floats; dpnp raises TypeError for a float, and a consumer that hashes strides raises TypeError for a list",
		.fix = "use strides=tuple(int(stride) for stride in strides), or strides=None for C order",
		.check = suai_check_strides_tuple,
	},
	{
		SYCL_RULE("SUAI111", "offset-integer", ERROR, MUST),
		.requires = { "SUAI002" },
		.clause = CLAUSE_SYCL_PAGE "offset (\"an optional Python integer\")",
		.summary = "offset is absent or an int",
		.why = "for None, a float or a str, dpctl raises a TypeError that does not mention the key; it interprets True as 1",
		.fix = "use offset=int(offset), or remove the key if the element with zero indices is at data[0]",
		.check = suai_check_offset_integer,
	},
	{
		SYCL_RULE("SUAI112", "version-present", ERROR, MUST),
		.requires = { "SUAI002" },
		.clause = CLAUSE_SYCL_PAGE "version",
		.summary = "version is present",
		.why = "dpctl treats a missing version as 0 and rejects the object",
		.fix = "add version=1",
		.check = suai_check_version_present,
	},
	{
		SYCL_RULE("SUAI113", "version-known", ERROR, MUST),
		.requires = { "SUAI002" },
		.clause = CLAUSE_SYCL_PAGE "version (\"the only supported value is 1\")",
		.summary = "version is the int 1",
		.why = "dpctl rejects every other int, raises TypeError for a str or None, truncates a float and accepts True; a consumer cannot know what another version means",
		.fix = "set version=1",
		.check = suai_check_version_known,
	},
	{
		SYCL_RULE("SUAI114", "syclobj-present", ERROR, MUST),
		.requires = { "SUAI002" },
		.clause = CLAUSE_SYCL_PAGE "syclobj",
		.summary = "syclobj is present and not None",
		.why = "a USM pointer is valid only in its context: without syclobj, dpctl reports that the pointer is not bound to a SyclContext",
		.fix = "set syclobj to the queue or the context used to allocate the memory",
		.check = suai_check_syclobj_present,
	},
	{
		SYCL_RULE("SUAI115", "python-integers", WARNING, HAZARD),
		.requires = { "SUAI002" },
		.clause = CLAUSE_SYCL_PAGE "shape; strides; offset (\"Python integer\")",
		.summary =
			"data[0], version, offset and the integers in shape and strides are Python ints, not NumPy integers or other objects with __index__",
		.why = "NumPy integers can overflow when a consumer multiplies extents, strides and sizes, other objects with __index__ need not support arithmetic, and json.dumps raises TypeError for both",
		.fix = "convert each one with int(), as in shape=tuple(int(extent) for extent in shape)",
		.check = suai_check_builtin_integers,
	},
	{
		SYCL_RULE("SUAI116", "python-address", ERROR, FACT),
		.requires = { "SUAI002" },
		.clause = CLAUSE_SYCL_PAGE "data (\"a Python integer encoding USM pointer value\")",
		.summary =
			"data[0] is an int or a NumPy integer, not another object with __index__",
		.why = "dpctl and dpnp raise TypeError (an integer is required) unless the object also has __int__",
		.fix = "convert it: data=(int(address), readonly)",
		.check = suai_check_builtin_address,
	},
	{ .id = NULL },
};
