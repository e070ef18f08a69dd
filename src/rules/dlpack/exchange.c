// SPDX-License-Identifier: MIT
/*
 * The C exchange API on the type of an object (dlpack.h 1.3, DLPackExchangeAPI): its tables, what
 * its functions return, and their lifetime.
 */
#include "base/array_size.h"
#include "base/plural.h"
#include "protocols/protocol.h"
#include "rules/dlpack/dlpack.h"
#include "rules/engine/clauses.h"
#include "rules/shared/agreement.h"
#include "rules/shared/lifetime.h"
#include "rules/shared/shared.h"

#include <inttypes.h>
#include <string.h>

#define CXA_CALLS_RULE(ID, NAME, LEVEL) \
	INTERFACE_RULE(PROTOCOL_DLPACK, FACT_STRUCT | FACT_CALLS, ID, NAME, ERROR, LEVEL)

enum { KNOWN_MAJOR = 1 };

static const char field[] = "__dlpack_c_exchange_api__";

/* details.exchange; NULL if there is none. */
static const struct value *exchange_of(const struct subject *subject)
{
	const struct value *exchange = value_get(subject->details, "exchange");

	return value_is(exchange, VALUE_MAP) ? exchange : NULL;
}

static const struct value *tables_of(const struct subject *subject)
{
	const struct value *tables = value_get(exchange_of(subject), "tables");

	return value_is_sequence(tables) ? tables : NULL;
}

static bool is_null_function(const struct value *table, const char *function)
{
	uint64_t address;

	return value_to_address(value_get(table, function), &address) && !address;
}

static void cxa_check_draft(const struct subject *subject, struct report *report)
{
	const struct value *draft = value_get(subject->details, "draft_exchange");

	if (!exchange_of(subject) && value_is_null(draft))
		rule_skip(report, "whether the type has __c_dlpack_exchange_api__ is unknown");
	else if (!exchange_of(subject) && value_bool_or(draft, false))
		rule_fail(report, field,
			"the type has __c_dlpack_exchange_api__, but not __dlpack_c_exchange_api__");
}

static void cxa_check_on_type(const struct subject *subject, struct report *report)
{
	if (exchange_of(subject) &&
		!value_bool_or(value_get(exchange_of(subject), "on_type"), true))
		rule_fail(report, field, "the object has %s, but its type does not", field);
}

static void cxa_check_capsule(const struct subject *subject, struct report *report)
{
	const struct value *exchange = exchange_of(subject);
	const char *raised = value_text_or(value_at(exchange, "error.type"), NULL);
	const char *type = value_text_or(value_get(exchange, "type"), "something");
	const struct value *name = value_get(exchange, "capsule");

	if (!exchange || value_is_text(name, "dlpack_exchange_api"))
		return;
	if (raised)
		rule_fail(report, field, "reading %s from the type raised %s", field, raised);
	else if (strcmp(type, "PyCapsule") != 0)
		rule_fail(report, field, "%s is of type %s, expected PyCapsule", field, type);
	else
		rule_fail(report, field,
			"the name of the capsule is %s, expected 'dlpack_exchange_api'",
			value_is_null(name) ? "NULL" : shared_show(subject->arena, name));
}

static void cxa_check_version(const struct subject *subject, struct report *report)
{
	const struct value *tables = tables_of(subject);
	const char *versions = "";

	if (!tables)
		return;
	for (size_t i = 0; i < tables->n_items; i++) {
		if (value_int_or(value_at(tables->items[i], "version[0]"), -1) == KNOWN_MAJOR)
			return;
		versions = arena_printf(subject->arena, "%s%s%lld", versions, i ? ", " : "",
			(long long)value_int_or(value_at(tables->items[i], "version[0]"), -1));
	}
	if (tables->n_items)
		rule_fail(report, "header.version",
			tables->n_items == 1
				? "the major version of the table is %s, expected 1"
				: "the major versions of the tables in the prev_api chain are %s, expected 1 for one of them",
			versions);
	else
		rule_fail(report, "header", "the header of the table is not in readable memory");
}

