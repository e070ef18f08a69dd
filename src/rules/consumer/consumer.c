// SPDX-License-Identifier: MIT
/*
 * DLC rules: what a consumer did with one of suai's tensors (consumers/cases.h). A finding names
 * only what went wrong, so that all cases with the same fault are one block of the output.
 */
#include "rules/engine/clauses.h"
#include "rules/engine/rule.h"

#include "base/plural.h"
#include "consumers/cases.h"
#include "consumers/ignored_parts.h"
#include "consumers/narrowing.h"
#include "consumers/tensor_interface.h"
#include "model/job.h"

#include <stdlib.h>
#include <string.h>

static const struct fact_consumption *consumption_of(const struct subject *subject)
{
	return &subject->target->consumption;
}

static bool is_legal(const struct fact_consumption *consumption)
{
	return !fact_text_is(consumption->expected, "rejection");
}

static bool is_lost(const struct fact_consumption *consumption)
{
	return consumption->outcome == TRIAL_CRASHED || consumption->outcome == TRIAL_HUNG ||
	       consumption->outcome == TRIAL_LEFT;
}

/* The consumer returned an object other than the tensor. */
static bool has_result(const struct fact_consumption *consumption)
{
	return consumption->outcome == TRIAL_DONE && consumption->same_object == ANSWER_NO;
}

/* The interface of the tensor; DLPack's if the document names none or an unknown one. */
static const struct tensor_interface *interface_of(const struct fact_consumption *consumption)
{
	const struct tensor_interface *interface = tensor_interface_named(consumption->protocol);

	return interface ? interface : tensor_interface_named(NULL);
}

static bool is_of_dlpack(const struct fact_consumption *consumption)
{
	return interface_of(consumption)->has_structs;
}

static bool has_id(const struct fact_consumption *consumption, const char *id)
{
	return fact_text_is(consumption->id, id);
}

/* A C exchange API that violates dlpack.h. */
static bool is_invalid_exchange(const struct fact_consumption *consumption)
{
	return !is_legal(consumption) &&
	       !strncmp(fact_text_or(consumption->id, ""), "exchange-", strlen("exchange-"));
}

/* The step in which the process was lost, as the subject of a message. */
static const char *show_lost_step(const struct subject *subject)
{
	const char *step = fact_text_or(consumption_of(subject)->step, PASS_STEP_CALL);

	if (!strcmp(step, PASS_STEP_CALL))
		return "the call of the consumer";
	if (!strcmp(step, PASS_STEP_RELEASE))
		return step;
	return arena_printf(subject->arena, "reading the result (%s)", step);
}

/* --- the process --- */

static void fail_lost(const struct subject *subject, struct report *report)
{
	const struct fact_consumption *consumption = consumption_of(subject);
	const char *why = fact_text_or(consumption->error.message, "?");

	if (consumption->outcome == TRIAL_HUNG)
		rule_fail(report, NULL, "%s does not return (%s)", show_lost_step(subject), why);
	else if (consumption->outcome == TRIAL_LEFT)
		rule_fail(report, NULL, "%s ends the process: %s", show_lost_step(subject), why);
	else
		rule_fail(report, NULL, "%s crashes: %s", show_lost_step(subject), why);
	rule_set_traceback(report, consumption->error.traceback);
}

static void dlc_check_survives_legal(const struct subject *subject, struct report *report)
{
	const struct fact_consumption *consumption = consumption_of(subject);

	if (is_lost(consumption) && is_legal(consumption))
		fail_lost(subject, report);
}

static void dlc_check_survives_invalid(const struct subject *subject, struct report *report)
{
	const struct fact_consumption *consumption = consumption_of(subject);

	if (!is_of_dlpack(consumption))
		rule_set_fix(report,
			"check the type and the range of each item of the dictionary, and raise an exception");
	if (is_lost(consumption) && !is_legal(consumption))
		fail_lost(subject, report);
}

