// SPDX-License-Identifier: MIT
/*
 * __dlpack__ and __dlpack_device__ as methods, and the exceptions of the two calls that suai makes,
 * one without arguments and one with max_version (array API standard).
 */
#include "rules/dlpack/dlpack.h"

#include "base/array_size.h"

#include <string.h>

/* Whether reading the attribute __dlpack__, or __dlpack_device__, raised an exception. */
static bool is_dlpack_unreadable(const struct subject *subject)
{
	return subject->interface->status == INTERFACE_RAISED &&
	       !value_bool_or(value_get(subject->details, "has_dlpack"), true);
}

static bool is_device_unreadable(const struct subject *subject)
{
	return !value_is_null(value_get(subject->details, "device_error")) &&
	       !value_bool_or(value_get(subject->details, "has_device"), true);
}

static void dlp_check_methods(const struct subject *subject, struct report *report)
{
	bool has_dlpack = is_dlpack_unreadable(subject) ||
			  value_bool_or(value_get(subject->details, "has_dlpack"), true);
	bool has_device = is_device_unreadable(subject) ||
			  value_bool_or(value_get(subject->details, "has_device"), true);

	if (has_dlpack != has_device)
		rule_fail(report, NULL, "the object has %s but not %s",
			has_dlpack ? "__dlpack__" : "__dlpack_device__",
			has_dlpack ? "__dlpack_device__" : "__dlpack__");
}

/* Whether every call of __dlpack__ was refused with BufferError. */
static bool exports_nothing(const struct subject *subject)
{
	const struct fact_call *call;
	size_t n_calls = 0;

	for (; (call = dlpack_held_call(subject, n_calls)); n_calls++)
		if (call->outcome != CALL_REFUSED)
			return false;
	return n_calls > 0;
}

/* Whether __dlpack_device__() raised this exception, too, as it may for elements that DLPack does
 * not have: one cause. */
static bool is_error_of_device(const struct subject *subject, const struct fact_error *error)
{
	const struct value *of_device = value_get(subject->details, "device_error");

	return error->type && error->message && !is_device_unreadable(subject) &&
	       dlpack_is_refusal(error->type) &&
	       value_is_text(value_get(of_device, "type"), error->type) &&
	       value_is_text(value_get(of_device, "message"), error->message);
}

static bool refuses_keywords(const struct fact_call *call)
{
	return call->arguments && call->arguments->n_items &&
	       fact_text_is(call->exception, "TypeError");
}

/* Whether every call of __dlpack__ raised the exception of __dlpack_device__(), which DLP808
 * reports, failed without a defect of the object, or refused its keywords. */
static bool always_fails_like_device(const struct subject *subject)
{
	const struct fact_call *call;
	bool has_raised = false;

	for (size_t i = 0; (call = dlpack_held_call(subject, i)); i++) {
		if (call->outcome != CALL_RAISED)
			return false;
		if (is_error_of_device(subject, &call->error) || dlpack_failed_by_state(call))
			has_raised = true;
		else if (!refuses_keywords(call))
			return false;
	}
	return has_raised;
}

static void dlp_check_device_pair(const struct subject *subject, struct report *report)
{
	const struct value *error = value_get(subject->details, "device_error");
	const struct value *device = value_get(subject->declared, "device");
	bool is_unreadable = is_device_unreadable(subject);
	bool was_asked = value_bool_or(value_get(subject->details, "has_device"), !!device);

	if (is_unreadable && is_dlpack_unreadable(subject))
		rule_skip(report, "reading __dlpack__ raised an exception, too");
	else if (!was_asked && !is_unreadable)
		rule_skip(report, "__dlpack_device__ was not called");
	else if (value_is_text(value_get(error, "type"), "BufferError"))
		rule_skip(report, "__dlpack_device__() raised BufferError");
	else if (!value_is_null(error) && exports_nothing(subject) &&
		 dlpack_is_refusal(value_text_or(value_get(error, "type"), NULL)))
		rule_skip(report,
			"__dlpack_device__() raised %s, and every call of __dlpack__() was refused with BufferError",
			value_text_or(value_get(error, "type"), ""));
	else if (always_fails_like_device(subject))
		rule_skip(report, "__dlpack__() failed, too");
	else if (!value_is_null(error))
		rule_fail(report, "device", "%s raised %s",
			is_unreadable ? "reading __dlpack_device__" : "__dlpack_device__()",
			fact_exception(subject->arena,
				value_text_or(value_get(error, "type"), NULL),
				value_text_or(value_get(error, "message"), NULL)));
	else if (!device || !value_is(device, VALUE_TUPLE) || device->n_items != 2)
		rule_fail(report, "device", "__dlpack_device__() returned %s, expected a 2-tuple",
			shared_show(subject->arena, device));
}

/* An int of any size: one of thousands of digits is opaque. */
static bool is_any_integer(const struct value *value)
{
	return value_is_integer(value) || (value_is(value, VALUE_OPAQUE) && value->type_name &&
						  !strcmp(value->type_name, "int"));
}

