// SPDX-License-Identifier: MIT
/* CXA601 and CXA801 to CXA803: what the functions of the C exchange API answer (dlpack.h 1.3). */
#include "protocols/protocol.h"
#include "rules/cross/agreement.h"
#include "rules/dlpack/dlpack.h"

#include <string.h>

static const char allocator[] = "managed_tensor_allocator";
static const char export_managed[] = "managed_tensor_from_py_object_no_sync";
static const char export_view[] = "dltensor_from_py_object_no_sync";
static const char import_managed[] = "managed_tensor_to_py_object_no_sync";

/* The records of the calls; NULL, with the rule skipped where there is a table, if none was made.
 */
static const struct value *calls_of(const struct subject *subject, struct report *report)
{
	const struct value *exchange = value_get(subject->details, "exchange");
	const struct value *calls = value_get(exchange, "calls");

	if (value_is_sequence(calls))
		return calls;
	if (value_is(exchange, VALUE_MAP))
		rule_skip(report, "the functions of the table were not called");
	return NULL;
}

static bool is_call_of(const struct value *call, const char *function)
{
	return value_is_text(value_get(call, "function"), function);
}

static bool has_succeeded(const struct value *call)
{
	return value_int_or(value_get(call, "status"), -1) == 0;
}

static const char *step_of(const struct value *call)
{
	return value_text_or(value_get(call, "step"), "?");
}

/* --- CXA601 --- */

static void cxa_check_host_stream(const struct subject *subject, struct report *report)
{
	static const char function[] = "current_work_stream";
	const struct value *calls = calls_of(subject, report);

	for (size_t i = 0; calls && i < calls->n_items; i++) {
		const struct value *stream = value_get(calls->items[i], "stream");
		uint64_t address = 0;

		if (!is_call_of(calls->items[i], function))
			continue;
		if (!has_succeeded(calls->items[i]))
			rule_fail(report, function, "%s returned %lld", step_of(calls->items[i]),
				(long long)value_int_or(value_get(calls->items[i], "status"), -1));
		else if (value_to_address(stream, &address) && address)
			rule_fail(report, function, "%s gave the stream %s",
				step_of(calls->items[i]), shared_show(subject->arena, stream));
		else if (value_is_text(stream, "not set"))
			rule_fail(report, function,
				"%s returned 0 and left out_current_stream as it was",
				step_of(calls->items[i]));
	}
}

/* --- CXA801 --- */

/* The tensor of a call as an interface of DLPack; a view is what a legacy capsule holds. */
static int describe_exchange_tensor(
	struct arena *arena, const struct value *call, struct array *array, struct err *err)
{
	struct value *interface = value_map(arena), *capsule = value_map(arena);
	struct value *declared = value_copy(arena, value_get(call, "tensor"));

	value_set(arena, capsule, "name", value_text(arena, "dltensor_versioned"));
	value_set(arena, capsule, "destructor", value_bool(arena, true));
	value_set(arena, declared, "capsule", capsule);
	value_set(arena, interface, "declared", declared);
	return protocol_find("dlpack")->describe(interface, array, err);
}

static bool is_copied_tensor(const struct subject *subject, const struct value *call)
{
	uint64_t flags = 0;

	(void)value_to_uint64(value_at(call, "tensor.flags"), &flags);
	return (flags | dlpack_flags(subject)) & DLPACK_IS_COPIED;
}

static bool both_declare_access(const struct array *a, const struct array *b)
{
	return a->readonly != READONLY_UNKNOWN && b->readonly != READONLY_UNKNOWN;
}

static const char *show_exchange_device(struct arena *arena, const struct array *array)
{
	return arena_printf(arena, "%s:%lld", array->device.type ? array->device.type : "?",
		(long long)array->device.id);
}

static bool is_same_device(const struct array *a, const struct array *b)
{
	return a->device.id == b->device.id &&
	       !strcmp(a->device.type ? a->device.type : "", b->device.type ? b->device.type : "");
}