static void dlc_check_reads(const struct subject *subject, struct report *report)
{
	const struct fact_consumption *consumption = consumption_of(subject);

	if (consumption->outcome == TRIAL_SKIPPED || consumption->outcome == TRIAL_UNAVAILABLE)
		rule_skip(report, "%s", fact_text_or(consumption->error.message, "?"));
	if (consumption->calls.n_items || has_id(consumption, "no-method"))
		return;
	/* The attribute of a type, whose reading is not seen: the consumer rejects it. */
	if (consumption->outcome == TRIAL_RAISED && is_invalid_exchange(consumption))
		return;
	if (consumption->outcome == TRIAL_DONE && !fact_text_is(consumption->expected, "elements"))
		rule_skip(report,
			"the consumer returns an object of type %s without reading the tensor",
			fact_text_or(consumption->type, "?"));
	else if (consumption->outcome == TRIAL_RAISED)
		rule_fail(report, NULL, "the consumer raises %s before it %s %s%s%s",
			fact_text_or(consumption->error.type, "an exception"),
			interface_of(consumption)->read, interface_of(consumption)->shown,
			*fact_text_or(consumption->error.message, "") ? ": " : "",
			fact_text_or(consumption->error.message, ""));
	else if (consumption->outcome == TRIAL_DONE && !is_of_dlpack(consumption))
		rule_fail(report, NULL,
			"the consumer does not read %s, and returns an object of type %s",
			interface_of(consumption)->shown, fact_text_or(consumption->type, "?"));
	else if (consumption->outcome == TRIAL_DONE)
		rule_fail(report, NULL,
			"the consumer calls neither __dlpack__ nor __dlpack_device__, and returns an object of type %s",
			fact_text_or(consumption->type, "?"));
}

static void dlc_check_returns_array(const struct subject *subject, struct report *report)
{
	const struct fact_consumption *consumption = consumption_of(subject);

	if (consumption->outcome == TRIAL_DONE && consumption->same_object == ANSWER_YES)
		rule_fail(report, NULL, "the consumer returns the object that it was passed");
}

/* --- elements --- */

/* A reading that differs. tolist() of some types converts elements, or is wrong, where an interface
 * of the same object has them: it is not evidence against the consumer then. */
static const struct fact_reading *find_difference_read(const struct fact_consumption *consumption)
{
	bool is_equal = false;

	for (size_t i = 0; i < consumption->readings.n_items; i++) {
		const struct fact_reading *reading = &consumption->readings.items[i];

		is_equal |= reading->equal == ANSWER_YES || reading->reshaped == ANSWER_YES;
		if (reading->equal == ANSWER_NO && reading->reshaped != ANSWER_YES &&
			!(is_equal && !protocol_find(reading->how)))
			return reading;
	}
	return NULL;
}

static bool was_deleted_early(const struct fact_consumption *consumption)
{
	return consumption->shared == ANSWER_YES && fact_int_or(consumption->exports, 0) > 0 &&
	       fact_int_or(consumption->deleted_held, 0) == fact_int_or(consumption->exports, 0);
}

/* Elements that differ for a known reason. */
static bool ignores_part(const struct fact_consumption *consumption, enum ignored_parts part)
{
	return has_result(consumption) && is_legal(consumption) &&
	       ignored_parts_from_name(consumption->read_as) & part;
}

static void dlc_check_offset(const struct subject *subject, struct report *report)
{
	const struct fact_consumption *consumption = consumption_of(subject);
	const char *offset = is_of_dlpack(consumption) ? "byte_offset" : "offset";

	if (!is_of_dlpack(consumption))
		rule_set_fix(report, "add offset, in elements, to the address in data");
	if (ignores_part(consumption, IGNORED_OFFSET))
		rule_fail(report, offset, "the elements are those at data, without %s", offset);
}

static void dlc_check_strides(const struct subject *subject, struct report *report)
{
	const struct fact_consumption *consumption = consumption_of(subject);

	if (!is_of_dlpack(consumption))
		rule_set_fix(report,
			"use strides, in bytes, or raise an exception unless the array is contiguous");
	if (ignores_part(consumption, IGNORED_STRIDE_UNIT))
		rule_fail(report, "strides", "strides is interpreted in bytes, not in elements");
	else if (ignores_part(consumption, IGNORED_STRIDE_SIGNS)) {
		rule_set_fix(report,
			"use a signed type for strides, or raise an exception if one of them is negative");
		rule_fail(report, "strides",
			"the sign of strides is ignored: the elements are those of positive strides");
	} else if (ignores_part(consumption, IGNORED_STRIDES))
		rule_fail(report, "strides",
			"strides is ignored: the elements are read from consecutive addresses");
}

static void dlc_check_byte_order(const struct subject *subject, struct report *report)
{
	if (ignores_part(consumption_of(subject), IGNORED_BYTE_ORDER))
		rule_fail(report, "dtype",
			"the elements are read in the machine's byte order, which is not that of the tensor");
}

static void dlc_check_lanes(const struct subject *subject, struct report *report)
{
	if (ignores_part(consumption_of(subject), IGNORED_LANES))
		rule_fail(report, "dtype.lanes",
			"each element is read as one number, although the tensor has several lanes");
}

static void dlc_check_alignment(const struct subject *subject, struct report *report)
{
	if (ignores_part(consumption_of(subject), IGNORED_ALIGNMENT))
		rule_fail(
			report, "data", "the elements are those at the aligned address below data");
}

