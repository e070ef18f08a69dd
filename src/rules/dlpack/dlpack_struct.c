// SPDX-License-Identifier: MIT
/*
 * The capsule of __dlpack__ (DLPack's Python specification), and its versioned struct up to flags
 * (dlpack.h 1.3).
 */
#include "rules/dlpack/dlpack_grid.h"

#include "base/array_size.h"
#include "model/trials.h"

#include <inttypes.h>
#include <string.h>

/* Whether it is a call other than the one shown, and returned something. */
static bool returned_beside(const struct subject *subject, const struct fact_call *call)
{
	return call != dlpack_capsule_call(subject) && call->outcome == CALL_RETURNED;
}

static bool returned_capsule(const struct fact_call *call)
{
	return fact_text_is(call->returned, "PyCapsule");
}

static void dlp_check_returned(const struct subject *subject, struct report *report)
{
	const struct value *capsule = dlpack_capsule(subject, report);
	const struct fact_call *call;

	if (!capsule)
		return;
	if (!value_is(capsule, VALUE_MAP)) {
		rule_fail(report, "capsule", "__dlpack__ returned %s, expected a PyCapsule",
			shared_show(subject->arena, capsule));
		return;
	}
	for (size_t i = 0; (call = dlpack_held_call(subject, i)); i++)
		if (returned_beside(subject, call) && call->returned && !returned_capsule(call) &&
			!dlpack_is_repeat(call))
			rule_fail(report, NULL, "%s returned %s, expected a PyCapsule", call->step,
				call->returned);
}

static void report_name(const struct subject *subject, struct report *report, const char *field,
	const char *step, const struct value *name)
{
	bool was_used = value_is_text(name, "used_dltensor") ||
			value_is_text(name, "used_dltensor_versioned");

	if (was_used)
		rule_fail(report, field,
			"the capsule returned by %s is named '%s', the name of a consumed capsule",
			step, value_text_or(name, ""));
	else
		rule_fail(report, field,
			"the name of the capsule returned by %s is %s, expected 'dltensor' or 'dltensor_versioned'",
			step, value_is_null(name) ? "NULL" : shared_show(subject->arena, name));
}

/* A wrong name of all calls is one finding. */
static void dlp_check_name(const struct subject *subject, struct report *report)
{
	const struct value *capsule = dlpack_capsule(subject, report);
	const struct value *name = value_get(capsule, "name");
	const char *step = value_text_or(value_get(subject->details, "call"), "__dlpack__");
	const struct fact_call *call;

	if (!value_is(capsule, VALUE_MAP))
		return;
	if (!dlpack_is_capsule_name(value_text_or(name, NULL))) {
		report_name(subject, report, "capsule.name", step, name);
		return;
	}
	for (size_t i = 0; (call = dlpack_held_call(subject, i)); i++)
		if (returned_beside(subject, call) && returned_capsule(call) &&
			!dlpack_is_capsule_name(call->capsule) && !dlpack_is_repeat(call))
			report_name(subject, report, NULL, call->step,
				call->capsule ? value_text(subject->arena, call->capsule) : NULL);
}

/* max_version of a call as a major version: 0 if it was not passed or is None; -1 if it is not a
 * version, for which no capsule is right. */
static int64_t requested_major(const struct fact_call *call)
{
	const struct value *version = dlpack_cell_argument(call, "max_version");

	if (value_is_null(version))
		return 0;
	if (!value_is_sequence(version) || version->n_items != 2 ||
		!value_is_integer(version->items[0]) || !value_is_integer(version->items[1]))
		return -1;
	return value_int_or(version->items[0], -1);
}

/* Whether one of the held calls was the same. */
static bool is_repeated(const struct subject *subject, size_t i)
{
	const struct fact_call *calls = subject->target->calls.items;

	for (size_t held = 0; held < i && dlpack_held_call(subject, held); held++)
		if (fact_text_is(calls[held].step, calls[i].step))
			return true;
	return false;
}

