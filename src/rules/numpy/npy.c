// SPDX-License-Identifier: MIT
/* NPY rules: the header and the length of .npy files (numpy.lib.format). */
#include "protocols/npy.h"
#include "protocols/protocol.h"
#include "rules/engine/clauses.h"
#include "rules/engine/rule.h"

static void npy_check_header(const struct subject *subject, struct report *report)
{
	const char *message = subject->interface->error.message;

	if (message)
		rule_fail(report, NULL, "%s", message);
}

static void npy_check_data(const struct subject *subject, struct report *report)
{
	struct npy_elements elements;
	struct err err = { 0 };

	if (subject->array)
		return;
	npy_read_descr(subject->arena, value_get(subject->declared, "descr"), &elements, &err);
	if (err.code == EXIT_UNAVAILABLE)
		rule_skip(report, "%s", subject->array_error);
	else
		rule_fail(report, NULL, "%s", subject->array_error);
}

static void npy_check_objects(const struct subject *subject, struct report *report)
{
	struct npy_elements elements;
	struct err ignored;

	if (npy_read_descr(
		    subject->arena, value_get(subject->declared, "descr"), &elements, &ignored) ||
		!elements.objects)
		return;
	if (*elements.objects)
		rule_fail(report, "descr",
			"field '%s' contains Python objects, which the file stores as a pickle",
			elements.objects);
	else
		rule_fail(report, "descr",
			"the elements are Python objects, which the file stores as a pickle");
}

static void npy_check_header_length(const struct subject *subject, struct report *report)
{
	int64_t n_chars = value_int_or(value_get(subject->details, "header_characters"), 0);

	if (n_chars > NPY_MAX_HEADER_CHARS)
		rule_fail(report, NULL,
			"the header has %lld characters, but numpy.load accepts at most %d by default",
			(long long)n_chars, NPY_MAX_HEADER_CHARS);
}

const struct rule npy_rules[] = {
	{
		INTERFACE_RULE(PROTOCOL_NPY, FACT_DICT, "NPY001", "header-complete", ERROR, MUST),
		.clause = CLAUSE_NPY "Format Version 1.0; Format Version 2.0; Format Version 3.0",
		.summary =
			"the file begins with a complete header of a known version that is a dictionary of Python literals",
		.why = "numpy.load rejects the file, even if the elements are complete",
		.fix = "write the file again with numpy.save('a.npy', a) or 'suai convert -o'",
		.check = npy_check_header,
	},
	{
		INTERFACE_RULE(PROTOCOL_NPY, FACT_DICT, "NPY101", "data-complete", ERROR, MUST),
		.requires = { "NPY001" },
		.clause = CLAUSE_NPY "Format Version 1.0",
		.summary =
			"the header has exactly the keys descr, fortran_order and shape, their values are valid, and the file contains the elements that they declare",
		.why = "numpy.load raises an exception; a program that maps a truncated file can access memory past the end of the file, which crashes the process",
		.fix = "write the file again with numpy.save('a.npy', a) or 'suai convert -o'",
		.check = npy_check_data,
	},
	{
		INTERFACE_RULE(PROTOCOL_NPY, FACT_DICT, "NPY102", "no-objects", ERROR, FACT),
		.requires = { "NPY001", "NPY101" },
		.clause = CLAUSE_NPY "Format Version 1.0",
		.summary = "no element or field, at any depth, is a Python object",
		.why = "numpy.load raises ValueError unless allow_pickle=True is given, which allows the file to execute arbitrary code; a "
		       "program that maps the file interprets the bytes of the pickle as addresses of objects",
		.fix = "store numbers or fixed-width text: numpy.save('a.npy', a.astype('f8')), or a.astype([('name', 'U20'), ('size', 'f8')]) for an array with these two fields",
		.check = npy_check_objects,
	},
	{
		INTERFACE_RULE(PROTOCOL_NPY, FACT_DICT, "NPY103", "header-length", ERROR, FACT),
		.requires = { "NPY001" },
		.clause = "derived from " CLAUSE_NPY "Format Version 2.0",
		.summary = "the header has at most 10,000 characters",
		.why = "numpy.load raises ValueError unless a larger max_header_size or allow_pickle=True is given, because longer headers can "
		       "exhaust the stack of Python's parser",
		.fix = "declare fewer fields, or load the file with a sufficient limit, such as numpy.load('a.npy', max_header_size=100_000)",
		.check = npy_check_header_length,
	},
	{ .id = NULL },
};
