// SPDX-License-Identifier: MIT
/* CAI rules: __cuda_array_interface__ (CUDA Array Interface, versions 0 to 3). */
#include "rules/shared.h"

static void check_access(const struct subject *subject, struct report *report)
{
	shared_check_access(subject, report, "reading __cuda_array_interface__", true);
}

const struct rule cuda_rules[] = {
	{
		.id = "CAI001",
		.name = "attribute-access",
		.protocols = "cuda",
		.severity = SEV_ERROR,
		.level = LEVEL_MUST,
		.facts = FACT_DICT,
		.clause =
			"CUDA Array Interface 3, Python Interface Specification; Python's hasattr",
		.says = "reading __cuda_array_interface__ gives a value, or raises AttributeError and nothing else",
		.why = "libraries ask with hasattr, which lets every other exception through: a program stops where it "
		       "only wanted to know whether the object lies on a GPU",
		.fix = "raise AttributeError in the property of an object that lies elsewhere",
		.check = check_access,
	},
	{ .id = NULL },
};
