// SPDX-License-Identifier: MIT
/* BUF rules: the buffer protocol (PEP 3118; Python C API, Buffer Protocol). */
#include "rules/clauses.h"
#include "rules/shared.h"

static void check_plain_request(const struct subject *subject, struct report *report)
{
	shared_check_access(subject, report, "a request for the buffer", false);
}

const struct rule buffer_rules[] = {
	{
		.id = "BUF001",
		.name = "plain-request",
		.protocols = "buffer",
		.severity = SEV_ERROR,
		.level = LEVEL_MUST,
		.facts = FACT_STRUCT,
		.clause = CLAUSE_BUFFER "PyObject_GetBuffer (\"MUST raise PyExc_BufferError\")",
		.says = "a request for the buffer is granted, or refused with BufferError and nothing else",
		.why = "consumers catch BufferError to try another way; any other exception ends the program that "
		       "passed the object on",
		.fix = "raise BufferError in getbuffer (__buffer__ in Python 3.12) for what cannot be exported",
		.check = check_plain_request,
	},
	{ .id = NULL },
};