static void cxa_check_functions(const struct subject *subject, struct report *report)
{
	static const char *const functions[] = { "managed_tensor_allocator",
		"managed_tensor_from_py_object_no_sync", "managed_tensor_to_py_object_no_sync",
		"current_work_stream" };
	const struct value *tables = tables_of(subject);

	for (size_t i = 0; tables && i < tables->n_items; i++)
		for (size_t f = 0; f < ARRAY_SIZE(functions); f++)
			if (is_null_function(tables->items[i], functions[f]))
				rule_fail(report, functions[f], "%s is NULL%s", functions[f],
					i ? " in an older table of the prev_api chain" : "");
}

static void cxa_check_view_function(const struct subject *subject, struct report *report)
{
	const struct value *tables = tables_of(subject);

	if (is_null_function(value_item(tables, 0), "dltensor_from_py_object_no_sync"))
		rule_fail(report, "dltensor_from_py_object_no_sync",
			"dltensor_from_py_object_no_sync is NULL");
}

static void cxa_check_chain(const struct subject *subject, struct report *report)
{
	const struct value *tables = tables_of(subject);
	const struct value *end = value_get(exchange_of(subject), "end");

	if (!tables || !tables->n_items || value_is_null(end) || value_is_text(end, "null"))
		return;
	if (value_is_text(end, "loop"))
		rule_fail(report, "header.prev_api", "the prev_api chain contains a cycle");
	else if (value_is_text(end, "unreadable"))
		rule_fail(report, "header.prev_api",
			"the prev_api chain leads to unreadable memory after %zu table%s",
			tables->n_items, plural(tables->n_items));
	else
		rule_skip(report,
			"the prev_api chain has more than %zu tables, of which suai read only the first %zu",
			tables->n_items, tables->n_items);
}

static const char allocator[] = "managed_tensor_allocator";
static const char export_managed[] = "managed_tensor_from_py_object_no_sync";
static const char export_view[] = "dltensor_from_py_object_no_sync";
static const char import_managed[] = "managed_tensor_to_py_object_no_sync";

/* The records of the calls; NULL if none was made, with the rule skipped if there is a table. */
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
			rule_fail(report, function, "%s returned %lld, expected 0",
				step_of(calls->items[i]),
				(long long)value_int_or(value_get(calls->items[i], "status"), -1));
		else if (value_to_address(stream, &address) && address)
			rule_fail(report, function,
				"%s set *out_current_stream to 0x%" PRIx64 ", expected NULL",
				step_of(calls->items[i]), address);
		else if (value_is_text(stream, "not set"))
			rule_fail(report, function,
				"%s returned 0 without setting *out_current_stream",
				step_of(calls->items[i]));
	}
}

/* --- CXA801 --- */

/* The tensor of a call as a DLPack interface; a view has no managed tensor, like the struct in a
 * legacy capsule. */
static int describe_exchange_tensor(
	struct arena *arena, const struct value *call, struct array *array, struct err *err)
{
	struct value *capsule = value_map(arena);
	struct value *declared = value_copy(arena, value_get(call, "tensor"));

	value_set(arena, capsule, "name", value_text(arena, "dltensor_versioned"));
	value_set(arena, capsule, "destructor", value_bool(arena, true));
	value_set(arena, declared, "capsule", capsule);
	return dlpack_protocol.describe(
		&(struct fact_interface){ .declared = declared }, array, err);
}

static const char *show_exchange_device(struct arena *arena, const struct array *array)
{
	return arena_printf(arena, "%s:%lld", array->device.type ? array->device.type : "?",
		(long long)array->device.id);
}