static void dlp_check_type_code(const struct subject *subject, struct report *report,
	const struct value *code, const char *field)
{
	const char *shown = shared_show(subject->arena, code);

	if (!is_any_integer(code))
		rule_fail(report, field, "the device type is %s, expected an int", shown);
	else if (!device_type_name(value_int_or(code, -1)) && dlpack_is_newer(subject))
		rule_skip(report, "device type %s may be defined in a DLPack version after 1.3",
			shown);
	else if (!device_type_name(value_int_or(code, -1)))
		rule_fail(report, field,
			"the device type is %s, which dlpack.h 1.3 does not define", shown);
}

static void dlp_check_device_id(const struct subject *subject, struct report *report,
	const struct value *id, const char *field)
{
	int64_t number;

	if (!is_any_integer(id))
		rule_fail(report, field, "the device id is %s, expected an int",
			shared_show(subject->arena, id));
	else if (!value_to_int64(id, &number) || number < 0 || number > INT32_MAX)
		rule_fail(report, field, "the device id is %s, expected 0 to 2^31 - 1",
			shared_show(subject->arena, id));
}

/* Checks the device that the method returned, or if it returned none, that of the capsule. */
static void dlp_check_device_codes(const struct subject *subject, struct report *report)
{
	const struct value *pair = value_get(subject->declared, "device");
	const struct value *map = value_at(subject->declared, "dl_tensor.device");

	if (value_is_sequence(pair) && pair->n_items == 2) {
		dlp_check_type_code(subject, report, pair->items[0], "device[0]");
		dlp_check_device_id(subject, report, pair->items[1], "device[1]");
	} else if (value_is(map, VALUE_MAP)) {
		dlp_check_type_code(subject, report, value_get(map, "device_type"),
			"dl_tensor.device.device_type");
		dlp_check_device_id(
			subject, report, value_get(map, "device_id"), "dl_tensor.device.device_id");
	} else {
		rule_skip(report,
			"no device could be read from the result of __dlpack_device__() or from the tensor");
	}
}

enum raised { RAISED_NOTHING, RAISED_REFUSAL, RAISED_OTHER };

bool dlpack_is_refusal(const char *exception)
{
	static const char *const refusals[] = { "BufferError", "TypeError", "ValueError",
		"OverflowError", "MemoryError", "RuntimeError", "NotImplementedError",
		"Exception" };

	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++)
		if (fact_text_is(exception, refusals[i]))
			return true;
	return false;
}

bool dlpack_failed_by_state(const struct fact_call *call)
{
	/* cuGetErrorString() and the names of errors; PyTorch's, JAX's and XLA's texts */
	static const char *const messages[] = { "out of memory", "not enough memory",
		"allocate memory", "RESOURCE_EXHAUSTED", "illegal memory access", "ILLEGAL_ADDRESS",
		"device-side assert", "CUDA_ERROR_ASSERT", "launch failure", "LAUNCH_FAILED",
		"illegal instruction", "ILLEGAL_INSTRUCTION", "misaligned address",
		"MISALIGNED_ADDRESS", "launch timed out", "LAUNCH_TIMEOUT", "stream is capturing",
		"stream was capturing", "capturing blocking stream", "error during capture",
		"STREAM_CAPTURE", "has been deleted" };

	if (fact_text_is(call->exception, "MemoryError"))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(messages); i++)
		if (strcasestr(fact_text_or(call->error.message, ""), messages[i]))
			return true;
	return false;
}

/* Whether a call without arguments raised TypeError because a parameter has no default. The texts
 * are those of CPython and PyO3, Cython, pybind11 and nanobind, and Boost.Python. */