static void compare_exchange_tensor(const struct subject *subject, struct report *report,
	const struct value *call, const struct array *array)
{
	const struct array *other = subject->array;
	bool shares = !is_copied_tensor(subject, call), has_elements = array_elements(other) > 0;
	const struct {
		const struct aspect *aspect;
		const char *field;
		bool is_told;
	} compared[] = {
		{ &aspect_type, "dl_tensor.dtype", true },
		{ &aspect_shape, "dl_tensor.shape", true },
		{ &aspect_strides, "dl_tensor.strides", shares && has_elements },
		{ &aspect_address, "dl_tensor.data", shares && has_elements },
		{ &aspect_access, "flags", shares && both_declare_access(array, other) },
	};

	for (size_t i = 0; i < sizeof(compared) / sizeof(*compared); i++) {
		const struct aspect *aspect = compared[i].aspect;

		if (compared[i].is_told && !aspect->agrees(array, other))
			rule_fail(report, compared[i].field, "%s %s by %s, and %s by __dlpack__",
				aspect->says, aspect->show(subject->arena, array), step_of(call),
				aspect->show(subject->arena, other));
	}
	if (!is_same_device(array, other))
		rule_fail(report, "dl_tensor.device",
			"the device is %s by %s, and %s by __dlpack__",
			show_exchange_device(subject->arena, array), step_of(call),
			show_exchange_device(subject->arena, other));
}

/* One that fails without an exception is CXA802's. */
static void fail_refused(struct report *report, const struct value *call)
{
	const char *type = value_text_or(value_at(call, "error.type"), NULL);

	if (type)
		rule_fail(report, NULL, "%s raised %s, and __dlpack__ exports the object",
			step_of(call), type);
}

static void cxa_check_same(const struct subject *subject, struct report *report)
{
	const struct value *calls = calls_of(subject, report);
	struct array array;
	struct err err;

	for (size_t i = 0; calls && subject->array && i < calls->n_items; i++) {
		const struct value *call = calls->items[i];

		if (!is_call_of(call, export_managed) && !is_call_of(call, export_view))
			continue;
		if (!has_succeeded(call))
			fail_refused(report, call);
		else if (!value_is(value_get(call, "tensor"), VALUE_MAP))
			continue;
		else if (describe_exchange_tensor(subject->arena, call, &array, &err))
			rule_fail(report, "dl_tensor", "%s: %s", step_of(call), err.message);
		else
			compare_exchange_tensor(subject, report, call, &array);
	}
	if (calls && !subject->array)
		rule_skip(report, "__dlpack__ gives nothing to compare with: %s",
			subject->array_error);
}

/* --- CXA802 --- */

/* What a function is to give where it returns 0; the streams are CXA601's. */
static const char *missing_output(const struct value *call)
{
	if ((is_call_of(call, allocator) || is_call_of(call, export_managed)) &&
		value_is_null(value_get(call, "tensor")))
		return "no tensor";
	if (is_call_of(call, import_managed) && value_is_null(value_get(call, "returned")))
		return "no object";
	return NULL;
}

/* An object that __dlpack__ refuses cannot be described; all else may fail by other exceptions. */
static bool is_undescribable(const struct subject *subject, const struct value *call)
{
	return (is_call_of(call, export_managed) || is_call_of(call, export_view)) &&
	       value_is_text(value_get(subject->interface, "status"), "refused");
}

static void cxa_check_failure(
	const struct subject *subject, struct report *report, const struct value *call)
{
	const char *type = value_text_or(value_at(call, "error.type"), NULL);
	long long status = (long long)value_int_or(value_get(call, "status"), -1);

	/* The allocator tells by SetError: CXA803. */
	if (!type && !is_call_of(call, allocator))
		rule_fail(report, value_text_or(value_get(call, "function"), NULL),
			"%s returned %lld without an exception", step_of(call), status);
	else if (type && is_undescribable(subject, call) &&
		 !value_is_text(value_get(call, "exception"), "BufferError"))
		rule_fail(report, value_text_or(value_get(call, "function"), NULL),
			"%s raised %s, where __dlpack__ raises BufferError", step_of(call), type);
}

static void cxa_check_success(struct report *report, const struct value *call)
{
	const char *type = value_text_or(value_at(call, "error.type"), NULL);
	const char *function = value_text_or(value_get(call, "function"), NULL);
	const char *missing = missing_output(call);

	if (type)
		rule_fail(report, function, "%s returned 0 and left the exception %s behind",
			step_of(call), type);
	else if (missing)
		rule_fail(report, function, "%s returned 0 and gave %s", step_of(call), missing);
}

static void cxa_check_errors(const struct subject *subject, struct report *report)
{
	const struct value *calls = calls_of(subject, report);

	for (size_t i = 0; calls && i < calls->n_items; i++)
		if (has_succeeded(calls->items[i]))
			cxa_check_success(report, calls->items[i]);
		else
			cxa_check_failure(subject, report, calls->items[i]);
}