/* Why no reading of the result shows whether it has the elements; NULL: one does. */
static const char *find_unread(struct arena *arena, const struct fact_consumption *consumption)
{
	const char *reason = NULL;

	for (size_t i = 0; i < consumption->readings.n_items; i++) {
		const struct fact_reading *reading = &consumption->readings.items[i];

		if (reading->equal != ANSWER_UNKNOWN || reading->difference)
			return NULL;
		reason = reason ? reason : reading->reason;
	}
	return reason ? arena_printf(arena,
				"the elements of the result, of type %s, were not read: %s",
				consumption->type, reason)
		      : arena_printf(arena,
				"the result, of type %s, is not an array whose elements can be read",
				consumption->type);
}

static void dlc_check_elements(const struct subject *subject, struct report *report)
{
	const struct fact_consumption *consumption = consumption_of(subject);
	const struct fact_reading *reading = find_difference_read(consumption);

	if (reading && has_result(consumption) && fact_text_is(consumption->expected, "elements") &&
		!consumption->read_as && !was_deleted_early(consumption))
		rule_fail(report, NULL, "the result, read by %s, differs: %s",
			fact_text_or(reading->how, "?"), fact_text_or(reading->difference, "?"));
	else if (has_result(consumption) && fact_text_is(consumption->expected, "elements") &&
		 consumption->type && find_unread(subject->arena, consumption))
		rule_skip(report, "%s", find_unread(subject->arena, consumption));
}

static void dlc_check_shape(const struct subject *subject, struct report *report)
{
	const struct fact_consumption *consumption = consumption_of(subject);

	for (size_t i = 0; i < consumption->readings.n_items; i++) {
		const struct fact_reading *reading = &consumption->readings.items[i];

		if (reading->reshaped != ANSWER_YES || !has_result(consumption) ||
			!fact_text_is(consumption->expected, "elements"))
			continue;
		/* The shapes would make each case a finding of its own. */
		rule_fail(report, "shape",
			"the result has the elements of the tensor in another shape");
		return;
	}
}

/* --- the element type --- */

static void dlc_check_type(const struct subject *subject, struct report *report)
{
	const struct fact_consumption *consumption = consumption_of(subject);

	for (size_t i = 0; i < consumption->shape.n_items; i++)
		if (!consumption->shape.items[i])
			return; /* there is no value that changes */
	if (has_result(consumption) && is_legal(consumption) && consumption->dtype &&
		consumption->result_dtype &&
		dtype_name_is_narrower(consumption->dtype, consumption->result_dtype))
		rule_fail(report, "dtype",
			"the elements of the result are %s, but those of the tensor are %s",
			consumption->result_dtype, consumption->dtype);
}

/* --- memory --- */

static void dlc_check_readonly(const struct subject *subject, struct report *report)
{
	const struct fact_consumption *consumption = consumption_of(subject);

	if (has_result(consumption) && consumption->readonly == ANSWER_YES &&
		consumption->shared == ANSWER_YES && consumption->result_readonly == ANSWER_NO)
		rule_fail(report, "flags",
			"the result is writable and shares the memory of a read-only tensor");
}

static void dlc_check_bounds(const struct subject *subject, struct report *report)
{
	const struct fact_consumption *consumption = consumption_of(subject);
	int64_t outside = fact_int_or(consumption->outside, 0);
	const char *what = consumption->outside_write == ANSWER_YES  ? "writes"
			   : consumption->outside_write == ANSWER_NO ? "reads"
								     : "accesses";
	uint64_t n_bytes = outside < 0 ? -(uint64_t)outside : (uint64_t)outside;

	if (outside && is_legal(consumption) && !consumption->read_as)
		rule_fail(report, "data", "the consumer %s memory %llu byte%s %s the tensor", what,
			(unsigned long long)n_bytes, plural((long long)n_bytes),
			outside < 0 ? "below" : "past the end of");
}

static void dlc_check_unchanged(const struct subject *subject, struct report *report)
{
	const struct fact_consumption *consumption = consumption_of(subject);
	long long n_changed = fact_int_or(consumption->changed_bytes, 0);

	if (is_lost(consumption) || !is_legal(consumption))
		return;
	if (consumption->changed_elements == ANSWER_YES)
		rule_fail(report, "data", "the consumer changes elements of the tensor");
	else if (n_changed)
		rule_fail(report, "data",
			"the consumer changes %lld byte%s around or between the elements",
			n_changed, plural(n_changed));
}

/* --- ownership --- */

/* A consumer that copies the elements and neither renames the capsule nor calls the deleter does
 * not take the tensor: the destructor of the capsule releases it. */
static bool took_export(const struct fact_consumption *consumption)
{
	return fact_int_or(consumption->deleted, 0) ||
	       (has_result(consumption) && consumption->shared == ANSWER_YES);
}