static void compare_exchange_tensor(const struct subject *subject, struct report *report,
	const struct value *call, const struct array *array)
{
	const struct array *other = subject->array;
	const struct device *device = &array->device, *other_device = &other->device;
	uint64_t flags;
	bool has_flags = value_to_uint64(value_at(call, "tensor.flags"), &flags);
	bool shares = !(((has_flags ? flags : 0) | dlpack_flags(subject)) & DLPACK_IS_COPIED);
	bool has_elements = array_elements(other) > 0;
	const struct {
		const struct compared_property *property;
		const char *field;
		bool is_compared;
	} compared[] = {
		{ &compared_type, "dl_tensor.dtype", true },
		{ &compared_shape, "dl_tensor.shape", true },
		/* DLPack's strides are in elements, and compared_strides compares bytes. */
		{ &compared_strides, "dl_tensor.strides",
			shares && has_elements &&
				dtype_itemsize(&array->dtype) == dtype_itemsize(&other->dtype) },
		{ &compared_address, "dl_tensor.data", shares && has_elements },
		{ &compared_access, "flags",
			shares && array->readonly != READONLY_UNKNOWN &&
				other->readonly != READONLY_UNKNOWN },
	};

	for (size_t i = 0; i < ARRAY_SIZE(compared); i++) {
		const struct compared_property *property = compared[i].property;

		if (compared[i].is_compared && !property->agrees(array, other))
			rule_fail(report, compared[i].field,
				"%s %s according to %s, but %s according to __dlpack__",
				property->label, property->show(subject->arena, array),
				step_of(call), property->show(subject->arena, other));
	}
	if (device->id != other_device->id ||
		strcmp(device->type ? device->type : "",
			other_device->type ? other_device->type : "") != 0)
		rule_fail(report, "dl_tensor.device",
			"the device is %s according to %s, but %s according to __dlpack__",
			show_exchange_device(subject->arena, array), step_of(call),
			show_exchange_device(subject->arena, other));
}

/* CXA802 reports a failure without an exception. */
static void fail_refused(struct report *report, const struct value *call)
{
	const char *type = value_text_or(value_at(call, "error.type"), NULL);

	if (type)
		rule_fail(report, NULL, "%s failed with %s, but __dlpack__ exported the object",
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
	if (calls && !subject->array && dlpack_capsule(subject, report))
		rule_skip(report, "the capsule returned by __dlpack__ cannot be compared: %s",
			subject->array_error);
}

/* --- CXA802 --- */

/* The output that is missing although the function returned 0; CXA601 checks streams. */
static const char *missing_output(const struct value *call)
{
	if ((is_call_of(call, allocator) || is_call_of(call, export_managed)) &&
		value_is_null(value_get(call, "tensor")))
		return "*out";
	if (is_call_of(call, import_managed) && value_is_null(value_get(call, "returned")))
		return "*out_py_object";
	return NULL;
}

static void cxa_check_failure(struct report *report, const struct value *call)
{
	const char *type = value_text_or(value_at(call, "error.type"), NULL);
	long long status = (long long)value_int_or(value_get(call, "status"), -1);

	/* The allocator reports failures by SetError: CXA803. */
	if (!type && !is_call_of(call, allocator))
		rule_fail(report, value_text_or(value_get(call, "function"), NULL),
			"%s returned %lld without setting an exception", step_of(call), status);
}

static void cxa_check_success(struct report *report, const struct value *call)
{
	const char *type = value_text_or(value_at(call, "error.type"), NULL);
	const char *function = value_text_or(value_get(call, "function"), NULL);
	const char *missing = missing_output(call);
	const struct value *deleter = value_at(call, "tensor.deleter");

	if (value_is(deleter, VALUE_OPAQUE) ||
		(value_is(deleter, VALUE_TEXT) && *deleter->bytes == '<'))
		rule_fail(report, function, "%s returned 0, but deleter is invalid: %s",
			step_of(call), deleter->bytes);
	if (type)
		rule_fail(report, function, "%s returned 0 but left the exception %s set",
			step_of(call), type);
	else if (missing)
		rule_fail(
			report, function, "%s returned 0, but %s is NULL", step_of(call), missing);
}

static void cxa_check_errors(const struct subject *subject, struct report *report)
{
	const struct value *calls = calls_of(subject, report);

	for (size_t i = 0; calls && i < calls->n_items; i++)
		if (has_succeeded(calls->items[i]))
			cxa_check_success(report, calls->items[i]);
		else
			cxa_check_failure(report, calls->items[i]);
}

/* --- CXA803 --- */

/* "(1, 0)" for a device, type or shape. */
static const char *show_items(struct arena *arena, const struct value *value)
{
	const char *text = "";

	if (!value_is(value, VALUE_MAP) && !value_is_sequence(value))
		return shared_show(arena, value);
	for (size_t i = 0; i < value->n_items; i++)
		text = arena_printf(
			arena, "%s%s%s", text, i ? ", " : "", shared_show(arena, value->items[i]));
	return arena_printf(arena, "(%s%s)", text, value->n_items == 1 ? "," : "");
}

static void cxa_check_allocated(
	const struct subject *subject, struct report *report, const struct value *call)
{
	static const char *const fields[] = { "device", "dtype", "shape" };
	const struct value *asked = value_get(call, "asked");
	const struct value *given = value_at(call, "tensor.dl_tensor");

	for (size_t i = 0; value_is(given, VALUE_MAP) && i < ARRAY_SIZE(fields); i++)
		if (!value_equal(value_get(asked, fields[i]), value_get(given, fields[i])))
			rule_fail(report, allocator,
				"%s returned a tensor whose %s is %s, expected %s", step_of(call),
				fields[i], show_items(subject->arena, value_get(given, fields[i])),
				show_items(subject->arena, value_get(asked, fields[i])));
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
			rule_fail(report, allocator,
				"%s failed and called SetError %lld times, expected once",
				step_of(call), (long long)n_calls);
		else if (has_succeeded(call) && n_calls)
			rule_fail(report, allocator, "%s returned 0 but called SetError",
				step_of(call));
		else if (has_succeeded(call))
			cxa_check_allocated(subject, report, call);
	}
}