static bool lacks_argument(const struct fact_call *call)
{
	static const char *const messages[] = { "missing 1 required", "missing 2 required",
		"missing 3 required", "missing 4 required", "missing required argument",
		"(0 given)", "needs keyword-only argument", "incompatible function arguments",
		"did not match C++ signature" };

	if ((call->arguments && call->arguments->n_items) ||
		!fact_text_is(call->exception, "TypeError"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(messages); i++)
		if (strstr(fact_text_or(call->error.message, ""), messages[i]))
			return true;
	return false;
}

/* BufferError refuses an export and TypeError a keyword. */
static enum raised what_raised(const struct fact_call *call)
{
	const char *exception = fact_text_or(call->exception, "Exception");

	if (!strcmp(exception, "BufferError") || dlpack_failed_by_state(call) ||
		refuses_keywords(call))
		return RAISED_NOTHING;
	if (lacks_argument(call))
		return RAISED_OTHER;
	return dlpack_is_refusal(exception) ? RAISED_REFUSAL : RAISED_OTHER;
}

/* Whether the call raised because it was not the first one: __dlpack__ worked before, and a repeat
 * of that call raises the same exception, which DLP008 reports. */
static bool works_once(const struct subject *subject, const struct fact_call *call)
{
	const struct fact_call *first = dlpack_held_call(subject, 0);
	const struct fact_error *again = &subject->interface->again.error;

	return first->outcome == CALL_RETURNED && again->present &&
	       fact_text_is(again->type, call->error.type) &&
	       fact_text_is(again->message, call->error.message);
}

/* An exception raised by both calls is one finding. */
static void dlp_check_raised(
	const struct subject *subject, struct report *report, enum raised wanted)
{
	const struct fact_call *call;
	const char *before = "";

	for (size_t i = 0; (call = dlpack_held_call(subject, i)); i++) {
		const char *exception = fact_text_or(call->exception, "Exception");
		bool lacks;

		if (call->outcome != CALL_RAISED || dlpack_is_repeat(call) ||
			works_once(subject, call) || !strcmp(exception, before))
			continue;
		before = exception;
		if (what_raised(call) != wanted)
			continue;
		lacks = lacks_argument(call);
		rule_set_why(report,
			lacks ? "consumers such as tvm_ffi.from_dlpack call __dlpack__ without arguments, and fail"
			      : NULL);
		rule_set_fix(report,
			lacks ? "declare def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None)"
			      : NULL);
		shared_fail_raised(subject, report,
			is_error_of_device(subject, &call->error)
				? arena_printf(
					  subject->arena, "__dlpack_device__() and %s", call->step)
				: call->step,
			&call->error);
	}
}

static void dlp_check_accident(const struct subject *subject, struct report *report)
{
	if (dlpack_held_call(subject, 0))
		dlp_check_raised(subject, report, RAISED_OTHER);
	else if (is_dlpack_unreadable(subject))
		shared_fail_read(subject, report, "reading __dlpack__");
	else if (subject->interface->status == INTERFACE_RAISED)
		shared_fail_raised(subject, report, "__dlpack__()", &subject->interface->error);
}

static void dlp_check_refusal(const struct subject *subject, struct report *report)
{
	dlp_check_raised(subject, report, RAISED_REFUSAL);
}

const struct rule dlpack_access_rules[] = {
	{
		DLPACK_RULE("DLP001", "both-methods", ERROR, MUST),
		.clause = CLAUSE_ARRAY_API "Data interchange mechanisms; array.__dlpack_device__",
		.summary = "the object has both __dlpack__ and __dlpack_device__, or neither",
		.why = "consumers such as torch.from_dlpack call __dlpack_device__ first, to choose a stream, and then __dlpack__: if one of them is missing, the import fails",
		.fix = "define both; for CPU memory: def __dlpack_device__(self): return (1, 0)",
		.check = dlp_check_methods,
	},
	{
		DLPACK_RULE("DLP002", "device-pair", ERROR, MUST),
		.clause = CLAUSE_ARRAY_API "array.__dlpack_device__ Returns (\"a tuple\")",
		.summary =
			"__dlpack_device__() returns a 2-tuple (device type, device id) or raises BufferError; another refusal, such as ValueError, passes if every call of __dlpack__ raises BufferError or the same exception (DLP808)",
		.why = "consumers such as JAX unpack the tuple to look up the device before they call __dlpack__, and fail if the method raises an exception or does not return two entries; a list is not equal to the tuple of another array on the same device",
		.fix = "return a tuple, such as (1, 0) for CPU memory; raise BufferError if there is no memory to export",
		.check = dlp_check_device_pair,
	},
	{
		DLPACK_RULE("DLP003", "device-codes", ERROR, MUST),
		.clause = CLAUSE_DLPACK_H "DLDeviceType; DLDevice.device_id; " CLAUSE_ARRAY_API
					  "array.__dlpack_device__ Returns",
		.summary =
			"the device type is a code of DLDeviceType, and the device id is an int from 0 to 2^31 - 1",
		.why = "consumers such as JAX look up the device by these numbers, and reject invalid ones; a consumer that uses them as indices without a check accesses memory out of bounds",
		.fix = "use kDLCPU (1), kDLCUDA (2), kDLROCM (10), kDLOneAPI (14) or another code of DLDeviceType, and the index of the device",
		.check = dlp_check_device_codes,
	},
	{
		DLPACK_RULE("DLP007", "plain-call", ERROR, MUST),
		.clause = CLAUSE_ARRAY_API
		"array.__dlpack__ Raises; array.__dlpack__ (\"stream: int | Any | None = None\")",
		.summary =
			"__dlpack__ can be called without arguments, and returns a capsule or refuses the export, with and without max_version; an exception that indicates a bug, such as AttributeError, does not propagate",
		.why = "a consumer that falls back to another protocol may catch only BufferError: any other exception then propagates to the code that passed the array",
		.fix = "raise BufferError, with the reason, for data that cannot be exported; fix the cause of other exceptions",
		.check = dlp_check_accident,
	},
	{
		DLPACK_RULE("DLP808", "refusal-kind", WARNING, SHOULD),
		.clause = CLAUSE_ARRAY_API "array.__dlpack__ Raises",
		.summary = "data that cannot be exported is refused with BufferError",
		.why = "a consumer that falls back to another protocol may catch only BufferError, and not "
		       "ValueError or RuntimeError, for example",
		.fix = "raise BufferError, or an exception that derives from both BufferError and the type that is currently raised",
		.check = dlp_check_refusal,
	},
	{ .id = NULL },
};
