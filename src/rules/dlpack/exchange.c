// SPDX-License-Identifier: MIT
/* CXA rules: the C exchange API on the type of an object (dlpack.h 1.3, DLPackExchangeAPI). */
#include "rules/engine/clauses.h"
#include "rules/engine/shared.h"

#include <string.h>

#define CXA_RULE(ID, NAME, SEVERITY, LEVEL)                                            \
	.id = (ID), .name = (NAME), .protocols = "dlpack", .severity = SEV_##SEVERITY, \
	.level = LEVEL_##LEVEL, .facts = FACT_STRUCT

enum { KNOWN_MAJOR = 1 };

static const char field[] = "__dlpack_c_exchange_api__";

/* details.exchange; NULL where there is none. */
static const struct value *exchange_of(const struct subject *subject)
{
	const struct value *exchange = value_get(subject->details, "exchange");

	return value_is(exchange, VALUE_MAP) ? exchange : NULL;
}

static const struct value *tables_of(const struct subject *subject)
{
	const struct value *tables = value_get(exchange_of(subject), "tables");

	return value_is_sequence(tables) ? tables : NULL;
}

static bool has_known_major(const struct value *table)
{
	return value_int_or(value_at(table, "version[0]"), -1) == KNOWN_MAJOR;
}

static bool is_null_function(const struct value *table, const char *function)
{
	uint64_t address;

	return value_to_address(value_get(table, function), &address) && !address;
}

static void cxa_check_draft(const struct subject *subject, struct report *report)
{
	const struct value *draft = value_get(subject->details, "draft_exchange");

	if (!exchange_of(subject) && value_is_null(draft))
		rule_skip(report, "the facts do not tell whether the type has the draft's name");
	else if (!exchange_of(subject) && value_bool_or(draft, false))
		rule_fail(report, field, "the type has __c_dlpack_exchange_api__ alone");
}

static void cxa_check_on_type(const struct subject *subject, struct report *report)
{
	if (exchange_of(subject) &&
		!value_bool_or(value_get(exchange_of(subject), "on_type"), true))
		rule_fail(report, field, "the object has it, its type does not");
}

static void cxa_check_capsule(const struct subject *subject, struct report *report)
{
	const struct value *exchange = exchange_of(subject);
	const char *raised = value_text_or(value_at(exchange, "error.type"), NULL);
	const char *type = value_text_or(value_get(exchange, "type"), "something");
	const struct value *name = value_get(exchange, "capsule");

	if (!exchange || value_is_text(name, "dlpack_exchange_api"))
		return;
	if (raised)
		rule_fail(report, field, "reading it from the type raised %s", raised);
	else if (strcmp(type, "PyCapsule") != 0)
		rule_fail(report, field, "it is of type %s, not a PyCapsule", type);
	else
		rule_fail(report, field, "the capsule is called %s, not 'dlpack_exchange_api'",
			value_is_null(name) ? "NULL" : shared_show(subject->arena, name));
}

static void cxa_check_version(const struct subject *subject, struct report *report)
{
	const struct value *tables = tables_of(subject);
	const char *versions = "";

	if (!tables)
		return;
	for (size_t i = 0; i < tables->n_items; i++) {
		if (has_known_major(tables->items[i]))
			return;
		versions = arena_printf(subject->arena, "%s%s%lld", versions, i ? ", " : "",
			(long long)value_int_or(value_at(tables->items[i], "version[0]"), -1));
	}
	if (tables->n_items)
		rule_fail(report, "header.version",
			"neither the table nor an older one that prev_api leads to is of major version 1: %s",
			versions);
	else
		rule_fail(report, "header", "the table cannot be read");
}

static void cxa_check_functions(const struct subject *subject, struct report *report)
{
	static const char *const functions[] = { "managed_tensor_allocator",
		"managed_tensor_from_py_object_no_sync", "managed_tensor_to_py_object_no_sync",
		"current_work_stream" };
	const struct value *tables = tables_of(subject);

	for (size_t i = 0; tables && i < tables->n_items; i++)
		for (size_t f = 0; f < sizeof(functions) / sizeof(*functions); f++)
			if (is_null_function(tables->items[i], functions[f]))
				rule_fail(report, functions[f], "%s is NULL%s", functions[f],
					i ? ", in an older table" : "");
}

static void cxa_check_view_function(const struct subject *subject, struct report *report)
{
	const struct value *tables = tables_of(subject);

	if (is_null_function(value_item(tables, 0), "dltensor_from_py_object_no_sync"))
		rule_fail(report, "dltensor_from_py_object_no_sync",
			"dltensor_from_py_object_no_sync is NULL");
}

