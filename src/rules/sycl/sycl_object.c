// SPDX-License-Identifier: MIT
/*
 * syclobj of __sycl_usm_array_interface__ version 1, in its six forms, as captured by the worker
 * (details.syclobj), which never consumes a capsule.
 */
#include "rules/sycl/sycl.h"

#include "base/array_size.h"

#include <string.h>

/* details.syclobj; NULL, with the rule skipped, if the facts lack it. */
static const struct value *syclobj_details(const struct subject *subject, struct report *report)
{
	const struct value *details = value_get(subject->details, "syclobj");

	if (value_is(details, VALUE_MAP))
		return details;
	rule_skip(report, "the facts do not include the type of syclobj");
	return NULL;
}

static bool is_bare_capsule(const struct value *details)
{
	return value_is_text(value_get(details, "type"), "PyCapsule");
}

static void suai_check_form(const struct subject *subject, struct report *report)
{
	const struct value *details = syclobj_details(subject, report);

	if (!details || is_bare_capsule(details) || !value_is_null(value_get(details, "form")))
		return;
	rule_fail(report, "syclobj", "syclobj is %s, which is not one of the six documented forms",
		shared_show(subject->arena, value_get(subject->declared, "syclobj")));
}

static bool is_among(const char *word, size_t n_chars, const char *const *words)
{
	for (; *words; words++)
		if (strlen(*words) == n_chars && !memcmp(*words, word, n_chars))
			return true;
	return false;
}

/* The part of a filter that a word is: 0 backend, 1 device type, 2 number; -1: none. */
static int filter_word_part(const char *word, size_t n_chars)
{
	static const char *const backends[] = { "opencl", "level_zero", "cuda", "hip", NULL };
	static const char *const device_types[] = { "cpu", "gpu", "accelerator", NULL };
	size_t n_digits = strspn(word, "0123456789");

	if (is_among(word, n_chars, backends))
		return 0;
	if (is_among(word, n_chars, device_types))
		return 1;
	return n_digits >= n_chars && n_chars <= 9 ? 2 : -1;
}

/* Empty words are skipped and the order is arbitrary, as in DPC++; a filter has each part once. */
static bool suai_check_grammar(struct arena *arena, struct report *report, const char *filters)
{
	static const char *const parts[] = { "backend", "device type", "device number" };
	bool seen[ARRAY_SIZE(parts)] = { false }, is_empty = true;
	size_t n_chars;

	for (const char *word = filters; *word; word += n_chars + (word[n_chars] != '\0')) {
		int part;

		n_chars = strcspn(word, ":,");
		part = filter_word_part(word, n_chars);
		if (n_chars && part < 0) {
			rule_fail(report, "syclobj",
				"'%s' is not a backend, a device type or a device number",
				arena_copy(arena, word, n_chars));
			return false;
		}
		if (n_chars && seen[part]) {
			rule_fail(report, "syclobj", "'%s' is a second %s in the same filter",
				arena_copy(arena, word, n_chars), parts[part]);
			return false;
		}
		if (n_chars)
			seen[part] = true;
		is_empty &= n_chars == 0;
		if (word[n_chars] == ',')
			memset(seen, 0, sizeof(seen));
	}
	if (is_empty)
		rule_fail(report, "syclobj",
			"the filter string '%s' has no backend, device type or device number",
			filters);
	return !is_empty;
}

static void suai_check_filter(const struct subject *subject, struct report *report)
{
	const struct value *text = value_get(subject->declared, "syclobj");
	const struct value *selects = value_at(subject->details, "syclobj.selects");

	if (!value_is(text, VALUE_TEXT))
		return;
	if (strlen(text->bytes) != text->n_bytes) {
		rule_fail(report, "syclobj", "the filter string %s contains a null character",
			shared_show(subject->arena, text));
		return;
	}
	if (!suai_check_grammar(subject->arena, report, text->bytes))
		return;
	if (value_is(selects, VALUE_BOOL) && !selects->boolean)
		rule_fail(report, "syclobj", "no available SYCL device matches %s",
			shared_show(subject->arena, text));
}