/* --- CXA804 --- */

/* An object that __dlpack__ refuses cannot be described; other calls may fail with other
 * exceptions, and CXA802 checks those that set none. */
static void cxa_check_refusal(const struct subject *subject, struct report *report)
{
	const struct value *calls = calls_of(subject, report);

	for (size_t i = 0; calls && i < calls->n_items; i++) {
		const struct value *call = calls->items[i];
		const char *type = value_text_or(value_at(call, "error.type"), NULL);

		if (!type || has_succeeded(call) ||
			subject->interface->status != INTERFACE_REFUSED ||
			(!is_call_of(call, export_managed) && !is_call_of(call, export_view)) ||
			value_is_text(value_get(call, "exception"), "BufferError"))
			continue;
		rule_fail(report, value_text_or(value_get(call, "function"), NULL),
			"%s failed with %s, but __dlpack__ raised BufferError", step_of(call),
			type);
	}
}

/* --- CXA004 and CXA701: trials --- */

static void cxa_check_table(const struct subject *subject, struct report *report)
{
	/* Counts from before a function failed are still valid. */
	const struct fact_counts *counts = &lifetime_trial(subject, "exchange")->counts;

	if (!exchange_of(subject))
		return;
	if (counts->same_table == ANSWER_NO)
		rule_fail(report, field, "two reads of %s returned capsules of different tables",
			field);
	else if (counts->kept_table == ANSWER_NO)
		rule_fail(report, field,
			"the table was unreadable or had changed after its capsule was released");
	else if (counts->same_table == ANSWER_UNKNOWN)
		lifetime_counts(subject, report, "exchange");
}

