// SPDX-License-Identifier: MIT
/*
 * Layouts that an exporter grants although it does not have them, and requests that it rejects
 * (PEP 3118).
 */
#include "rules/buffer/buffer.h"

#include "protocols/shared.h"

#include <string.h>

/* A property that a consumer of the reply relies on and that the elements lack, as its negation:
 * "not C-contiguous"; or NULL. */
static const char *find_false_layout(
	const struct subject *subject, const struct buffer_request *request)
{
	enum answer c = protocol_buffer_is_contiguous(subject->declared, 'C');
	enum answer f = protocol_buffer_is_contiguous(subject->declared, 'F');

	if (!buffer_request_includes(request, "suboffsets") &&
		buffer_is_indirect(value_get(subject->declared, "suboffsets")))
		return "reached through pointers";
	if (c == ANSWER_NO && (!buffer_request_includes(request, "strides") ||
				      !strcmp(request->name, "PyBUF_C_CONTIGUOUS")))
		return "not C-contiguous";
	if (f == ANSWER_NO && !strcmp(request->name, "PyBUF_F_CONTIGUOUS"))
		return "not Fortran-contiguous";
	if (c == ANSWER_NO && f == ANSWER_NO && !strcmp(request->name, "PyBUF_ANY_CONTIGUOUS"))
		return "not contiguous";
	return NULL;
}

/* Whether the object makes a copy for each request: its layout is then unknown. */
static bool copies_at_each_request(const struct subject *subject)
{
	const struct value *record;

	for (size_t next = 0; (record = buffer_next_granted(subject, &next));)
		if (buffer_request_includes(buffer_request_of(record), "strides") &&
			!buffer_is_same_block(subject, record))
			return true;
	return false;
}

/* "PyBUF_SIMPLE is", "PyBUF_SIMPLE and PyBUF_ND are", "PyBUF_SIMPLE, PyBUF_ND and 6 others are". */
static const char *show_requests(
	struct arena *arena, const struct buffer_request *first[2], size_t n_requests)
{
	if (n_requests == 1)
		return arena_printf(arena, "%s is", first[0]->name);
	if (n_requests == 2)
		return arena_printf(arena, "%s and %s are", first[0]->name, first[1]->name);
	return arena_printf(arena, "%s, %s and %zu other%s are", first[0]->name, first[1]->name,
		n_requests - 2, n_requests == 3 ? "" : "s");
}

static void buf_check_contiguous(const struct subject *subject, struct report *report)
{
	const struct buffer_request *first[2] = { 0 };
	const char *broken = NULL, *promise;
	const struct value *record;
	size_t n_requests = 0;

	if (copies_at_each_request(subject)) {
		rule_skip(report,
			"a request returned other memory than PyBUF_FULL_RO, and each copy may have a different layout");
		return;
	}
	for (size_t next = 0; (record = buffer_next_granted(subject, &next));) {
		const struct buffer_request *request = buffer_request_of(record);

		promise = buffer_is_same_block(subject, record)
				  ? find_false_layout(subject, request)
				  : NULL;
		if (!promise || (broken && strcmp(broken, promise) != 0))
			continue;
		broken = promise;
		if (n_requests < 2)
			first[n_requests] = request;
		n_requests++;
	}
	if (broken)
		rule_fail(report, "strides", "%s granted although the elements are %s",
			show_requests(subject->arena, first, n_requests), broken);
}

/* The record of a request, or NULL if it was not made. */
static const struct value *find_request(const struct subject *subject, const char *name)
{
	const struct value *records = value_get(subject->details, "requests");

	for (size_t i = 0; value_is_sequence(records) && i < records->n_items; i++)
		if (value_is_text(value_get(records->items[i], "request"), name))
			return records->items[i];
	return NULL;
}

/* Whether the exception is that of PyBUF_FULL_RO again, which BUF005 reports. */
static bool raised_as_repeated(const struct subject *subject, const struct value *error)
{
	const struct value *record = find_request(subject, "PyBUF_FULL_RO");

	return record && value_equal(error, value_get(record, "error"));
}

/* BUF001 checks PyBUF_FULL_RO and other exceptions that it raises. */
static void buf_check_refusal(const struct subject *subject, struct report *report)
{
	const struct value *records = value_get(subject->details, "requests");

	for (size_t i = 0; value_is_sequence(records) && i < records->n_items; i++) {
		const struct value *record = records->items[i];
		const char *request = value_text_or(value_get(record, "request"), "?");
		const char *raised = value_text_or(value_at(record, "error.type"), NULL);

		if (buffer_was_granted(record))
			continue;
		if (value_bool_or(value_get(record, "owned"), false))
			rule_fail(report, "obj", "obj is not NULL although %s was not granted",
				request);
		else if (raised && raised_as_repeated(subject, value_get(record, "error")))
			continue;
		else if (value_is_text(value_get(record, "outcome"), "raised") && raised)
			rule_fail(report, NULL, "%s raised %s, expected BufferError", request,
				raised);
		else if (value_is_text(value_get(record, "outcome"), "raised"))
			rule_fail(report, NULL,
				"%s failed without an exception, expected BufferError", request);
		else
			continue;
		return;
	}
}

/* PyBUF_FULL is PyBUF_FULL_RO and PyBUF_WRITABLE. An exporter that refuses any second request is
 * recognised by PyBUF_STRIDES. */
static bool refuses_writable_memory(const struct subject *subject, bool readonly)
{
	const struct value *full = find_request(subject, "PyBUF_FULL");

	return !readonly && full && !buffer_was_granted(full) &&
	       buffer_was_granted(find_request(subject, "PyBUF_STRIDES"));
}