/* The name of a bare capsule unless it is valid; NULL if syclobj is not a capsule. */
static const struct value *invalid_capsule_name(
	const struct subject *subject, struct report *report)
{
	const struct value *details = syclobj_details(subject, report);
	const struct value *name = value_get(details, "capsule");

	if (!is_bare_capsule(details) || value_is_text(name, "SyclQueueRef") ||
		value_is_text(name, "SyclContextRef"))
		return NULL;
	return name ? name : value_null(subject->arena);
}

static bool is_used_name(const struct value *name)
{
	return value_is_text(name, "used_SyclQueueRef") ||
	       value_is_text(name, "used_SyclContextRef");
}

static void suai_check_capsule_name(const struct subject *subject, struct report *report)
{
	const struct value *name = invalid_capsule_name(subject, report);

	if (value_is(name, VALUE_TEXT) && !is_used_name(name))
		rule_fail(report, "syclobj",
			"syclobj is a capsule named %s, expected SyclQueueRef or SyclContextRef",
			shared_show(subject->arena, name));
	else if (value_is(name, VALUE_NULL))
		rule_fail(report, "syclobj",
			"syclobj is a capsule without a name, expected SyclQueueRef or SyclContextRef");
}

static void suai_check_capsule_used(const struct subject *subject, struct report *report)
{
	const struct value *name = invalid_capsule_name(subject, report);

	if (is_used_name(name))
		rule_fail(report, "syclobj", "syclobj is a capsule named %s: it has been consumed",
			shared_show(subject->arena, name));
}

static void suai_check_subclass(const struct subject *subject, struct report *report)
{
	const struct value *details = syclobj_details(subject, report);

	if (value_bool_or(value_get(details, "subclass"), false) &&
		!value_bool_or(value_get(details, "has_get_capsule"), true))
		rule_fail(report, "syclobj",
			"syclobj is an instance of %s, which has no _get_capsule",
			value_text_or(value_get(details, "type"), "a subclass"));
}

/* Consumers call _get_capsule() without an argument. If reading it raised, it was not found. */
static void suai_check_get_capsule(const struct subject *subject, struct report *report)
{
	const struct value *details = syclobj_details(subject, report);
	const struct value *error = value_get(details, "error");
	const struct value *name = value_get(details, "capsule");
	const char *returned = value_text_or(value_get(details, "returned"), NULL);

	if (!details || is_bare_capsule(details))
		return;
	if (value_is(error, VALUE_MAP))
		rule_fail(report, "syclobj", "%s raised %s",
			value_bool_or(value_get(details, "has_get_capsule"), true)
				? "_get_capsule()"
				: "reading _get_capsule",
			fact_exception(subject->arena,
				value_text_or(value_get(error, "type"), NULL),
				value_text_or(value_get(error, "message"), NULL)));
	else if (returned && strcmp(returned, "PyCapsule") != 0)
		rule_fail(report, "syclobj",
			"_get_capsule() returned an object of type %s, expected a PyCapsule",
			returned);
	else if (returned && value_is_null(name))
		rule_fail(report, "syclobj", "_get_capsule() returned a capsule without a name");
	else if (returned && !value_is_text(name, "SyclQueueRef") &&
		 !value_is_text(name, "SyclContextRef"))
		rule_fail(report, "syclobj",
			"_get_capsule() returned a capsule named %s, expected SyclQueueRef or SyclContextRef",
			shared_show(subject->arena, name));
}