/* Returns false after a failure, which it reports. */
static bool cxa_check_deleter(const struct fact_counts *counts, struct report *report)
{
	int64_t n_dropped = fact_int_or(counts->dropped_calls, 1);

	if (counts->held_calls.value > 0 && counts->same_memory == ANSWER_YES)
		rule_fail(report, "managed_tensor_to_py_object_no_sync",
			"the deleter was called while the object created from the tensor still used its memory");
	else if (n_dropped != 1)
		rule_fail(report, "managed_tensor_to_py_object_no_sync",
			"after the object created from the tensor was released, the deleter had been called %lld times, expected once",
			(long long)n_dropped);
	else
		return true;
	return false;
}

static void cxa_check_round_trip(const struct subject *subject, struct report *report)
{
	const struct fact_counts *counts;
	long long left;

	if (!exchange_of(subject))
		return;
	if (lifetime_check_step(subject, report, "exchange", NULL))
		return;
	counts = lifetime_counts(subject, report, "exchange");
	if (!counts->present || !cxa_check_deleter(counts, report))
		return;
	left = counts->references_left.value;
	if (left)
		rule_fail(report, "managed_tensor_from_py_object_no_sync",
			"a round trip %s %llu reference%s to the object%s",
			left > 0 ? "leaked" : "released",
			left > 0 ? (unsigned long long)left : -(unsigned long long)left,
			left == 1 || left == -1 ? "" : "s",
			left > 0 ? "" : " that it had not acquired");
	else
		lifetime_check_rounds(subject, report, "exchange", "exports");
}

