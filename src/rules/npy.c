// SPDX-License-Identifier: MIT
/* NPY rules: .npy files (numpy.lib.format), by their header and their length. */
#include "protocols/protocol.h"
#include "rules/clauses.h"
#include "rules/rule.h"

static void check_header(const struct subject *subject, struct report *report)
{
	const char *message = value_text_or(value_at(subject->interface, "error.message"), NULL);

	if (message)
		rule_fail(report, NULL, "%s", message);
}

static void check_data(const struct subject *subject, struct report *report)
{
	struct array array;
	struct err err;

	if (protocol_find("npy")->describe(subject->interface, &array, &err))
		rule_fail(report, NULL, "%s", err.message);
}

const struct rule npy_rules[] = {
	{
		.id = "NPY001",
		.name = "header-whole",
		.protocols = "npy",
		.severity = SEV_ERROR,
		.level = LEVEL_MUST,
		.facts = FACT_DICT,
		.clause = CLAUSE_NPY "Format Version 1.0; Format Version 2.0; Format Version 3.0",
		.says = "the file begins with a whole header of a known version",
		.why = "numpy.load refuses the file, whole or not",
		.fix = "write the file again with numpy.save or 'suai convert -o'",
		.check = check_header,
	},
	{
		.id = "NPY101",
		.name = "data-whole",
		.protocols = "npy",
		.severity = SEV_ERROR,
		.level = LEVEL_MUST,
		.facts = FACT_DICT,
		.needs = { "NPY001" },
		.clause = CLAUSE_NPY "Format Version 1.0",
		.says = "descr, fortran_order and shape can be read, and the file holds the elements that they declare",
		.why = "the file was cut off or patched: numpy.load raises, and who maps the file reads past its end",
		.fix = "write the file again with numpy.save or 'suai convert -o'",
		.check = check_data,
	},
	{ .id = NULL },
};