/* Reports the calls that requested these major versions, including those of --calls, but returned
 * a capsule called name, as one finding. */
static void dlp_check_names(const struct subject *subject, struct report *report, int64_t first,
	int64_t last, const char *name, const char *what)
{
	const struct fact_call_list *calls = &subject->target->calls;
	struct dlpack_cells wrong = { 0 };

	for (size_t i = 0; i < calls->n_items; i++) {
		const struct fact_call *call = &calls->items[i];

		if (requested_major(call) >= first && requested_major(call) <= last &&
			fact_text_is(call->capsule, name) && !is_repeated(subject, i))
			dlpack_cells_add(&wrong, call);
	}
	dlpack_cells_report(&wrong, report, NULL, what);
}

static void dlp_check_legacy_name(const struct subject *subject, struct report *report)
{
	dlp_check_names(subject, report, 0, 0, "dltensor_versioned",
		"returned a capsule named 'dltensor_versioned' instead of 'dltensor'");
}

/* DLP810 checks the result for a version that does not exist yet. */
static void dlp_check_versioned_name(const struct subject *subject, struct report *report)
{
	dlp_check_names(subject, report, 1, DLPACK_MAJOR, "dltensor",
		"returned a capsule named 'dltensor' instead of 'dltensor_versioned'");
}

/* For a tensor of more than 64 dimensions: field is the path of shape or strides. */
static bool is_long_enough(const struct subject *subject, struct report *report, const char *field)
{
	const struct value *tensor = value_get(subject->declared, "dl_tensor");
	const char *key =
		arena_printf(subject->arena, "long_layout.%s_readable", strrchr(field, '.') + 1);
	int64_t n_dims = value_int_or(value_get(tensor, "ndim"), 0);
	int64_t n_readable = value_int_or(value_at(tensor, key), n_dims);

	if (n_readable < n_dims)
		rule_fail(report, field,
			"ndim is %" PRId64 ", but %s has only %" PRId64 " %s in readable memory",
			n_dims, field, n_readable, n_readable == 1 ? "entry" : "entries");
	return n_readable >= n_dims;
}

/* "memory at 0x8 cannot be read" */
static const char *show_unreadable(struct arena *arena, const struct value *value)
{
	const char *text = shared_show(arena, value);
	size_t n_chars = strlen(text);

	return n_chars > 2 && *text == '<' && text[n_chars - 1] == '>'
		       ? arena_copy(arena, text + 1, n_chars - 2)
		       : text;
}

/* The struct in a capsule that is named as one of the other kind. */
static bool is_other_struct(const struct value *value)
{
	return value_is(value, VALUE_OPAQUE) &&
	       (!strcmp(value->bytes, DLPACK_LEGACY_STRUCT) ||
		       !strcmp(value->bytes, DLPACK_VERSIONED_STRUCT));
}

static void dlp_check_readable(const struct subject *subject, struct report *report)
{
	static const char *const fields[] = { "dl_tensor", "dl_tensor.shape", "dl_tensor.strides" };
	const struct value *deleter = value_get(subject->declared, "deleter");
	const struct value *capsule = dlpack_capsule(subject, report);
	bool has_dimensions = value_int_or(value_at(subject->declared, "dl_tensor.ndim"), 0) > 0;
	struct dlpack_version version = dlpack_read_version(subject);

	if (!capsule || !dlpack_is_capsule_name(value_text_or(value_get(capsule, "name"), NULL)) ||
		(version.is_versioned && version.major != DLPACK_MAJOR))
		return;
	if (value_is_null(value_get(subject->declared, "dl_tensor")))
		rule_fail(report, "dl_tensor", "the capsule does not point to a managed tensor");
	if (value_is(deleter, VALUE_OPAQUE)) {
		rule_set_fix(report, "set deleter to NULL or to a function that frees the tensor");
		rule_fail(report, "deleter", "deleter is invalid: %s",
			show_unreadable(subject->arena, deleter));
	}
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		const struct value *value = value_at(subject->declared, fields[i]);

		if (is_other_struct(value)) {
			rule_set_fix(report, strcmp(value->bytes, DLPACK_LEGACY_STRUCT)
						     ? "name the capsule 'dltensor_versioned'"
						     : "name the capsule 'dltensor'");
			rule_fail(report, "capsule.name",
				"the struct is a %s, but the capsule is named '%s'",
				show_unreadable(subject->arena, value),
				value_text_or(value_get(capsule, "name"), ""));
		} else if (value_is(value, VALUE_OPAQUE) && (!i || has_dimensions))
			rule_fail(report, fields[i], "%s is invalid: %s",
				i ? fields[i] : "the pointer in the capsule",
				show_unreadable(subject->arena, value));
		else if (i && !is_long_enough(subject, report, fields[i]))
			return;
	}
}