const struct rule sycl_object_rules[] = {
	{
		SYCL_RULE("SUAI501", "syclobj-form", ERROR, MUST),
		.requires = { "SUAI114" },
		.clause = CLAUSE_SYCL_PAGE "syclobj (table of six forms)",
		.summary =
			"syclobj is a filter string, a SyclQueue, a SyclContext, a capsule of either, or an object with _get_capsule",
		.why = "a consumer cannot determine the context of the pointer from any other object; dpctl then reports that the pointer is not bound to a SyclContext",
		.fix = "set syclobj to the dpctl.SyclQueue used to allocate the memory",
		.check = suai_check_form,
	},
	{
		SYCL_RULE("SUAI502", "filter-string", ERROR, MUST),
		.optional_facts = FACT_MEMORY,
		.requires = { "SUAI501" },
		.clause = CLAUSE_SYCL_PAGE "syclobj (row 1); " CLAUSE_SYCL_FILTER
					   "Filter Selector String",
		.summary =
			"a filter string has at least one backend, device type or number, at most one of each in a filter, and selects an available device",
		.why = "dpctl creates a queue from the string: if this fails, it raises SyclQueueCreationError, and the array cannot be imported",
		.fix = "use dpctl.SyclDevice.filter_string, such as 'opencl:cpu:0', or the queue itself",
		.check = suai_check_filter,
	},
	{
		SYCL_RULE("SUAI504", "capsule-name", ERROR, MUST),
		.requires = { "SUAI501" },
		.clause = CLAUSE_SYCL_PAGE "syclobj (rows 3 and 5)",
		.summary = "if syclobj is a capsule, its name is SyclContextRef or SyclQueueRef",
		.why = "the name is the only indication of what the capsule points to: dpctl rejects every other name",
		.fix = "use queue._get_capsule() or context._get_capsule(), or name the capsule SyclQueueRef or SyclContextRef in PyCapsule_New",
		.check = suai_check_capsule_name,
	},
	{
		SYCL_RULE("SUAI505", "capsule-consumed", ERROR, FACT),
		.requires = { "SUAI501" },
		.clause = CLAUSE_DPCTL_SOURCE
		"dpctl/_sycl_queue.pyx (renames the capsules that it consumes); dpctl/_sycl_context.pyx; " CLAUSE_SYCL_PAGE
		"syclobj (silent)",
		.summary = "if syclobj is a capsule, it has not been consumed",
		.why = "dpctl renames the capsules that it consumes; at the next import, it reports that the pointer is not bound to a SyclContext, which hides the cause",
		.fix = "create a new capsule at every read of the attribute, or set syclobj to the queue itself",
		.check = suai_check_capsule_used,
	},
	{
		SYCL_RULE("SUAI507", "get-capsule", ERROR, MUST),
		.requires = { "SUAI501" },
		.clause = CLAUSE_SYCL_PAGE "syclobj (row 6)",
		.summary =
			"_get_capsule() of syclobj can be called without arguments and returns a capsule named SyclQueueRef or SyclContextRef",
		.why = "dpctl calls this method of an object that is neither a SyclQueue nor a SyclContext: it propagates an exception from the call, and for a result that is not such a capsule reports that the pointer is not bound to a SyclContext",
		.fix = "return queue._get_capsule(), a new capsule at each call",
		.check = suai_check_get_capsule,
	},
	{
		SYCL_RULE("SUAI508", "subclass-capsule", WARNING, FACT),
		.requires = { "SUAI501" },
		.clause = CLAUSE_DPCTL_SOURCE
		"dpctl/memory/_sycl_usm_array_interface_utils.pxi (compares the exact type); " CLAUSE_SYCL_PAGE
		"syclobj (silent)",
		.summary =
			"if syclobj is an instance of a subclass of SyclQueue or SyclContext, it has _get_capsule",
		.why = "dpctl recognizes only SyclQueue and SyclContext themselves, and requires _get_capsule of instances "
		       "of their subclasses; without it, the array cannot be imported",
		.fix = "keep the inherited _get_capsule, or override it with a method that returns a capsule",
		.check = suai_check_subclass,
	},
	{ .id = NULL },
};