static void dlc_check_renames(const struct subject *subject, struct report *report)
{
	const struct fact_consumption *consumption = consumption_of(subject);

	if (!is_legal(consumption) || is_lost(consumption) || !consumption->renamed.known ||
		!took_export(consumption))
		return;
	if (fact_int_or(consumption->renamed, 0) < fact_int_or(consumption->deleted, 0) ||
		(!fact_int_or(consumption->renamed, 0) && fact_int_or(consumption->exports, 0)))
		rule_fail(report, NULL,
			"the consumer did not rename the capsule whose tensor it uses");
}

static void dlc_check_names(const struct subject *subject, struct report *report)
{
	const struct fact_consumption *consumption = consumption_of(subject);
	bool is_of_names = !strncmp(fact_text_or(consumption->id, ""), "name-", 5);

	if (is_of_names && has_result(consumption) && consumption->calls.n_items)
		rule_fail(report, NULL, "the consumer accepts %s",
			fact_text_or(consumption->about, "?"));
}

static void dlc_check_deletes_once(const struct subject *subject, struct report *report)
{
	const struct fact_consumption *consumption = consumption_of(subject);
	bool is_of_buffer = interface_of(consumption)->release == RELEASE_BUFFER;
	int64_t n_taken =
		fact_int_or(is_of_buffer ? consumption->exports : consumption->renamed, 0);
	bool is_kept = n_taken > fact_int_or(consumption->deleted, 0);
	const char *although = consumption->outcome == TRIAL_RAISED
				       ? "the consumer raises an exception"
				       : "the result was freed";

	if (is_lost(consumption) || !is_legal(consumption))
		return;
	is_kept &= consumption->deleted.known;
	if (fact_int_or(consumption->deleted_again, 0))
		rule_fail(report, "deleter", "the deleter is called more than once");
	else if (fact_int_or(consumption->references, 0) < 0)
		rule_fail(report, NULL,
			"the consumer releases a reference to the object that it does not own");
	else if (is_kept && is_of_buffer)
		rule_fail(report, NULL, "the buffer is not released, although %s", although);
	else if (!is_kept && fact_int_or(consumption->references, 0) > 0)
		rule_fail(report, NULL,
			"a reference to the object that was passed is not released, although %s",
			although);
	else if (is_kept && consumption->outcome == TRIAL_RAISED)
		rule_fail(report, "deleter",
			"the consumer renames the capsule, raises %s and never calls the deleter",
			fact_text_or(consumption->exception, "an exception"));
	else if (is_kept)
		rule_fail(report, "deleter",
			"the deleter is not called, although the result was freed");
}

static void dlc_check_null_deleter(const struct subject *subject, struct report *report)
{
	const struct fact_consumption *consumption = consumption_of(subject);
	bool is_of_null =
		has_id(consumption, "null-deleter") || has_id(consumption, "legacy-null-deleter");

	/* The call of address 0 does not abort. */
	if (is_of_null && consumption->outcome == TRIAL_CRASHED &&
		!strstr(fact_text_or(consumption->error.message, ""), "SIGABRT"))
		rule_fail(report, "deleter", "%s: %s", show_lost_step(subject),
			fact_text_or(consumption->error.message, "?"));
}

static void dlc_check_deletes_late(const struct subject *subject, struct report *report)
{
	const struct fact_consumption *consumption = consumption_of(subject);

	if (!has_result(consumption) || !is_legal(consumption) || !was_deleted_early(consumption))
		return;
	if (interface_of(consumption)->release == RELEASE_BUFFER) {
		rule_set_fix(report,
			"call PyBuffer_Release when the last object that uses the memory is freed");
		rule_fail(report, NULL,
			"the buffer is released while the result still uses the memory of the tensor");
	} else if (!is_of_dlpack(consumption)) {
		rule_set_fix(report,
			"keep a reference to the object that has the interface as long as the memory is used");
		rule_fail(report, NULL,
			"the result uses the memory of the tensor without a reference to the tensor");
	} else
		rule_fail(report, "deleter",
			"the deleter is called while the result still uses the memory of the tensor");
}

/* --- the calls --- */

static void dlc_check_retries(const struct subject *subject, struct report *report)
{
	const struct fact_consumption *consumption = consumption_of(subject);

	if (has_id(consumption, "no-keywords") && consumption->outcome == TRIAL_RAISED &&
		fact_text_is(consumption->exception, "TypeError") &&
		!fact_int_or(consumption->exports, 0))
		rule_fail(report, NULL,
			"the consumer does not call __dlpack__() again without the keywords that raised TypeError");
}