static void dlp_check_destructor(const struct subject *subject, struct report *report)
{
	const struct value *capsule = dlpack_capsule(subject, report);

	if (value_is(capsule, VALUE_MAP) && !dlpack_is_set(value_get(capsule, "destructor")))
		rule_fail(report, "capsule.destructor", "the capsule has no destructor");
}

static void dlp_check_major(const struct subject *subject, struct report *report)
{
	const struct fact_call_list *calls = &subject->target->calls;
	const struct fact_call *call = dlpack_capsule_call(subject);
	struct dlpack_version version = dlpack_read_version(subject);
	int64_t max_major = call ? dlpack_max_major(call) : DLPACK_MAJOR;
	struct dlpack_cells wrong = { 0 };

	if (max_major && version.major > max_major) {
		rule_fail(report, "version",
			"the version of the struct is %" PRId64 ".%" PRId64
			", but the major version of max_version is %" PRId64,
			version.major, version.minor, max_major);
		return;
	}
	for (size_t i = 0; i < calls->n_items; i++)
		if (requested_major(&calls->items[i]) >= 1 &&
			dlpack_call_major(&calls->items[i]) > requested_major(&calls->items[i]))
			dlpack_cells_add(&wrong, &calls->items[i]);
	dlpack_cells_report(&wrong, report, "version",
		"returned a struct whose major version is above that of max_version");
}

static void fail_newer(const struct subject *subject, struct report *report, const char *field,
	const char *what, int64_t since_minor)
{
	struct dlpack_version version = dlpack_read_version(subject);

	if (version.minor < since_minor)
		rule_fail(report, field,
			"%s was added in DLPack 1.%" PRId64
			", but the version of the struct is %" PRId64 ".%" PRId64,
			what, since_minor, version.major, version.minor);
}

static void dlp_check_codes_of_version(const struct subject *subject, struct report *report)
{
	const struct value *tensor = value_get(subject->declared, "dl_tensor");
	int64_t code = value_int_or(value_at(tensor, "dtype.code"), 0);
	int64_t device = value_int_or(value_at(tensor, "device.device_type"), 0);

	if (!dlpack_tensor(subject, report) || dlpack_read_version(subject).major != DLPACK_MAJOR)
		return;
	if (code >= DLPACK_FIRST_FLOAT8 && code <= DLPACK_LAST_TYPE)
		fail_newer(
			subject, report, "dl_tensor.dtype.code", dtype_dlpack_code_name(code), 1);
	if (device == DLPACK_TRN)
		fail_newer(subject, report, "dl_tensor.device.device_type", "kDLTrn", 2);
	if (dlpack_flags(subject) & DLPACK_IS_PADDED)
		fail_newer(subject, report, "flags", "the padding flag", 1);
}

