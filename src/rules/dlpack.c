// SPDX-License-Identifier: MIT
/* DLP rules: what a producer's __dlpack__ and __dlpack_device__ must do (array API standard). */
#include "rules/clauses.h"
#include "rules/shared.h"

static void check_plain_call(const struct subject *subject, struct report *report)
{
	shared_check_access(subject, report, "__dlpack__()", false);
}

const struct rule dlpack_rules[] = {
	{
		.id = "DLP007",
		.name = "plain-call",
		.protocols = "dlpack",
		.severity = SEV_ERROR,
		.level = LEVEL_MUST,
		.facts = FACT_STRUCT,
		.clause = CLAUSE_ARRAY_API "array.__dlpack__ Raises",
		.says = "__dlpack__() without arguments gives a capsule or raises BufferError, and nothing else",
		.why = "consumers catch BufferError to try another way; any other exception ends the program that "
		       "passed the array on",
		.fix = "raise BufferError, with the reason, for data that cannot be exported; mend the rest",
		.check = check_plain_call,
	},
	{ .id = NULL },
};