static void dlc_check_major(const struct subject *subject, struct report *report)
{
	const struct fact_consumption *consumption = consumption_of(subject);
	bool is_of_majors = !strncmp(fact_text_or(consumption->id, ""), "major-", 6);

	if (!is_of_majors || is_lost(consumption) || !fact_int_or(consumption->exports, 0))
		return;
	if (has_result(consumption))
		rule_fail(report, "version", "the consumer accepts a struct of %s",
			fact_text_or(consumption->about, "another major version"));
	else if (!fact_int_or(consumption->deleted, 0) && fact_int_or(consumption->renamed, 0))
		rule_fail(report, "version",
			"the consumer renames the capsule and rejects the struct without calling its deleter");
}

static void dlc_check_exception(const struct subject *subject, struct report *report)
{
	const struct fact_consumption *consumption = consumption_of(subject);

	/* Functions such as asarray may use other protocols of an object without __dlpack__. */
	bool is_passed_on = has_id(consumption, "device-raises") || has_id(consumption, "no-method")
				    ? fact_texts_have(&consumption->calls, "__dlpack_device__()")
				    : consumption->calls.n_items > 0;

	if (fact_text_is(consumption->expected, "exception") && has_result(consumption) &&
		is_passed_on)
		rule_fail(report, NULL,
			"the consumer returns an object of type %s, although it was passed %s",
			fact_text_or(consumption->type, "?"),
			fact_text_or(consumption->about, "an exporter that raises"));
	else if (has_id(consumption, "raises-BufferError") &&
		 consumption->outcome == TRIAL_RAISED &&
		 !fact_text_is(consumption->exception, "BufferError"))
		rule_fail(report, NULL,
			"the consumer raises %s instead of the exporter's BufferError",
			fact_text_or(consumption->exception, "another exception"));
}

/* Whether the interpreter raised a SystemError with this message, for a function in C. */
static bool is_of_interpreter(const char *message)
{
	return strstr(message, "without setting an exception") ||
	       strstr(message, "with an exception set") || strstr(message, "internal");
}

static void dlc_check_internal_error(const struct subject *subject, struct report *report)
{
	const struct fact_consumption *consumption = consumption_of(subject);

	if (consumption->outcome == TRIAL_RAISED &&
		fact_text_is(consumption->exception, "SystemError") &&
		is_of_interpreter(fact_text_or(consumption->error.message, "")))
		rule_fail(report, NULL, "the consumer raises SystemError: %s",
			fact_text_or(consumption->error.message, "?"));
}

static void dlc_check_accepts(const struct subject *subject, struct report *report)
{
	const struct fact_consumption *consumption = consumption_of(subject);

	if (!fact_text_is(consumption->expected, "elements") ||
		consumption->outcome != TRIAL_RAISED)
		return;
	/* The exporter raised it. */
	if (strstr(fact_text_or(consumption->error.message, ""), CASE_REQUIRES_VERSION)) {
		rule_set_fix(report,
			"try: x.__dlpack__(max_version=(1, 0)); except TypeError: x.__dlpack__()");
		rule_fail(report, NULL,
			"the consumer does not request version 1.0 by max_version, which the tensor requires");
	} else
		rule_fail(report, NULL, "the consumer rejects %s: %s",
			fact_text_or(consumption->about, "a legal tensor"),
			fact_exception(subject->arena, consumption->error.type,
				consumption->error.message));
}

#define NUMPY_PROTOCOLS PROTOCOL_NUMPY " " PROTOCOL_NUMPY_STRUCT
#define PROTOCOL_CLAUSES(...)                            \
	.protocol_clauses = (const struct rule_clause[]) \
	{                                                \
		__VA_ARGS__,                             \
		{                                        \
			0                                \
		}                                        \
	}

#define CONSUMER_RULE(...) RULE_ENTRY(FACT_CONSUMER, __VA_ARGS__)

/* The entry of a rule that applies if the consumer reads the interface of the tensor. */
#define READER_RULE(...) CONSUMER_RULE(__VA_ARGS__), .requires = { "DLC004" }