static void dlp_check_flags(const struct subject *subject, struct report *report)
{
	uint64_t unknown = dlpack_flags(subject) &
			   ~(uint64_t)(DLPACK_READ_ONLY | DLPACK_IS_COPIED | DLPACK_IS_PADDED);

	if (unknown && dlpack_is_newer(subject))
		rule_skip(report,
			"flags contains bits that a DLPack version after 1.3 may define: 0x%" PRIx64,
			unknown);
	else if (unknown)
		rule_fail(report, "flags",
			"flags contains bits that dlpack.h 1.3 does not define: 0x%" PRIx64,
			unknown);
}

static void dlp_check_minor(const struct subject *subject, struct report *report)
{
	struct dlpack_version version = dlpack_read_version(subject);

	if (version.major == DLPACK_MAJOR && version.minor > DLPACK_MINOR)
		rule_fail(report, "version",
			"the version of the struct is 1.%" PRId64
			", but suai supports at most 1.%d",
			version.minor, DLPACK_MINOR);
}

static void dlp_check_version_set(const struct subject *subject, struct report *report)
{
	struct dlpack_version version = dlpack_read_version(subject);

	if (version.is_versioned && version.major < 1)
		rule_fail(report, "version",
			"the version of the struct is %" PRId64 ".%" PRId64
			", expected 1.0 or later",
			version.major, version.minor);
}

