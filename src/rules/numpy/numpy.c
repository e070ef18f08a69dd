// SPDX-License-Identifier: MIT
/*
 * The dictionary of __array_interface__ version 3, its keys and their Python types. The document is
 * NumPy's page of the protocol.
 */
#include "rules/numpy/numpy.h"

#include "base/identifier.h"

#include <string.h>

static void nai_check_dictionary(const struct subject *subject, struct report *report)
{
	if (!interface_was_read(subject->interface))
		rule_skip(report, "reading __array_interface__ raised an exception");
	else
		shared_check_dictionary(subject, report);
}

static void nai_check_access(const struct subject *subject, struct report *report)
{
	bool is_struct = subject->protocol == &numpy_struct_protocol;

	shared_check_access(subject, report,
		is_struct ? "reading __array_struct__" : "reading __array_interface__", true);
}

static void nai_check_present(const struct subject *subject, struct report *report)
{
	shared_check_present(subject, report, "shape");
	shared_check_present(subject, report, "typestr");
	shared_check_present(subject, report, "version");
}

static void nai_check_shape(const struct subject *subject, struct report *report)
{
	const struct value *shape = value_get(subject->declared, "shape");

	if (!shape)
		return;
	shared_check_tuple(subject, report, "shape", -1);
	shared_check_integers(subject, report, "shape");
	rule_set_fix(report, "use the number of elements in each dimension, 0 or more");
	shared_check_extents(subject, report);
	rule_set_fix(report, "reshape to at most 64 dimensions: array.reshape(-1)");
	if (value_is_sequence(shape) && shape->n_items > ARRAY_MAX_DIMS)
		rule_fail(report, "shape", "shape has %zu entries, expected at most %d",
			shape->n_items, ARRAY_MAX_DIMS);
}

static void nai_check_version(const struct subject *subject, struct report *report)
{
	const struct value *version = value_get(subject->declared, "version");

	if (version)
		shared_check_version(subject, report);
}

/* If data does not name the memory itself, a buffer must provide it. */
static void nai_check_buffer(const struct subject *subject, struct report *report)
{
	const struct value *data = value_get(subject->declared, "data");
	const struct value *error = value_get(subject->details, "buffer_error");
	const char *raised;

	if (!data || value_is(value_get(subject->details, "buffer"), VALUE_MAP))
		return;
	if (!value_is_null(error)) {
		raised = fact_exception(subject->arena,
			value_text_or(value_get(error, "type"), NULL),
			value_text_or(value_get(error, "message"), NULL));
		if (value_is_null(data))
			rule_fail(report, "data",
				"data is None, and a request for the object's buffer raised %s",
				raised);
		else
			rule_fail(report, "data",
				"data is %s, and a request for its buffer raised %s",
				shared_show(subject->arena, data), raised);
	} else if (value_is_null(data)) {
		rule_fail(report, "data", "data is None, but the object itself exports no buffer");
	} else {
		rule_fail(report, "data", "data is %s, expected a 2-tuple, a buffer or None",
			shared_show(subject->arena, data));
	}
}

static void nai_check_data(const struct subject *subject, struct report *report)
{
	const struct value *data = value_get(subject->declared, "data");

	if (!value_is_sequence(data)) {
		nai_check_buffer(subject, report);
		return;
	}
	shared_check_tuple(subject, report, "data", 2);
	if (data->n_items != 2)
		return;
	shared_check_pointer(subject, report, "data[0]");
	if (!value_is_null(value_at(subject->details, "data.readonly_error")))
		rule_fail(report, "data[1]", "data[1] has no truth value: bool(data[1]) raised %s",
			value_text_or(value_at(subject->details, "data.readonly_error"), "?"));
}

static void nai_check_readonly(const struct subject *subject, struct report *report)
{
	const struct value *data = value_get(subject->declared, "data");

	if (value_is_sequence(data) && data->n_items == 2 &&
		value_is_null(value_at(subject->details, "data.readonly_error"))) /* NAI104 */
		shared_check_bool(subject, report, "data[1]");
}

static void nai_check_builtin_address(const struct subject *subject, struct report *report)
{
	shared_check_builtin_address(subject, report, false);
}

static void nai_check_offset(const struct subject *subject, struct report *report)
{
	const struct value *offset = value_get(subject->declared, "offset");
	uint64_t pointer = 0;
	int64_t n_bytes;

	if (!offset)
		return;
	if (value_is_sequence(value_get(subject->declared, "data")))
		rule_fail(report, "offset", "offset is present, but data is an address");
	else if (!value_is_integer(offset))
		shared_check_integer(report, subject->arena, offset, "offset");
	else if (!value_to_int64(offset, &n_bytes))
		rule_fail(report, "offset",
			"offset is %s, which is outside the range of a signed 64-bit integer",
			shared_show(subject->arena, offset));
	else if (value_to_address(value_at(subject->details, "buffer.pointer"), &pointer) &&
		 pointer && ((__int128)pointer + n_bytes) >> 64)
		rule_fail(report, "offset",
			"offset is %s, which places the first element outside the address space",
			shared_show(subject->arena, offset));
}