/* --- CXA803 --- */

static void cxa_check_allocated(struct report *report, const struct value *call)
{
	static const char *const fields[] = { "device", "dtype", "shape" };
	const struct value *asked = value_get(call, "asked");
	const struct value *given = value_at(call, "tensor.dl_tensor");

	for (size_t i = 0; value_is(given, VALUE_MAP) && i < sizeof(fields) / sizeof(*fields); i++)
		if (!value_equal(value_get(asked, fields[i]), value_get(given, fields[i])))
			rule_fail(report, allocator,
				"%s gave a tensor whose %s is not that of the prototype",
				step_of(call), fields[i]);
}

static void cxa_check_allocator(const struct subject *subject, struct report *report)
{
	const struct value *calls = calls_of(subject, report);

	for (size_t i = 0; calls && i < calls->n_items; i++) {
		const struct value *call = calls->items[i];
		int64_t n_calls = value_int_or(value_at(call, "set_error.calls"), 0);

		if (!is_call_of(call, allocator))
			continue;
		if (!has_succeeded(call) && n_calls != 1)
			rule_fail(report, allocator, "%s failed and called SetError %lld times",
				step_of(call), (long long)n_calls);
		else if (has_succeeded(call) && n_calls)
			rule_fail(report, allocator, "%s returned 0 and called SetError",
				step_of(call));
		else if (has_succeeded(call))
			cxa_check_allocated(report, call);
	}
}

#define EXCHANGE_CALLS(ID, NAME, LEVEL) \
	DLPACK_ENTRY(ID, NAME, ERROR, LEVEL), .facts = FACT_STRUCT | FACT_CALLS

const struct rule exchange_calls_rules[] = {
	{
		EXCHANGE_CALLS("CXA601", "exchange-host-stream", MUST),
		.needs = { "CXA003" },
		.clause = CLAUSE_DLPACK_H
		"DLPackCurrentWorkStream (\"always set out_current_stream[0] to NULL\")",
		.says = "current_work_stream gives NULL for the host, and returns 0",
		.why = "a consumer takes what it finds for a stream of some device: one that was left unset is whatever stood on its stack",
		.fix = "set *out_current_stream = NULL and return 0 where the device is kDLCPU",
		.check = cxa_check_host_stream,
	},
	{
		EXCHANGE_CALLS("CXA801", "exchange-same", LOGIC),
		.needs = { "CXA003" },
		.clause = "derived from " CLAUSE_DLPACK_H "DLPackManagedTensorFromPyObjectNoSync; "
			  "DLPackDLTensorFromPyObjectNoSync",
		.says = "the functions that export an object describe the elements that __dlpack__ does, by type, shape, strides, "
			"address, device and access",
		.why = "which elements a consumer sees, and whether it may write them, depends on the road that it takes",
		.fix = "fill in both from one function",
		.check = cxa_check_same,
	},
	{
		EXCHANGE_CALLS("CXA802", "exchange-errors", MUST),
		.needs = { "CXA003" },
		.clause = CLAUSE_DLPACK_H
		"DLPackManagedTensorFromPyObjectNoSync (\"NULL on failure with a Python exception set\", \"this should be a "
		"BufferError if possible\"); DLPackDLTensorFromPyObjectNoSync (\"0 on success and -1 on failure\")",
		.says = "a function that fails returns another number than 0 with an exception set, BufferError where __dlpack__ raises it; "
			"one that returns 0 gives what was asked for and leaves no exception",
		.why = "Python ends with SystemError where the two do not fit, or an exception surfaces later in code that has nothing to do "
		       "with it",
		.fix = "set an exception on every path that returns -1, and clear what you handled before you return 0",
		.check = cxa_check_errors,
	},
	{
		EXCHANGE_CALLS("CXA803", "exchange-allocator", MUST),
		.needs = { "CXA003" },
		.clause = CLAUSE_DLPACK_H
		"DLPackManagedTensorAllocator (\"SetError is called exactly when NULL is returned\")",
		.says = "managed_tensor_allocator gives a tensor like its prototype, or fails and calls SetError once; it is asked for a small "
			"tensor, and for one of 2^62 bytes",
		.why = "SetError is all that a consumer in C++ has to tell what went wrong: without it the failure has no reason, or is taken for "
		       "success",
		.fix = "call SetError(error_ctx, \"MemoryError\", message) once on each path that fails, and on no other",
		.check = cxa_check_allocator,
	},
	{ .id = NULL },
};