/* Only PyBUF_FULL_RO again shows that nothing but the repetition is refused. */
static void buf_check_repeated(const struct subject *subject, struct report *report)
{
	const struct value *record = find_request(subject, "PyBUF_FULL_RO");
	const char *type = value_text_or(value_at(record, "error.type"), NULL);

	if (!buffer_declared(subject) || !record || buffer_was_granted(record))
		return;
	if (type)
		rule_fail(report, NULL,
			"PyBUF_FULL_RO was granted, but the same request after the release of the buffer raised %s",
			fact_exception(subject->arena, type,
				value_text_or(value_at(record, "error.message"), NULL)));
	else
		rule_fail(report, NULL,
			"PyBUF_FULL_RO was granted, but the same request after the release of the buffer failed without an exception");
}

static void buf_check_access(const struct subject *subject, struct report *report)
{
	bool readonly = value_bool_or(value_get(subject->declared, "readonly"), false);
	const struct value *record;

	if (refuses_writable_memory(subject, readonly)) {
		rule_fail(report, "readonly",
			"readonly is 0 for PyBUF_FULL_RO, but PyBUF_FULL, which requests writable memory, is refused");
		return;
	}
	for (size_t next = 0; (record = buffer_next_granted(subject, &next));) {
		const struct buffer_request *request = buffer_request_of(record);
		const struct value *reply = value_get(record, "readonly");
		bool is_readonly = value_bool_or(reply, readonly);

		if (request->writable && (readonly || is_readonly))
			rule_fail(report, "readonly", "%s is granted but readonly is 1%s",
				request->name,
				is_readonly ? " in its reply" : " for PyBUF_FULL_RO");
		else if (!request->writable && is_readonly != readonly &&
			 buffer_is_same_block(subject, record))
			rule_fail(report, "readonly",
				"readonly is %d for %s, but %d for PyBUF_FULL_RO", is_readonly,
				request->name, readonly);
		else
			continue;
		return;
	}
}

const struct rule buffer_calls_rules[] = {
	{
		BUFFER_RULE("BUF005", "repeated-request", ERROR, LOGIC),
		.clause = "derived from " CLAUSE_BUFFER "PyObject_GetBuffer",
		.summary =
			"a request that was granted is granted again once the buffer is released",
		.why = "the first consumer that requests the buffer succeeds and a later one fails, so which one fails depends on the order of use",
		.fix = "count the buffers in bf_getbuffer, subtract them in bf_releasebuffer, and export the same memory for every request",
		.check = buf_check_repeated,
	},
	{
		BUFFER_RULE("BUF301", "contiguity-refused", ERROR, MUST),
		.optional_facts = FACT_CALLS,
		.clause = CLAUSE_BUFFER
		"contiguity requests (\"Without stride information, the buffer must be C-contiguous\"); PyBUF_INDIRECT",
		.summary =
			"a request is refused if it implies a layout that the elements do not have: C order if PyBUF_STRIDES "
			"is not set, the order named by PyBUF_C_CONTIGUOUS, PyBUF_F_CONTIGUOUS or PyBUF_ANY_CONTIGUOUS, and "
			"no pointers if PyBUF_INDIRECT is not set",
		.why = "a consumer whose request is granted processes len bytes starting at buf: os.write(fd, x), by PyBUF_SIMPLE, "
		       "and io.BytesIO().write(x), by PyBUF_CONTIG_RO, store the bytes of other elements; file.readinto(x) overwrites them if strides is NULL",
		.fix = "if flags lack PyBUF_STRIDES, or contain PyBUF_C_CONTIGUOUS, raise BufferError unless "
		       "PyBuffer_IsContiguous(&view, 'C'); likewise with 'F' and 'A' for the other two; if flags lack PyBUF_INDIRECT, raise it if suboffsets are needed",
		.check = buf_check_contiguous,
	},
	{
		INTERFACE_RULE(PROTOCOL_BUFFER, FACT_STRUCT | FACT_CALLS, "BUF701",
			"request-refused", WARNING, MUST),
		.clause = CLAUSE_BUFFER
		"PyObject_GetBuffer (\"raise BufferError and set view->obj to NULL and return -1\")",
		.summary = "a request that is not granted raises BufferError and leaves obj NULL",
		.why = "a consumer that falls back to another request may catch only BufferError, and without an exception, Python raises SystemError; if obj is not NULL, those that release the view "
		       "on every path release a reference that was never acquired",
		.fix = "on every path that returns -1, raise BufferError and set view->obj = NULL",
		.check = buf_check_refusal,
	},
	{
		BUFFER_RULE("BUF801", "writable-refused", ERROR, MUST),
		.optional_facts = FACT_CALLS,
		.clause = CLAUSE_BUFFER "PyBUF_WRITABLE; Py_buffer.readonly",
		.summary =
			"PyBUF_WRITABLE is refused if, and only if, the memory is read-only, and readonly is the same for all requests without "
			"PyBUF_WRITABLE that return the same memory",
		.why = "a consumer that requests PyBUF_WRITABLE writes to read-only memory: constants change, or the process crashes with a segmentation fault; if readonly differs, one consumer writes to memory that another treats as constant",
		.fix = "set readonly according to the memory only; raise BufferError if flags contain PyBUF_WRITABLE and the memory is "
		       "read-only",
		.check = buf_check_access,
	},
	{ .id = NULL },
};