static void nai_check_mask(const struct subject *subject, struct report *report)
{
	const struct value *mask = value_get(subject->declared, "mask");
	struct err err;

	if (protocol_check_mask(subject->declared, subject->protocol->attribute, &err))
		rule_fail(report, "mask", "mask is %s, which has no __array_interface__",
			shared_show_mask(subject->arena, mask));
	else if (protocol_check_mask_interface(
			 subject->declared, subject->protocol->attribute, &err) ||
		 protocol_check_mask_shape(subject->declared, &err))
		rule_fail(report, "mask", "%s", err.message);
}

static void nai_check_builtin_integers(const struct subject *subject, struct report *report)
{
	static const char *const fields[] = { "shape", "strides", "offset", "version", NULL };

	shared_check_builtin_integers(subject, report, fields);
}

static void nai_check_data_given(const struct subject *subject, struct report *report)
{
	if (!value_get(subject->declared, "data") &&
		!value_is(value_get(subject->details, "buffer"), VALUE_MAP))
		rule_fail(
			report, "data", "data is missing, and the object itself exports no buffer");
}

static void nai_check_buffer_named(const struct subject *subject, struct report *report)
{
	if (!value_get(subject->declared, "data") &&
		value_is(value_get(subject->details, "buffer"), VALUE_MAP))
		rule_fail(report, "data",
			"data is missing although the object itself exports a buffer");
}

/* Whether NumPy wrote the typestr of an element type that has none: the class of a new-style dtype
 * with its arguments. */
static bool is_class_of_dtype(const char *typestr)
{
	size_t n_name = 0, n_chars = strlen(typestr);

	while (is_identifier_byte(typestr[n_name]))
		n_name++;
	return n_name && typestr[n_name] == '(' && typestr[n_chars - 1] == ')';
}

static void nai_check_type(const struct subject *subject, struct report *report)
{
	static const char strings[] = "StringDType(";
	const struct value *typestr = value_get(subject->declared, "typestr");

	if (!typestr)
		return;
	if (value_is(typestr, VALUE_TEXT) && !strncmp(typestr->bytes, strings, strlen(strings)))
		rule_set_fix(report,
			"convert the strings to the length of the longest: x.astype(f'U{numpy.strings.str_len(x).max(initial=1)}')");
	else if (value_is(typestr, VALUE_TEXT) && is_class_of_dtype(typestr->bytes))
		rule_set_fix(report,
			"NumPy has no typestr for element types of other packages: convert the elements to a type of NumPy, here float64: x.astype('f8')");
	shared_check_numpy_type(subject, report, "");
}

static void nai_check_strides(const struct subject *subject, struct report *report)
{
	if (value_is_null(value_get(subject->declared, "strides")))
		return;
	shared_check_tuple(subject, report, "strides", -1);
	rule_set_fix(report, "use strides=tuple(int(stride) for stride in strides), in bytes");
	shared_check_integers(subject, report, "strides");
	rule_set_fix(report, NULL);
	shared_check_stride_count(subject, report);
}

