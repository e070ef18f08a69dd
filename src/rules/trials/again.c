// SPDX-License-Identifier: MIT
/* What the second consumer of an object observes (docs/facts.md, again). */
#include "base/array_size.h"
#include "rules/engine/clauses.h"
#include "rules/shared/dlpack_facts.h"
#include "rules/shared/lifetime.h"

#include <string.h>

/* No time was left for a second reading: no step was taken, and the error gives the reason. */
static bool was_not_repeated(const struct subject *subject, struct report *report)
{
	const struct fact_again *again = &subject->interface->again;

	if (!again->error.message || again->step)
		return false;
	rule_skip(report, "%s", again->error.message);
	return true;
}

/*
 * The repeated read or call as the subject of a message: "the second read of __array_interface__",
 * "a repeated __dlpack__()", "__dlpack__() after the release of all exports". step is the worker's
 * (docs/facts.md).
 */
static const char *show_repeat(const struct subject *subject, const char *step)
{
	static const char again[] = " again", release[] = " after the release";
	size_t n_chars = strlen(fact_text_or(step, ""));

	if (subject->protocol != &dlpack_protocol)
		return arena_printf(
			subject->arena, "the second read of %s", subject->protocol->attribute);
	if (n_chars > strlen(release) && !strcmp(step + n_chars - strlen(release), release))
		return arena_printf(subject->arena, "%s of all exports", step);
	if (n_chars > strlen(again) && !strcmp(step + n_chars - strlen(again), again))
		return arena_printf(
			subject->arena, "a repeated %.*s", (int)(n_chars - strlen(again)), step);
	return fact_text_or(step, "a repeated __dlpack__()");
}

static void again_check_raised(const struct subject *subject, struct report *report)
{
	const struct fact_again *again = &subject->interface->again;

	if (again->error.present)
		shared_fail_raised(
			subject, report, show_repeat(subject, again->step), &again->error);
}

static void again_check_answers(const struct subject *subject, struct report *report)
{
	const char *returned = subject->interface->again.returned;
	bool is_struct = subject->protocol == &numpy_struct_protocol;

	if (was_not_repeated(subject, report))
		return;
	if (returned)
		rule_fail(report, NULL, "%s returned %s, expected %s", show_repeat(subject, NULL),
			returned, is_struct ? "PyCapsule" : "dict");
	else
		again_check_raised(subject, report);
}

/* A call that returned something other than a capsule with a managed tensor. */
static bool lacks_capsule(const struct fact_call *call)
{
	return call->outcome == CALL_RETURNED && call->returned &&
	       !dlpack_is_capsule_name(call->capsule);
}

static void fail_returned(struct report *report, const char *step, const char *type)
{
	if (!strcmp(type, "PyCapsule"))
		rule_fail(report, NULL,
			"%s returned a PyCapsule that is not named dltensor or dltensor_versioned",
			step);
	else
		rule_fail(report, NULL, "%s returned %s, expected a PyCapsule", step, type);
}

/* Compares the export after the release with the first one. DLP009 reports the device if
 * __dlpack_device__ changes as well. */
static void again_check_tensor_same(const struct subject *subject, struct report *report)
{
	static const char *const names[][2] = { { "dl_tensor.device", "device" },
		{ "dl_tensor.dtype", "element type" }, { "dl_tensor.shape", "shape" } };
	const struct fact_again *again = &subject->interface->again;

	for (size_t i = fact_texts_have(&again->differs, "device"); i < ARRAY_SIZE(names); i++)
		if (fact_texts_have(&again->differs, names[i][0]))
			rule_fail(report, names[i][0],
				"%s returned a tensor whose %s differs from that of an earlier export",
				show_repeat(subject, again->step), names[i][1]);
}

/* DLP708 reports a capsule that was returned before and consumed since. */
static void again_check_last_export(const struct subject *subject, struct report *report)
{
	const struct fact_again *again = &subject->interface->again;
	const struct fact_call *call;

	if (!again->returned) {
		again_check_tensor_same(subject, report);
		return;
	}
	for (size_t i = 0; (call = dlpack_held_call(subject, i)); i++)
		if (call->returned_again == ANSWER_YES)
			return;
	fail_returned(report, show_repeat(subject, again->step), again->returned);
}

/* A refusal while another export is alive may have a reason; after all have been released it has
 * none. */
static void again_check_exports(const struct subject *subject, struct report *report)
{
	bool is_reported = false; /* a first call returned no capsule: DLP101 and DLP102 */
	const struct fact_call *call;

	for (size_t i = 0; (call = dlpack_held_call(subject, i)); i++) {
		if (lacks_capsule(call) && !dlpack_is_repeat(call))
			is_reported = true;
		if (!dlpack_is_repeat(call) || (lacks_capsule(call) && is_reported))
			continue;
		if (lacks_capsule(call)) {
			fail_returned(report, show_repeat(subject, call->step), call->returned);
			return;
		}
		if (call->outcome != CALL_RAISED)
			continue;
		shared_fail_raised(subject, report, show_repeat(subject, call->step), &call->error);
		return;
	}
	if (was_not_repeated(subject, report))
		return;
	again_check_raised(subject, report);
	if (!is_reported)
		again_check_last_export(subject, report);
}