const struct rule consumer_rules[] = {
	{
		CONSUMER_RULE("DLC704", "consumer-null-deleter", ERROR, MUST),
		.clause = CLAUSE_DLPACK_H "DLManagedTensorVersioned.deleter (\"It can be NULL\")",
		.summary = "a consumer accepts a tensor whose deleter is NULL",
		.why = "producers of static memory set no deleter; a consumer that calls it jumps to address 0",
		.fix = "if (managed->deleter) managed->deleter(managed);",
		.check = dlc_check_null_deleter,
	},
	{
		CONSUMER_RULE("DLC001", "consumer-survives", ERROR, LOGIC),
		.subsumed_by = { "DLC704" },
		.clause = "derived from " CLAUSE_ARRAY_API "from_dlpack",
		.summary = "a consumer returns or raises an exception for every legal tensor",
		.why = "an exporter cannot protect a process that crashes, hangs or ends when it imports a tensor that dlpack.h allows",
		.fix = "raise BufferError for tensors that the library does not support",
		.check = dlc_check_survives_legal,
	},
	{
		CONSUMER_RULE("DLC002", "consumer-survives-invalid", WARNING, HAZARD),
		.is_derived = true,
		PROTOCOL_CLAUSES({ PROTOCOL_DLPACK, CLAUSE_DLPACK_H "DLTensor" },
			{ NUMPY_PROTOCOLS, CLAUSE_NUMPY "__array_interface__" },
			{ PROTOCOL_CUDA, CLAUSE_CUDA "Python Interface Specification" },
			{ PROTOCOL_SYCL, CLAUSE_SYCL_PAGE "introduction" }),
		.summary = "a consumer raises an exception for a tensor that violates its protocol",
		.why = "a consumer that does not check the fields that it reads turns a defect of an exporter into a crash without a traceback",
		.fix = "check the name of the capsule, the version, the device, ndim, shape and dtype before the elements are read, and raise BufferError",
		.check = dlc_check_survives_invalid,
	},
	{
		CONSUMER_RULE("DLC004", "consumer-reads", ERROR, LOGIC),
		.is_derived = true,
		PROTOCOL_CLAUSES({ PROTOCOL_DLPACK, CLAUSE_ARRAY_API "from_dlpack" },
			{ NUMPY_PROTOCOLS, CLAUSE_NUMPY "data" },
			{ PROTOCOL_CUDA, CLAUSE_CUDA "data" },
			{ PROTOCOL_SYCL, CLAUSE_SYCL_PAGE "data" },
			{ PROTOCOL_BUFFER, CLAUSE_BUFFER "PyObject_GetBuffer" }),
		.summary = "a consumer reads the interface of the tensor",
		.why = "nothing of the tensor is imported: many functions wrap an object that they do not recognize in an array of Python objects",
		.fix = "pass a function that imports arrays by this interface, such as numpy:from_dlpack for DLPack, numpy:asarray for NumPy's interfaces and builtins:memoryview for buffers; -p chooses the interface",
		.check = dlc_check_reads,
	},
	{
		READER_RULE("DLC003", "consumer-returns-array", ERROR, LOGIC),
		.clause = "derived from " CLAUSE_ARRAY_API "from_dlpack",
		.summary = "a consumer does not return the tensor itself",
		.why = "code that receives the tensor instead of an array of the library fails later, at the first operation on it",
		.fix = "import the tensor, or raise an exception",
		.check = dlc_check_returns_array,
	},
	{
		READER_RULE("DLC705", "consumer-deletes-late", ERROR, MUST),
		PROTOCOL_CLAUSES(
			{ PROTOCOL_DLPACK, CLAUSE_DLPACK_H "DLManagedTensorVersioned.deleter" },
			{ NUMPY_PROTOCOLS, CLAUSE_NUMPY "data" },
			{ PROTOCOL_CUDA, CLAUSE_CUDA "Lifetime management" },
			{ PROTOCOL_BUFFER, CLAUSE_BUFFER "PyBuffer_Release" }),
		.summary = "a consumer does not release the tensor while an object uses its memory",
		.why = "the exporter may then free or reuse the memory: elements of the result change, or the process crashes",
		.fix = "call the deleter when the last object that uses the memory is freed",
		.check = dlc_check_deletes_late,
	},
	{
		READER_RULE("DLC301", "consumer-byte-offset", ERROR, MUST),
		.clause = CLAUSE_DLPACK_H "DLTensor.byte_offset",
		.summary = "a consumer adds byte_offset to data",
		.why = "the elements of a view are wrong, without an error",
		.fix = "use (char *)tensor.data + tensor.byte_offset as the address of the first element",
		.check = dlc_check_offset,
	},
	{
		READER_RULE("DLC302", "consumer-strides", ERROR, MUST),
		PROTOCOL_CLAUSES(
			{ PROTOCOL_DLPACK, CLAUSE_DLPACK_H
				"DLTensor.strides (\"in number of elements, not bytes\")" },
			{ NUMPY_PROTOCOLS, CLAUSE_NUMPY "strides" },
			{ PROTOCOL_CUDA, CLAUSE_CUDA "strides" },
			{ PROTOCOL_SYCL, CLAUSE_SYCL_PAGE "strides" },
			{ PROTOCOL_BUFFER, CLAUSE_BUFFER "Py_buffer.strides" }),
		.summary = "a consumer applies the strides, or raises an exception",
		.why = "the elements of a transposed or sliced array are wrong, without an error",
		.fix = "use tensor.strides, in elements, or raise BufferError unless the tensor is contiguous",
		.check = dlc_check_strides,
	},
	{
		READER_RULE("DLC304", "consumer-lanes", ERROR, MUST),
		.clause = CLAUSE_DLPACK_H "DLDataType.lanes",
		.summary = "a consumer reads all lanes of each element, or raises an exception",
		.why = "an element consists of as many numbers as dtype.lanes states: a consumer that reads only one returns wrong elements, without an error",
		.fix = "raise BufferError unless tensor.dtype.lanes is 1",
		.check = dlc_check_lanes,
	},
	{
		READER_RULE("DLC305", "consumer-byte-order", ERROR, MUST),
		PROTOCOL_CLAUSES({ NUMPY_PROTOCOLS, CLAUSE_NUMPY "typestr; __array_struct__" },
			{ PROTOCOL_CUDA, CLAUSE_CUDA "typestr" },
			{ PROTOCOL_SYCL, CLAUSE_SYCL_PAGE "typestr" },
			{ PROTOCOL_BUFFER, CLAUSE_BUFFER "Py_buffer.format" }),
		.summary =
			"a consumer reads elements in the byte order of the tensor, or raises an exception",
		.why = "every number of an array in foreign byte order is wrong, without an error",
		.fix = "swap the bytes while the elements are copied, or raise an exception",
		.check = dlc_check_byte_order,
	},
	{
		READER_RULE("DLC401", "consumer-alignment", WARNING, SHOULD),
		.clause = CLAUSE_DLPACK_H
		"DLTensor.data (\"recommended to not rely on the data pointer\")",
		.summary = "a consumer accepts data that is aligned only to the size of an element",
		.why = "most libraries export a view by the address of its first element, with a byte_offset of 0: the elements of such views are wrong",
		.fix = "use the address as it is, or copy elements that are not aligned as the library requires",
		.check = dlc_check_alignment,
	},
	{
		READER_RULE("DLC307", "consumer-type", ERROR, LOGIC),
		.clause = "derived from " CLAUSE_ARRAY_API "from_dlpack",
		.summary = "the element type of the result represents every value of the tensor's",
		.why = "numbers beyond the range or the precision of the narrower type change, without an error",
		.fix = "raise BufferError for element types that the library does not support",
		.check = dlc_check_type,
	},
	{
		READER_RULE("DLC308", "consumer-read-only", ERROR, MUST),
		PROTOCOL_CLAUSES(
			{ PROTOCOL_DLPACK, CLAUSE_DLPACK_H "DLPACK_FLAG_BITMASK_READ_ONLY" },
			{ NUMPY_PROTOCOLS, CLAUSE_NUMPY "data" },
			{ PROTOCOL_CUDA, CLAUSE_CUDA "data" },
			{ PROTOCOL_SYCL, CLAUSE_SYCL_PAGE "data" },
			{ PROTOCOL_BUFFER, CLAUSE_BUFFER "Py_buffer.readonly" }),
		.summary = "an object that shares the memory of a read-only tensor is read-only",
		.why = "writing to the object changes memory that its owner declared constant, or crashes the process if it is mapped read-only",
		.fix = "mark the object as read-only, copy the elements, or raise BufferError",
		.check = dlc_check_readonly,
	},
	{
		READER_RULE("DLC402", "consumer-bounds", ERROR, MUST),
		.clause = CLAUSE_DLPACK_H "DLTensor.data (\"the size of memory required\")",
		.summary = "a consumer accesses only the memory of the tensor",
		.why = "the process crashes if the next page is not mapped, which depends on the allocator",
		.fix = "access only the bytes of elements",
		.check = dlc_check_bounds,
	},
	{
		READER_RULE("DLC403", "consumer-leaves-memory", ERROR, LOGIC),
		.clause = "derived from " CLAUSE_DLPACK_PYTHON "Semantics",
		.summary =
			"an import changes neither the elements of a tensor nor the bytes around them",
		.why = "the exporter's array changes although nothing was assigned to it",
		.fix = "do not write to the memory of the tensor during the import",
		.check = dlc_check_unchanged,
	},
	{
		READER_RULE("DLC306", "consumer-elements", ERROR, MUST),
		.subsumed_by = { "DLC307", "DLC403" },
		.clause = CLAUSE_DLPACK_H "DLTensor",
		.summary = "the result of a consumer has the elements of the tensor",
		.why = "results are wrong, without an error",
		.fix = "keep the memory of the result alive as long as the result, and raise BufferError for tensors that the library does not support",
		.check = dlc_check_elements,
	},
	{
		READER_RULE("DLC309", "consumer-shape", NOTE, HAZARD),
		.subsumed_by = { "DLC306" },
		.clause = CLAUSE_DLPACK_H "DLTensor",
		.summary = "the result of a consumer has the shape of the tensor",
		.why = "expressions that combine the result with other arrays broadcast it to other shapes; a library may document that it drops or adds dimensions",
		.fix = "keep the dimensions, those of extent 1 included, or document the shape of the result",
		.check = dlc_check_shape,
	},
	{
		READER_RULE("DLC701", "consumer-renames", ERROR, MUST),
		.clause = CLAUSE_DLPACK_PYTHON "Implementation",
		.summary =
			"a consumer renames the capsule that it consumes to used_dltensor or used_dltensor_versioned",
		.why = "the destructor or the next consumer of a capsule that was not renamed calls the deleter again: the memory is freed twice",
		.fix = "PyCapsule_SetName(capsule, \"used_dltensor_versioned\") before the deleter may be called",
		.check = dlc_check_renames,
	},
	{
		READER_RULE("DLC702", "consumer-capsule-name", ERROR, MUST),
		.clause = CLAUSE_DLPACK_PYTHON "Implementation",
		.summary =
			"a consumer rejects a capsule whose name is not dltensor or dltensor_versioned",
		.why = "the tensor of a consumed capsule may have been freed, and a capsule of any other name does not point to a managed tensor",
		.fix = "check PyCapsule_IsValid(capsule, name) for both names, and raise an exception otherwise",
		.check = dlc_check_names,
	},
	{
		READER_RULE("DLC703", "consumer-deletes-once", ERROR, MUST),
		.subsumed_by = { "DLC705", "DLC701" },
		PROTOCOL_CLAUSES({ PROTOCOL_DLPACK, CLAUSE_DLPACK_PYTHON "Semantics" },
			{ PROTOCOL_BUFFER, CLAUSE_BUFFER "PyBuffer_Release" }),
		.summary =
			"a consumer releases the object and a buffer, and calls the deleter of a capsule that it renamed, exactly once, even if it raises an exception",
		.why = "memory that is not released leaks, and a deleter that is called again frees memory twice",
		.fix = "let one object own the buffer or the reference, or the managed tensor as soon as its capsule is renamed",
		.check = dlc_check_deletes_once,
	},
	{
		READER_RULE("DLC801", "consumer-retries", WARNING, MUST),
		.clause = CLAUSE_ARRAY_API "array.__dlpack__ Notes",
		.summary =
			"a consumer calls __dlpack__ again without keywords if they raise TypeError",
		.why = "arrays of libraries that implement an older edition, without max_version, cannot be imported",
		.fix = "try: x.__dlpack__(max_version=(1, 0)); except TypeError: x.__dlpack__()",
		.check = dlc_check_retries,
	},
	{
		READER_RULE("DLC802", "consumer-major-version", ERROR, MUST),
		.clause = CLAUSE_DLPACK_H "DLPackVersion (\"major version that disagrees\")",
		.summary =
			"a consumer rejects a struct of another major version, and calls its deleter if it renamed the capsule",
		.why = "the fields after flags have another meaning: a consumer that reads them accesses arbitrary memory",
		.fix = "check managed->version.major before any other field; if it differs, call the deleter and raise BufferError",
		.check = dlc_check_major,
	},
	{
		READER_RULE("DLC804", "consumer-exceptions", WARNING, MUST),
		.clause = CLAUSE_ARRAY_API "from_dlpack",
		.summary =
			"a consumer raises an exception if the exporter does, and BufferError if that is BufferError",
		.why = "callers catch BufferError to copy the elements in another way; without an exception, they use whatever object the consumer returns as if it were the array",
		.fix = "let exceptions of __dlpack__ and __dlpack_device__ propagate",
		.check = dlc_check_exception,
	},
	{
		READER_RULE("DLC808", "consumer-internal-error", WARNING, LOGIC),
		.clause = "derived from " CLAUSE_ARRAY_API "from_dlpack",
		.summary = "a consumer does not raise SystemError",
		.why = "Python raises SystemError if a C function returns NULL without an exception, or a result with one: an error was not handled",
		.fix = "check the result of each call of the C API, and return NULL if an exception is set",
		.check = dlc_check_internal_error,
	},
	{
		READER_RULE("DLC807", "consumer-accepts", NOTE, MAY),
		.is_informative = true,
		.subsumed_by = { "DLC801", "DLC808" },
		.clause = CLAUSE_ARRAY_API "from_dlpack",
		.summary = "a consumer imports every legal tensor",
		.why = "exporters of such tensors have to copy or convert them for this library",
		.fix = "support the tensor, or document that the library does not",
		.check = dlc_check_accepts,
	},
	{ .id = NULL },
};
