// SPDX-License-Identifier: MIT
/* BUF301, BUF701 and BUF801: what an exporter grants that it does not have, and how it refuses (PEP
 * 3118). */
#include "rules/buffer.h"

#include <string.h>

/* The record of a request; NULL, with the rule skipped, where it was not made. */
static const struct value *find_request(
	const struct subject *subject, struct report *report, const char *request)
{
	const struct value *records = value_get(subject->details, "requests");

	for (size_t i = 0; value_is_sequence(records) && i < records->n_items; i++)
		if (value_is_text(value_get(records->items[i], "request"), request))
			return records->items[i];
	rule_skip(report, "%s was not asked for", request);
	return NULL;
}

static bool was_granted(const struct value *record)
{
	return record && value_is_text(value_get(record, "outcome"), "returned");
}

static void check_contiguous(const struct subject *subject, struct report *report)
{
	const struct array *array = shared_array(subject, report);
	bool c = array && array_is_c_contiguous(array), f = array && array_is_f_contiguous(array);
	const struct {
		const char *request;
		bool holds;
	} asked[] = {
		{ "PyBUF_C_CONTIGUOUS", c },
		{ "PyBUF_F_CONTIGUOUS", f },
		{ "PyBUF_ANY_CONTIGUOUS", c || f },
	};

	for (size_t i = 0; array && i < sizeof(asked) / sizeof(*asked); i++)
		if (!asked[i].holds && was_granted(find_request(subject, report, asked[i].request)))
			rule_fail(report, "strides",
				"%s is granted, and the elements are not laid out so",
				asked[i].request);
}

/* PyBUF_FULL_RO, and other exceptions by it, are BUF001's. */
static void check_refusal(const struct subject *subject, struct report *report)
{
	const struct value *records = value_get(subject->details, "requests");

	for (size_t i = 0; value_is_sequence(records) && i < records->n_items; i++) {
		const struct value *record = records->items[i];
		const char *request = value_text_or(value_get(record, "request"), "?");
		const char *raised = value_text_or(value_at(record, "error.type"), NULL);

		if (was_granted(record))
			continue;
		if (value_bool_or(value_get(record, "owned"), false))
			rule_fail(report, "obj", "%s is refused, and obj is not NULL", request);
		else if (value_is_text(value_get(record, "outcome"), "raised") && raised)
			rule_fail(report, NULL, "%s is refused by %s, not by BufferError", request,
				raised);
		else if (value_is_text(value_get(record, "outcome"), "raised"))
			rule_fail(report, NULL, "%s is refused without an exception", request);
		else
			continue;
		return;
	}
}

static void report_granted(const struct subject *subject, struct report *report)
{
	static const char *const requests[] = { "PyBUF_WRITABLE", "PyBUF_FULL" };
	bool readonly = value_bool_or(value_get(subject->declared, "readonly"), false);

	for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++) {
		const struct value *record = find_request(subject, report, requests[i]);
		bool says_so = value_bool_or(value_get(record, "readonly"), false);

		if (!was_granted(record) || (!readonly && !says_so))
			continue;
		rule_fail(report, "readonly", "%s is granted, and readonly is 1%s", requests[i],
			says_so ? " in it" : " by PyBUF_FULL_RO");
		return;
	}
}

static void check_access(const struct subject *subject, struct report *report)
{
	const struct value *records = value_get(subject->details, "requests");

	for (size_t i = 0; value_is_sequence(records) && i < records->n_items; i++) {
		const struct value *readonly = value_get(records->items[i], "readonly");
		const char *request = value_text_or(value_get(records->items[i], "request"), "?");
		bool asks_to_write =
			!strcmp(request, "PyBUF_WRITABLE") || !strcmp(request, "PyBUF_FULL");

		if (asks_to_write || value_is_null(readonly) ||
			value_equal(readonly, value_get(subject->declared, "readonly")))
			continue;
		rule_fail(report, "readonly", "readonly is %d by %s, and %d by PyBUF_FULL_RO",
			readonly->boolean, request, !readonly->boolean);
		return;
	}
	report_granted(subject, report);
}

const struct rule buffer_calls_rules[] = {
	{
		BUFFER_RULE_OF(
			FACT_STRUCT | FACT_CALLS, "BUF301", "contiguity-refused", ERROR, MUST),
		.clause = CLAUSE_BUFFER "contiguity requests",
		.says = "PyBUF_C_CONTIGUOUS, PyBUF_F_CONTIGUOUS and PyBUF_ANY_CONTIGUOUS are refused where the elements are "
			"not laid out so",
		.why = "the consumer takes the block as it is, and gets other elements in another order",
		.fix = "raise BufferError unless PyBuffer_IsContiguous holds for the order asked for",
		.check = check_contiguous,
	},
	{
		BUFFER_RULE_OF(
			FACT_STRUCT | FACT_CALLS, "BUF701", "request-refused", WARNING, MUST),
		.clause = CLAUSE_BUFFER
		"PyObject_GetBuffer (\"raise BufferError and set view->obj to NULL and return -1\")",
		.says = "a request that is not granted raises BufferError and leaves obj NULL",
		.why = "consumers that handle BufferError do not handle others, and some release the view on every path: the object "
		       "loses a reference that nobody took",
		.fix = "on every path that returns -1 raise BufferError and set view->obj = NULL",
		.check = check_refusal,
	},
	{
		BUFFER_RULE_OF(FACT_STRUCT | FACT_CALLS, "BUF801", "writable-refused", ERROR, MUST),
		.clause = CLAUSE_BUFFER "PyBUF_WRITABLE; Py_buffer.readonly",
		.says = "PyBUF_WRITABLE is refused where the memory is read-only, and readonly is the same for all that do not ask to "
			"write",
		.why = "the consumer writes: constants change, or the process ends with a segmentation fault",
		.fix = "decide readonly by the memory alone; raise BufferError where flags hold PyBUF_WRITABLE and the memory is read-only",
		.check = check_access,
	},
	{ .id = NULL },
};