/* NumPy scalars are copied to a new address on each read, and are marked as scalars. The descr
 * of a struct is an object, and may be a new one each time. */
static void again_check_numpy_same(const struct subject *subject, struct report *report)
{
	bool is_struct = subject->protocol == &numpy_struct_protocol;

	if (was_not_repeated(subject, report))
		return;
	if (subject->target->own.scalar != ANSWER_YES)
		lifetime_check_same(subject, report, is_struct ? "capsule descr" : "mask");
}

static void again_check_device_same(const struct subject *subject, struct report *report)
{
	struct dlpack_device device;

	if (was_not_repeated(subject, report) ||
		!fact_texts_have(&subject->interface->again.differs, "device"))
		return;
	if (dlpack_declared_device(subject, &device))
		rule_fail(report, "device",
			"__dlpack_device__() returned (%lld, %lld), but a different value in a later call",
			(long long)device.type, (long long)device.id);
	else
		rule_fail(report, "device",
			"two calls of __dlpack_device__() returned different values");
}

#define WHY_ANSWERS \
	"the first library that reads the interface succeeds and a later one fails, so which library fails depends on the order of use"
#define FIX_ANSWERS "create the data once, and export the same data on every request"

const struct rule again_rules[] = {
	{
		INTERFACE_RULE(PROTOCOL_SYCL, FACT_DICT, "SUAI005", "repeated-read", ERROR, LOGIC),
		.clause = "derived from " CLAUSE_SYCL_PAGE "introduction",
		.summary = "__sycl_usm_array_interface__ can be read more than once",
		.why = WHY_ANSWERS,
		.fix = FIX_ANSWERS,
		.check = again_check_answers,
	},
	{
		INTERFACE_RULE(PROTOCOL_CUDA, FACT_DICT, "CAI006", "repeated-read", ERROR, LOGIC),
		.clause = "derived from " CLAUSE_CUDA "Python Interface Specification",
		.summary = "__cuda_array_interface__ can be read more than once",
		.why = WHY_ANSWERS,
		.fix = FIX_ANSWERS,
		.check = again_check_answers,
	},
	{
		INTERFACE_RULE(
			PROTOCOL_DLPACK, FACT_STRUCT, "DLP008", "repeated-export", ERROR, LOGIC),
		/* Extents read from memory that is not a shape change at any time. */
		.subsumed_by = { "DLP105", "DLP313" },
		.clause = "derived from " CLAUSE_ARRAY_API
			  "array.__dlpack__ Raises; array.__dlpack_device__",
		.summary =
			"__dlpack__ and __dlpack_device__ can be called repeatedly; each call of __dlpack__ returns a capsule with the same device, element type and shape, or raises BufferError while an earlier export is not released",
		.why = "the first library that calls __dlpack__ succeeds and a later one fails, or computes with another array, so the result depends on the order of use",
		.fix = FIX_ANSWERS,
		.check = again_check_exports,
	},
	{
		INTERFACE_RULE(
			PROTOCOL_DLPACK, FACT_STRUCT, "DLP009", "repeated-device", ERROR, LOGIC),
		.clause = "derived from " CLAUSE_ARRAY_API "array.__dlpack_device__ Returns",
		.summary = "__dlpack_device__ returns the same device on every call",
		.why = "a consumer calls __dlpack_device__ to choose a stream, and then __dlpack__: if the device changes in between, the kernels of the consumer may run on one device and access memory of another",
		.fix = "return the device of the memory that __dlpack__ exports",
		.check = again_check_device_same,
	},
	{
		INTERFACE_RULE(PROTOCOL_NUMPY " " PROTOCOL_NUMPY_STRUCT, FACT_DICT | FACT_STRUCT,
			"NAI005", "repeated-read", ERROR, LOGIC),
		.clause = "derived from " CLAUSE_NUMPY "__array_interface__",
		.summary = "__array_interface__ and __array_struct__ can be read more than once",
		.why = WHY_ANSWERS,
		.fix = FIX_ANSWERS,
		.check = again_check_answers,
	},
	{
		INTERFACE_RULE(PROTOCOL_NUMPY " " PROTOCOL_NUMPY_STRUCT, FACT_DICT | FACT_STRUCT,
			"NAI006", "repeatable", WARNING, HAZARD),
		.subsumed_by = { "NAI005", "NAI110" },
		.clause = "derived from " CLAUSE_NUMPY "data",
		.summary =
			"unless the object is a NumPy scalar, two reads return the same values, except mask and, of __array_struct__, the capsule and descr; if data is an object, the same writable memory",
		.why = "if the address changes, consumers use different memory: one does not see what another writes, and the memory is usually freed after the read; if another value changes, two consumers get different arrays",
		.fix = "allocate the memory once, keep it in the object, and describe it by the same values on each read",
		.check = again_check_numpy_same,
	},
	{ .id = NULL },
};