const struct rule exchange_rules[] = {
	{
		DLPACK_RULE("CXA001", "exchange-renamed", NOTE, HAZARD),
		.clause = "derived from " CLAUSE_DLPACK_H
			  "DLPackExchangeAPI (\"a C function table\")",
		.summary =
			"a type with __c_dlpack_exchange_api__, the name before DLPack 1.3, also has __dlpack_c_exchange_api__; a "
			"type with neither passes, because the exchange API is optional",
		.why = "consumers that follow DLPack 1.3 look up only __dlpack_c_exchange_api__, and fall back to the slower __dlpack__ if "
		       "the type does not have it",
		.fix = "set __dlpack_c_exchange_api__ to a capsule of the table; keep __c_dlpack_exchange_api__ for older consumers",
		.check = cxa_check_draft,
	},
	{
		DLPACK_RULE("CXA002", "exchange-on-type", ERROR, MUST),
		.clause = CLAUSE_DLPACK_H
		"DLPackExchangeAPI (\"This attribute must be set on the type\", \"must be defined on the type\")",
		.summary =
			"__dlpack_c_exchange_api__ is an attribute of the type, not only of the object",
		.why = "consumers look it up on type(obj), and may cache the result for all objects of that type: they do not "
		       "find an attribute that only the object has",
		.fix = "set it once as a class attribute: Array.__dlpack_c_exchange_api__ = capsule",
		.check = cxa_check_on_type,
	},
	{
		DLPACK_RULE("CXA003", "exchange-capsule", ERROR, MUST),
		.clause = CLAUSE_DLPACK_H "DLPackExchangeAPI (\"as a Python PyCapsule\")",
		.summary =
			"__dlpack_c_exchange_api__ is a PyCapsule named dlpack_exchange_api, not a property, an int or another capsule",
		.why = "consumers pass the attribute and that name to PyCapsule_GetPointer, which raises ValueError for any other object or name",
		.fix = "create the capsule once with PyCapsule_New(&api, \"dlpack_exchange_api\", NULL), where api is static, and set it on the type",
		.check = cxa_check_capsule,
	},
	{
		DLPACK_RULE("CXA101", "exchange-version", ERROR, MUST),
		.requires = { "CXA003" },
		.clause = CLAUSE_DLPACK_H
		"DLPackExchangeAPIHeader.version; DLPackExchangeAPIHeader.prev_api",
		.summary =
			"the header of the table is readable, and the table, or an older one in the chain of header.prev_api, is of major "
			"version 1",
		.why = "a consumer crashes if it cannot read the header, and must not use a table of a major version that it does not "
		       "support",
		.fix = "set header.version to {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION}; set header.prev_api of a table of a newer "
		       "major version to the address of one of major version 1",
		.check = cxa_check_version,
	},
	{
		DLPACK_RULE("CXA102", "exchange-functions", ERROR, MUST),
		.requires = { "CXA003" },
		.clause = CLAUSE_DLPACK_H
		"DLPackExchangeAPI.managed_tensor_allocator (\"This function must not be NULL\"); "
		"DLPackExchangeAPI.current_work_stream (\"This function must be not NULL\")",
		.summary =
			"managed_tensor_allocator, managed_tensor_from_py_object_no_sync, managed_tensor_to_py_object_no_sync and current_work_stream are not NULL",
		.why = "consumers call these functions without a check for NULL, and crash",
		.fix = "set the four functions before creating the capsule; one that cannot be implemented may report an error and return -1",
		.check = cxa_check_functions,
	},
	{
		DLPACK_RULE("CXA103", "exchange-view", NOTE, MAY),
		.requires = { "CXA003" },
		.clause = CLAUSE_DLPACK_H
		"DLPackExchangeAPI.dltensor_from_py_object_no_sync (\"This function can be NULL\")",
		.summary = "dltensor_from_py_object_no_sync is not NULL",
		.why = "the function is optional; without it, consumers call managed_tensor_from_py_object_no_sync, which is slower because "
		       "it allocates a managed tensor",
		.fix = "set dltensor_from_py_object_no_sync if a DLTensor can refer to a shape and strides that the object stores, without temporary allocations",
		.check = cxa_check_view_function,
	},
	{
		DLPACK_RULE("CXA104", "exchange-chain", ERROR, MUST),
		.requires = { "CXA003" },
		.clause = CLAUSE_DLPACK_H
		"DLPackExchangeAPIHeader.prev_api (\"It must be NULL if the framework does not support older versions\")",
		.summary = "the chain of header.prev_api ends with NULL",
		.why = "a consumer that follows the chain in search of a version that it supports may loop forever or crash",
		.fix = "set header.prev_api of the oldest table to NULL, and make all tables static",
		.check = cxa_check_chain,
	},
	{
		CXA_CALLS_RULE("CXA601", "exchange-host-stream", MUST),
		.requires = { "CXA003" },
		.clause = CLAUSE_DLPACK_H
		"DLPackCurrentWorkStream (\"always set out_current_stream[0] to NULL\")",
		.summary =
			"for kDLCPU, current_work_stream sets *out_current_stream to NULL and returns 0",
		.why = "a consumer that calls the function for the host fails if it returns an error, and otherwise uses *out_current_stream as a "
		       "stream; if the function does not set it, the value is indeterminate (typically whatever was on the consumer's stack)",
		.fix = "set *out_current_stream to NULL and return 0 if device_type is kDLCPU",
		.check = cxa_check_host_stream,
	},
	{
		CXA_CALLS_RULE("CXA801", "exchange-same", LOGIC),
		.requires = { "CXA003" },
		.clause = "derived from " CLAUSE_DLPACK_H "DLPackManagedTensorFromPyObjectNoSync; "
			  "DLPackDLTensorFromPyObjectNoSync",
		.summary =
			"the functions that export an object succeed if __dlpack__ does, with the same element type, shape and device, "
			"and, unless one of the exports is a copy, the same access and, if there are elements, address and, for extents above 1, strides",
		.why = "which elements a consumer sees, and whether it may write them, depends on the function that it calls",
		.fix = "export every object that __dlpack__ exports, and fill in the DLTensor of every export with one function",
		.check = cxa_check_same,
	},
	{
		CXA_CALLS_RULE("CXA802", "exchange-errors", MUST),
		.requires = { "CXA003" },
		.clause = CLAUSE_DLPACK_H
		"DLPackManagedTensorFromPyObjectNoSync (\"NULL on failure with a Python exception set\"); "
		"DLPackDLTensorFromPyObjectNoSync (\"0 on success and -1 on failure\")",
		.summary =
			"a function that returns 0 sets its output, whose deleter can be called, and no exception; one that fails, except managed_tensor_allocator, sets an exception",
		.why = "if a consumer propagates a failure without an exception, Python raises SystemError; an exception that remains set is raised later in unrelated code; a consumer that does not expect an output of NULL crashes",
		.fix = "on every path that returns -1, set an exception; before returning 0, set the output and clear handled exceptions",
		.check = cxa_check_errors,
	},
	{
		CXA_CALLS_RULE("CXA803", "exchange-allocator", MUST),
		.requires = { "CXA003" },
		.clause = CLAUSE_DLPACK_H
		"DLPackManagedTensorAllocator (\"SetError is called exactly when NULL is returned\")",
		.summary =
			"managed_tensor_allocator allocates a tensor with the device, dtype and shape of its prototype, or fails; it calls SetError once if it fails, and not otherwise; suai requests a small tensor and one of 2^62 bytes",
		.why = "a consumer accesses the tensor according to its prototype, and out of bounds if the tensor is smaller; SetError "
		       "is the only means by which the function reports what failed",
		.fix = "allocate what the prototype describes; call SetError(error_ctx, kind, message) once on each path that fails, and on "
		       "no other; kind is the name of an exception, such as \"MemoryError\"",
		.check = cxa_check_allocator,
	},
	{
		INTERFACE_RULE(PROTOCOL_DLPACK, FACT_STRUCT | FACT_CALLS, "CXA804",
			"exchange-refusal", WARNING, SHOULD),
		.requires = { "CXA003" },
		.clause = CLAUSE_DLPACK_H
		"DLPackManagedTensorFromPyObjectNoSync (\"this should be a BufferError if possible\")",
		.summary =
			"an export function that fails for an object that __dlpack__ refuses sets BufferError",
		.why = "a consumer that falls back to another protocol may catch only BufferError, which __dlpack__ raises for the same object, and not "
		       "RuntimeError, for example",
		.fix = "set BufferError for data that cannot be exported, as __dlpack__ does",
		.check = cxa_check_refusal,
	},
	{
		LIFETIME_RULE(PROTOCOL_DLPACK, "CXA004", "exchange-table-lifetime", ERROR, MUST),
		.requires = { "CXA003" },
		.clause = CLAUSE_DLPACK_H
		"DLPackExchangeAPI (\"must stay alive throughout the lifetime of the process\")",
		.summary =
			"each read of __dlpack_c_exchange_api__ returns a capsule that points to the same table, and the table remains valid after the capsule is released",
		.why = "consumers may cache the address of the table for all objects of the type: if the table is freed, they call "
		       "functions at addresses read from freed memory",
		.fix = "create one capsule with PyCapsule_New(&api, \"dlpack_exchange_api\", NULL), where api is static, and set it on the type",
		.check = cxa_check_table,
	},
	{
		LIFETIME_RULE(PROTOCOL_DLPACK, "CXA701", "exchange-owner", ERROR, MUST),
		.requires = { "CXA004" },
		.subsumed_by = { "DLP703", "DLP710" },
		.clause = CLAUSE_DLPACK_H
		"DLPackManagedTensorToPyObjectNoSync (\"the ownership of the tensor is stolen\"); "
		"DLManagedTensorVersioned.deleter",
		.summary =
			"the object that managed_tensor_to_py_object_no_sync creates owns the tensor, and calls its deleter exactly once, "
			"when it no longer uses the memory; released exports leave the exported object's reference count unchanged "
			"and leak no memory",
		.why = "memory is freed twice, freed while an array still uses it, or never freed",
		.fix = "keep the managed tensor in the new object, and call its deleter once when that object is released; acquire one "
		       "reference to the owner in each export, and release it in the deleter",
		.check = cxa_check_round_trip,
	},
	{ .id = NULL },
};
