// SPDX-License-Identifier: MIT
/* NAI rules: __array_interface__ and __array_struct__ version 3 (NumPy, The array interface
 * protocol). */
#include "rules/clauses.h"
#include "rules/shared.h"

#include <string.h>

static void check_access(const struct subject *subject, struct report *report)
{
	const char *protocol = value_text_or(value_get(subject->interface, "protocol"), "");
	bool is_struct = !strcmp(protocol, "numpy-struct");

	shared_check_access(subject, report,
		is_struct ? "reading __array_struct__" : "reading __array_interface__", true);
}

const struct rule numpy_rules[] = {
	{
		.id = "NAI002",
		.name = "attribute-access",
		.protocols = "numpy numpy-struct",
		.severity = SEV_ERROR,
		.level = LEVEL_MUST,
		.facts = FACT_DICT | FACT_STRUCT,
		.clause = CLAUSE_NUMPY "introduction; " CLAUSE_PYTHON "hasattr",
		.says = "reading __array_interface__ or __array_struct__ gives a value, or raises AttributeError and "
			"nothing else",
		.why = "numpy.asarray reads both on every object that it is given and lets other exceptions out, so that "
		       "a program stops where it could have used another interface",
		.fix = "raise AttributeError in the property of an object that cannot be exported",
		.check = check_access,
	},
	{ .id = NULL },
};