const struct rule dlpack_struct_rules[] = {
	{
		DLPACK_RULE("DLP101", "capsule", ERROR, MUST),
		.clause = CLAUSE_DLPACK_PYTHON "Implementation (\"will produce a PyCapsule\")",
		.summary = "__dlpack__ returns a PyCapsule",
		.why = "consumers such as NumPy pass the value to PyCapsule_GetPointer, which raises a ValueError that does not mention the producer",
		.fix = "return PyCapsule_New(managed_tensor, name, destructor), where name is 'dltensor_versioned' if max_version is (1, 0) or above, and 'dltensor' otherwise",
		.check = dlp_check_returned,
	},
	{
		DLPACK_RULE("DLP102", "capsule-name", ERROR, MUST),
		.clause = CLAUSE_DLPACK_PYTHON
		"Implementation (\"The producer must set the PyCapsule name\")",
		.summary = "the capsule is named dltensor or dltensor_versioned",
		.why = "only the name shows to which struct the capsule points, and whether the capsule was consumed: consumers reject every other name",
		.fix = "create a new capsule for every call, named 'dltensor_versioned' if max_version is (1, 0) or above, and 'dltensor' otherwise",
		.check = dlp_check_name,
	},
	{
		DLPACK_EACH("DLP105", "readable-struct", ERROR, MUST),
		.clause = CLAUSE_DLPACK_PYTHON
		"Implementation (\"a PyCapsule containing a DLManagedTensor\")",
		.summary =
			"the capsule points to a managed tensor of its kind; the struct, its shape and its strides are in readable memory, and its deleter is NULL or code",
		.why = "consumers follow these pointers without a check, and crash",
		.fix = "create the capsule with the address of the managed tensor; keep the struct, its shape and its strides alive until the deleter is called",
		.check = dlp_check_readable,
	},
	{
		DLPACK_RULE("DLP103", "legacy-by-default", ERROR, MUST),
		.optional_facts = FACT_CALLS,
		.subsumed_by = { "DLP105" },
		.clause = CLAUSE_ARRAY_API
		"array.__dlpack__ Notes (\"Keep and use the DLPack 0.X implementation\")",
		.summary =
			"a capsule that __dlpack__ returns without max_version, or for max_version=None or (0, N), is a legacy capsule, named dltensor",
		.why = "consumers that pass no max_version, such as JAX, may support only the legacy struct, and reject a versioned capsule",
		.fix = "return a capsule named 'dltensor' that contains a DLManagedTensor, or raise BufferError",
		.check = dlp_check_legacy_name,
	},
	{
		DLPACK_RULE("DLP104", "versioned-on-request", WARNING, SHOULD),
		.optional_facts = FACT_CALLS,
		.subsumed_by = { "DLP105" },
		.since = "array-api=2023.12",
		.clause = CLAUSE_ARRAY_API
		"array.__dlpack__ max_version (\"recommended if it does support that\"); array.__dlpack__ Notes",
		.summary =
			"a capsule that __dlpack__ returns for max_version=(1, N) is named dltensor_versioned",
		.why = "a legacy capsule cannot express that data is read-only or a copy; consumers such as PyArrow reject every legacy capsule",
		.fix = "return a capsule named 'dltensor_versioned' that contains a DLManagedTensorVersioned",
		.check = dlp_check_versioned_name,
	},
	{
		DLPACK_EACH("DLP106", "capsule-destructor", ERROR, MUST),
		.clause = CLAUSE_DLPACK_PYTHON "Implementation (\"set PyCapsule_Destructor\")",
		.summary = "the capsule has a destructor",
		.why = "the deleter of a capsule that is not consumed, for example after an exception, is never called: the memory of the "
		       "array leaks",
		.fix = "pass PyCapsule_New a destructor that calls the deleter unless the capsule was consumed",
		.check = dlp_check_destructor,
	},
	{
		DLPACK_RULE("DLP107", "major-version", ERROR, MUST),
		.optional_facts = FACT_CALLS,
		.since = "array-api=2023.12",
		.clause = CLAUSE_ARRAY_API
		"array.__dlpack__ max_version; array.__dlpack__ Notes; " CLAUSE_DLPACK_H
		"DLPackVersion",
		.summary =
			"for a max_version of (1, 0) or above, the major version of the struct is not above that of max_version",
		.why = "the struct of another major version has another layout: the consumer can only call the deleter and fail",
		.fix = "return a struct whose major version is not above max_version[0], or raise BufferError",
		.check = dlp_check_major,
	},
	{
		DLPACK_EACH("DLP108", "codes-of-version", WARNING, HAZARD),
		.clause = CLAUSE_DLPACK_H "DLPackVersion (\"new code, such as a new device type\")",
		.summary =
			"the type code, the device type and the bits of flags are defined in the version that the struct declares: float8, float6, float4 and the padding flag since 1.1, kDLTrn since 1.2",
		.why = "a consumer built for the declared version does not know these codes and flags, although the version implies that it does",
		.fix = "set version to that of the dlpack.h that the library is built with",
		.check = dlp_check_codes_of_version,
	},
	{
		DLPACK_EACH("DLP109", "flags-known", WARNING, MUST),
		.clause = CLAUSE_DLPACK_H
		"DLManagedTensorVersioned.flags (\"By default the flags should be set to 0\")",
		.summary = "flags contains only the bits for read-only, copied and padded",
		.why = "a consumer cannot interpret other bits, which are usually set because flags was not initialized",
		.fix = "set flags to 0 and add the bits that apply",
		.check = dlp_check_flags,
	},
	{
		DLPACK_EACH("DLP110", "minor-version", NOTE, HAZARD),
		.clause = CLAUSE_DLPACK_H "DLPackVersion (\"a minor version mismatch\")",
		.summary =
			"the version of a struct of major version 1 is at most 1.3, the newest that suai supports",
		.why = "suai does not check codes and flags that a later version of DLPack added",
		.fix = "the library needs no fix if the version is correct; a newer version of suai may support it",
		.check = dlp_check_minor,
	},
	{
		DLPACK_EACH("DLP111", "version-set", ERROR, MUST),
		.clause = CLAUSE_DLPACK_H "DLPackVersion (\"major version that disagrees\")",
		.summary = "a versioned struct has a major version of 1 or above",
		.why = "a consumer that follows dlpack.h calls the deleter and fails; major version 0 usually means that version was not "
		       "initialized",
		.fix = "set version to {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION}",
		.check = dlp_check_version_set,
	},
	{ .id = NULL },
};