const struct rule numpy_rules[] = {
	{
		NUMPY_RULE("NAI001", "dictionary", ERROR, MUST),
		.clause = CLAUSE_NUMPY "__array_interface__ (\"A dictionary of items\")",
		.summary = "__array_interface__ is an instance of dict or of a subclass",
		.why = "numpy.asarray raises ValueError for any other value, including other mappings",
		.fix = "return a dict; dict(mapping) converts another mapping",
		.check = nai_check_dictionary,
	},
	{
		NUMPY_FORMS_RULE(0, "NAI002", "attribute-access", ERROR, MUST),
		.clause = CLAUSE_NUMPY "introduction; " CLAUSE_PYTHON "hasattr",
		.summary =
			"reading __array_interface__ or __array_struct__ either returns a value or raises AttributeError",
		.why = "numpy.asarray reads these attributes of an object that exports no buffer, and propagates every exception except AttributeError, even if it could use another interface of the object",
		.fix = "raise AttributeError in the property if the object cannot be exported",
		.check = nai_check_access,
	},
	{
		NUMPY_RULE("NAI004", "unknown-keys", NOTE, HAZARD),
		.requires = { "NAI001" },
		.clause = CLAUSE_NUMPY "__array_interface__ (\"3 required and 5 optional\")",
		.summary =
			"the dictionary has only the keys shape, typestr, descr, data, strides, mask, offset and version",
		.why = "NumPy ignores other keys, so the value of a misspelt key is silently lost",
		.fix = "correct the spelling, or move custom information to a separate attribute",
		.check = shared_check_keys,
	},
	{
		NUMPY_RULE("NAI101", "required-keys", ERROR, MUST),
		.requires = { "NAI001" },
		.clause = CLAUSE_NUMPY "shape; typestr; version (\"required\")",
		.summary = "shape, typestr and version are present",
		.why = "numpy.asarray raises ValueError without typestr, and without shape if data is present; without version, a consumer cannot know which keys to expect",
		.fix = "add the key, such as 'shape': () for a zero-dimensional array, 'typestr': '<f8' for float64, or 'version': 3",
		.check = nai_check_present,
	},
	{
		NUMPY_RULE("NAI102", "shape-tuple", ERROR, MUST),
		.requires = { "NAI001" },
		.clause = CLAUSE_NUMPY
		"shape (\"Tuple whose elements are the array size in each dimension\")",
		.summary = "shape is a tuple of at most 64 non-negative ints",
		.why = "numpy.asarray raises TypeError for lists, floats and bools, and ValueError for negative extents and for more "
		       "than 64 dimensions",
		.fix = "use shape=tuple(int(extent) for extent in shape), with at most 64 extents of 0 or more; a zero-dimensional array has shape=()",
		.check = nai_check_shape,
	},
	{
		NUMPY_RULE("NAI103", "version-integer", ERROR, MUST),
		.requires = { "NAI001" },
		.clause = CLAUSE_NUMPY
		"version (\"An integer showing the version of the interface\")",
		.summary =
			"version is a non-negative int, not a bool; versions above 3 are allowed",
		.why = "a consumer that compares version with a number raises TypeError for strings and None, and treats True or a negative number as an outdated version; NumPy does not read version",
		.fix = "set version=3",
		.check = nai_check_version,
	},
	{
		NUMPY_RULE("NAI104", "data-area", ERROR, MUST),
		.requires = { "NAI001" },
		.clause = CLAUSE_NUMPY
		"data (\"A 2-tuple\", \"an object exposing the buffer interface\", \"None\")",
		.summary =
			"data, if present, is a 2-tuple of an address and a read-only flag, an object that exports a buffer, or None if the object itself exports a buffer",
		.why = "numpy.asarray raises TypeError for other values, OverflowError for an address that does not fit in 64 bits, or the exception that bool(data[1]) raises; reading an element at a negative address, or at True (1), crashes the process",
		.fix = "use data=(address, readonly), with an int and a bool, or data=owner, with the bytearray, memoryview or mmap that contains the elements",
		.check = nai_check_data,
	},
	{
		NUMPY_RULE("NAI105", "offset-use", ERROR, MUST),
		.requires = { "NAI001" },
		.clause = CLAUSE_NUMPY
		"offset (\"This can only be used when data is None or returns a memoryview object\")",
		.summary =
			"offset is absent if data is an address; otherwise, it is absent or a signed 64-bit int that keeps the first element within the address space",
		.why = "if data is an address, NumPy ignores offset, and the array begins at the wrong element; if data is None or a buffer, NumPy raises TypeError unless offset is a signed 64-bit integer, and reading outside the address space crashes the process",
		.fix = "if data is an address, remove the key and use data=(address + offset, readonly); otherwise, use offset=int(offset), a number of bytes within the buffer",
		.check = nai_check_offset,
	},
	{
		NUMPY_RULE("NAI106", "descr-size", ERROR, MUST),
		.requires = { "NAI001" },
		.clause = CLAUSE_NUMPY
		"descr (\"The only requirement is that the number of bytes represented in the typestr key is the same\")",
		.summary =
			"descr, unless absent or None, is a list of fields (2-tuples or 3-tuples) whose names and titles are distinct and whose sizes add up to the item size that typestr declares",
		.why = "numpy.asarray ignores descr except for kind V: there, a wrong size misplaces elements unless strides is set, "
		       "a tuple of fields raises TypeError, a repeated name or title ValueError; consumers that iterate over the fields reject a dictionary",
		.fix = "use descr=numpy.dtype(...).descr, which includes padding, or remove descr",
		.check = shared_check_descr,
	},
	{
		NUMPY_RULE("NAI107", "mask-array", ERROR, MUST),
		.requires = { "NAI001" },
		.clause = CLAUSE_NUMPY "mask (\"None or an object exposing the array interface\")",
		.summary =
			"mask, if present, is None or an object that exposes the array interface with a shape that broadcasts to the shape of the array",
		.why = "NumPy ignores the mask, and a consumer that applies it cannot determine which elements are valid",
		.fix = "use a boolean array of the same shape, or remove mask",
		.check = nai_check_mask,
	},
	{
		NUMPY_RULE("NAI108", "python-address", ERROR, FACT),
		.requires = { "NAI001" },
		.clause = CLAUSE_NUMPY "data (\"a Python integer\")",
		.summary =
			"data[0] is an instance of int or of a subclass, not another object with __index__",
		.why = "numpy.asarray raises TypeError for numpy.int64, numpy.uintp and any other object that is not an int (NumPy 1.26 "
		       "to 2.5)",
		.fix = "convert it: data=(int(address), readonly)",
		.check = nai_check_builtin_address,
	},
	{
		NUMPY_RULE("NAI112", "data-present", ERROR, FACT),
		.requires = { "NAI001" },
		.clause = CLAUSE_NUMPY "data (\"that we may remove in the future\")",
		.summary = "data is present, or the object itself exports a buffer",
		.why = "numpy.asarray raises ValueError for more than one element; otherwise, it converts the object itself, for example with float() or int()",
		.fix = "add data=(address, readonly), or name the object that contains the elements: data=self._buffer",
		.check = nai_check_data_given,
	},
	{
		NUMPY_RULE("NAI113", "python-integers", WARNING, HAZARD),
		.requires = { "NAI001" },
		.clause = CLAUSE_NUMPY "shape; strides; offset; version",
		.summary =
			"offset, version and the integers in shape and strides are Python ints, not NumPy integers or "
			"other objects with __index__",
		.why = "NumPy integers can overflow when a consumer multiplies extents, strides and sizes, other objects with __index__ need not "
		       "support arithmetic, and json.dumps raises TypeError for both",
		.fix = "convert each one with int(), as in shape=tuple(int(extent) for extent in shape)",
		.check = nai_check_builtin_integers,
	},
	{
		NUMPY_RULE("NAI114", "data-explicit", WARNING, HAZARD),
		.requires = { "NAI001" },
		.clause = CLAUSE_NUMPY "data (\"that we may remove in the future\")",
		.summary = "data is present even if the object itself exports a buffer",
		.why = "without data, a consumer that supports only __array_interface__ finds no memory; numpy.asarray is not affected, because it uses the buffer and ignores the dictionary",
		.fix = "add data=(address, readonly), or data=None to refer to the buffer of the object itself",
		.check = nai_check_buffer_named,
	},
	{
		NUMPY_RULE("NAI115", "readonly-bool", WARNING, HAZARD),
		.requires = { "NAI001" },
		.clause = CLAUSE_NUMPY "data (\"true means the data area is read-only\")",
		.summary = "data[1] is True or False",
		.why = "NumPy uses its truth value: None means writable, and the string 'False' means read-only",
		.fix = "use data=(address, bool(flag))",
		.check = nai_check_readonly,
	},
	{
		NUMPY_RULE("NAI201", "typestr-type", ERROR, MUST),
		.requires = { "NAI001" },
		.clause = CLAUSE_NUMPY "typestr (\"The basic string format consists of 3 parts\")",
		.summary =
			"typestr consists of a byte order (< > | =), one of the kinds t b i u f c m M O S U V, a size that is valid for that kind (optional for O) and, for m and M, an optional unit; NAI204 covers common names of numpy.dtype, such as 'f8'",
		.why = "numpy.asarray raises TypeError for nearly all other values; it accepts bytes, other names such as 'intp' "
		       "and comma-separated fields ('<i4,<f4'), but other consumers may reject them",
		.fix = "use numpy.dtype(...).str: '<f4' for float32, '|b1' for bool, '|V12' for a structure",
		.check = nai_check_type,
	},
	{
		NUMPY_RULE("NAI204", "byte-order-letter", WARNING, HAZARD),
		.requires = { "NAI201" },
		.clause = CLAUSE_NUMPY "typestr (\"The basic string format consists of 3 parts\")",
		.summary =
			"typestr begins with '<' or '>', or with '|' if byte order does not apply (elements of one byte, and kinds S, V, O and t), and is not a name specific to numpy.dtype, such as 'f8'",
		.why = "NumPy accepts other strings too, but a consumer with its own parser can reject them, or treat the first letter of a name as the byte order",
		.fix = "use numpy.dtype(...).str, which is '<f8' for 'f8', '=f8' and 'float64' on a little-endian machine",
		.check = shared_check_order_letter,
	},
	{
		NUMPY_RULE("NAI301", "strides-tuple", ERROR, MUST),
		.requires = { "NAI001" },
		.clause = CLAUSE_NUMPY
		"strides (\"Either None to indicate a C-style contiguous array or a tuple of strides\")",
		.summary =
			"strides is absent, None, or a tuple with one int per dimension, in bytes",
		.why = "NumPy raises TypeError for lists, floats and bools, and ValueError for a wrong length",
		.fix = "use a tuple of len(shape) strides in bytes, or strides=None for C order",
		.check = nai_check_strides,
	},
	{ .id = NULL },
};