static void cxa_check_chain(const struct subject *subject, struct report *report)
{
	const struct value *tables = tables_of(subject);
	const struct value *end = value_get(exchange_of(subject), "end");

	if (!tables || !tables->n_items || value_is_null(end) || value_is_text(end, "null"))
		return;
	if (value_is_text(end, "loop"))
		rule_fail(report, "header.prev_api", "prev_api leads back to a table seen before");
	else
		rule_fail(report, "header.prev_api",
			"the chain of prev_api is %s after %zu table%s", value_text_or(end, "?"),
			tables->n_items, tables->n_items == 1 ? "" : "s");
}

const struct rule exchange_rules[] = {
	{
		CXA_RULE("CXA001", "exchange-renamed", NOTE, HAZARD),
		.clause =
			"derived from " CLAUSE_DLPACK_H
			"DLPackExchangeAPI (\"a C function table\" in addition to __dlpack__: a type may be without it)",
		.says = "a type with __c_dlpack_exchange_api__, the name of DLPack 1.2's drafts, has __dlpack_c_exchange_api__ too; "
			"a type with neither passes: the exchange API is an addition, and its absence no finding",
		.why = "consumers of DLPack 1.3 look for the new name alone, find nothing, and go the slower way by __dlpack__",
		.fix = "set __dlpack_c_exchange_api__ to a capsule of the table; keep the int under the old name for old consumers",
		.check = cxa_check_draft,
	},
	{
		CXA_RULE("CXA002", "exchange-on-type", ERROR, MUST),
		.clause = CLAUSE_DLPACK_H
		"DLPackExchangeAPI (\"This attribute must be set on the type\", \"must be defined on the type\")",
		.says = "__dlpack_c_exchange_api__ is an attribute of the type, not of the object alone",
		.why = "consumers look it up on type(obj) and keep it for all objects of that type: here they find nothing",
		.fix = "set it once as a class attribute: Array.__dlpack_c_exchange_api__ = capsule",
		.check = cxa_check_on_type,
	},
	{
		CXA_RULE("CXA003", "exchange-capsule", ERROR, MUST),
		.clause = CLAUSE_DLPACK_H "DLPackExchangeAPI (\"as a Python PyCapsule\")",
		.says = "what the type has is a PyCapsule called dlpack_exchange_api, not a property, an int or another capsule",
		.why = "consumers ask the capsule for its pointer by that name, and fail (drafts of DLPack 1.2 had an int)",
		.fix = "make it with PyCapsule_New(&api, \"dlpack_exchange_api\", NULL)",
		.check = cxa_check_capsule,
	},
	{
		CXA_RULE("CXA101", "exchange-version", ERROR, MUST),
		.needs = { "CXA003" },
		.clause = CLAUSE_DLPACK_H
		"DLPackExchangeAPIHeader.version; DLPackExchangeAPIHeader.prev_api",
		.says = "the table can be read, and it, or an older one that header.prev_api leads to, is of major version 1",
		.why = "a consumer must not use functions of a major version that it does not know, so it can use none",
		.fix = "set header.version to DLPACK_MAJOR_VERSION and DLPACK_MINOR_VERSION; keep a table of version 1 behind a newer "
		       "one",
		.check = cxa_check_version,
	},
	{
		CXA_RULE("CXA102", "exchange-functions", ERROR, MUST),
		.needs = { "CXA003" },
		.clause = CLAUSE_DLPACK_H
		"DLPackExchangeAPI.managed_tensor_allocator (\"This function must not be NULL\"); "
		"DLPackExchangeAPI.current_work_stream (\"This function must be not NULL\")",
		.says = "allocator, from_py_object, to_py_object and current_work_stream are not NULL",
		.why = "consumers call them without a look, and crash",
		.fix = "fill in the four functions before the capsule is made; a stub may set an error and return -1",
		.check = cxa_check_functions,
	},
	{
		CXA_RULE("CXA103", "exchange-view", NOTE, MAY),
		.needs = { "CXA003" },
		.clause = CLAUSE_DLPACK_H
		"DLPackExchangeAPI.dltensor_from_py_object_no_sync (\"This function can be NULL\")",
		.says = "dltensor_from_py_object_no_sync is not NULL",
		.why = "it is optional: without it consumers take the way that allocates a managed tensor, which is slower",
		.fix = "fill it in where the object's DLTensor can be lent for the length of a call",
		.check = cxa_check_view_function,
	},
	{
		CXA_RULE("CXA104", "exchange-chain", ERROR, MUST),
		.needs = { "CXA003" },
		.clause = CLAUSE_DLPACK_H
		"DLPackExchangeAPIHeader.prev_api (\"It must be NULL if the framework does not support older versions\")",
		.says = "the chain of header.prev_api ends with NULL",
		.why = "a consumer that walks it for an older version never comes back, or crashes",
		.fix = "set prev_api to NULL in the oldest table; all tables must be static",
		.check = cxa_check_chain,
	},
	{ .id = NULL },
};
