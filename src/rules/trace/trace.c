// SPDX-License-Identifier: MIT
/*
 * TRC rules: what a running program exchanged at a call site (suai trace). Each counts what the
 * tracer saw; what it could not see is no finding.
 */
#include "rules/engine/clauses.h"
#include "rules/engine/rule.h"

#include "base/array_size.h"
#include "base/plural.h"
#include "protocols/names.h"

#include <string.h>

static const struct fact_call_site *call_site_of(const struct subject *subject)
{
	return &subject->target->call_site;
}

/* "jax received from numpy", or "of numpy" if nothing did. */
static const char *show_passed(const struct subject *subject)
{
	const struct fact_call_site *site = call_site_of(subject);
	const char *producer = fact_text_or(site->producer, "an unknown library");

	return site->consumer ? arena_printf(subject->arena, "that %s received from %s",
					fact_text_or(site->consumer, "?"), producer)
			      : arena_printf(subject->arena, "of %s", producer);
}

/* Reports a number of arrays, if there are any, and their bytes. */
static void report_count(const struct subject *subject, struct report *report,
	const struct fact_int *count, const struct fact_int *bytes, const char *what)
{
	long long n = fact_int_or(*count, 0);

	if (n <= 0)
		return;
	rule_fail(report, NULL, "%lld array%s %s %s %s%s", n, plural(n), show_passed(subject),
		n == 1 ? "was" : "were", what,
		bytes ? arena_printf(
				subject->arena, ": %lld bytes", (long long)fact_int_or(*bytes, 0))
		      : "");
}

/* What the tracer saw of the causes of a copy. */
static const struct {
	const char *cause, *why, *fix;
} copy_causes[] = {
	{ "flagged",
		"the producer passed a copy, as copy=True requests, or because it cannot export its memory",
		"drop copy=True where neither of the arrays is modified afterwards; otherwise run 'suai why ARRAY CONSUMER' on this line's array" },
	{ "export",
		"the producer copies its elements to a new bytes object each time its interface is read",
		"read the interface once, and keep the array that results" },
	{ "items",
		"the arrays are items of a list or a tuple, which the function copies to one array",
		"compute the items in one array, and pass that: a = numpy.empty((n, *shape), dtype); numpy.add(x, y, out=a[0])" },
	{ "requested", "the function copies, because an argument requests it or by default", NULL },
	{ "element-type", "the result has elements of another type than the array", NULL },
	{ "strides",
		"the result has its elements in another order than the array, or without its gaps",
		"keep the array in the order that the consumer uses: a = numpy.ascontiguousarray(a), or numpy.asfortranarray(a) for Fortran code such as LAPACK" },
	{ "byte-order",
		"the bytes of the array's elements are in the other order than the processor's",
		"convert the array once: a = a.astype(a.dtype.newbyteorder('='))" },
	{ "alignment",
		"the memory is not aligned to 64 bytes, which the consumer requires to share it",
		"create the array in aligned memory: m = numpy.empty(nbytes + 64, 'u1'); a = m[-m.ctypes.data % 64:][:nbytes].view(dtype).reshape(shape)" },
};

/* Modules such as those of nanobind call NumPy to return their memory as arrays. */
static const char *show_numpy_request_fix(const struct subject *subject, const char *fix)
{
	const char *producer = call_site_of(subject)->producer;

	if (fact_text_is(producer, "tensorflow"))
		return "call numpy.asarray(a) instead of a.numpy() or numpy.array(a), where neither of the arrays is modified afterwards";
	if (fact_text_is(producer, "paddle"))
		return "call numpy.from_dlpack(a) instead of a.numpy() or numpy.asarray(a), where neither of the arrays is modified afterwards";
	if (!producer || fact_text_is(producer, "numpy") || fact_text_is(producer, "python"))
		return fix;
	return arena_printf(subject->arena,
		"%s; if %s itself makes this call to return an array, the program cannot avoid the copy",
		fix, producer);
}

/* How to share the memory instead of a copy that the call requests. */
static const char *show_request_fix(const struct subject *subject)
{
	static const struct {
		const char *library, *fix;
	} fixes[] = {
		{ "torch",
			"call torch.from_numpy(a) or torch.as_tensor(a) instead of torch.tensor(a): they share the memory; use them where neither of the arrays is modified afterwards" },
		{ "jaxlib",
			"call jax.device_put(a) or jax.numpy.from_dlpack(a) instead of jax.numpy.array(a) or asarray(a): they share the memory if its type, order and alignment permit; use them where the array is not modified afterwards" },
		{ "numpy",
			"call numpy.asarray(a), without copy=True, where neither of the arrays is modified afterwards" },
		{ "scipy",
			"use the argument of the function that avoids the copy, such as overwrite_a=True or copy=False, if there is one and the array may be overwritten" },
		{ "sklearn",
			"pass copy=False or copy_X=False, as in StandardScaler(copy=False) and Ridge(copy_X=False), where the array is not used afterwards: they overwrite it" },
		{ "openvino",
			"for inputs, pass shared_memory=True, as in openvino.Tensor(a, shared_memory=True), where the array is not modified afterwards; for results, pass share_outputs=True, as in model(a, share_outputs=True), where they are not used after the next inference: it overwrites them" },
		{ "pandas",
			"pass copy=False, as in pandas.DataFrame(a, copy=False), where neither of the objects is modified afterwards" },
	};
	const char *consumer = call_site_of(subject)->consumer;

	for (size_t i = 0; i < ARRAY_SIZE(fixes); i++)
		if (fact_text_is(consumer, fixes[i].library))
			return fact_text_is(consumer, "numpy")
				       ? show_numpy_request_fix(subject, fixes[i].fix)
				       : fixes[i].fix;
	return arena_printf(subject->arena,
		"use the argument of %s that avoids the copy, such as copy=False, if there is one and the array may be shared",
		fact_text_or(consumer, "the consumer"));
}

/* The types of elements before and after a conversion, after a text; nothing if they are unknown.
 */
static const char *show_types(const struct subject *subject, long long n_conversions)
{
	const struct fact_call_site *site = call_site_of(subject);

	if (!site->converted_from || !site->converted_to)
		return "";
	return arena_printf(subject->arena, "%s%s instead of %s",
		n_conversions == 1 ? ": " : ", such as ", site->converted_to, site->converted_from);
}

static const char *show_type_fix(const struct subject *subject)
{
	const char *type = call_site_of(subject)->converted_to;
	const char *producer = call_site_of(subject)->producer;

	if (producer && !fact_text_is(producer, "numpy") && !fact_text_is(producer, "python"))
		return arena_printf(subject->arena,
			"create the array in %s with the type that the consumer uses%s, instead of converting it at each call%s",
			producer, type ? arena_printf(subject->arena, ", such as %s", type) : "",
			fact_text_is(call_site_of(subject)->consumer, "numpy")
				? "; or leave out the argument dtype of the call"
				: "");
	return arena_printf(subject->arena,
		"create the array with the type that the consumer uses%s, instead of converting it at each call",
		type ? arena_printf(subject->arena, ", such as numpy.zeros(n, dtype='%s')", type)
		     : "");
}

/* JAX requires an alignment of the memory, and other libraries one of the elements. */
static bool is_alignment_of_elements(const struct subject *subject, size_t i)
{
	return strcmp(copy_causes[i].cause, "alignment") == 0 &&
	       !fact_text_is(call_site_of(subject)->consumer, "jaxlib");
}

/* By a function of NumPy's C API instead of an interface. */
static bool is_export_as_array(const struct subject *subject, size_t i)
{
	return strcmp(copy_causes[i].cause, "export") == 0 &&
	       fact_text_is(call_site_of(subject)->protocol, "numpy-api");
}

static const char *show_copy_why(const struct subject *subject, size_t i)
{
	if (is_export_as_array(subject, i))
		return "the producer copies its memory to return it as an array of NumPy";
	if (is_alignment_of_elements(subject, i))
		return "the array's elements are not aligned, such as those of numpy.frombuffer(data, 'f8', offset=1)";
	if (strcmp(copy_causes[i].cause, "element-type") != 0)
		return copy_causes[i].why;
	return arena_printf(subject->arena, "%s%s", copy_causes[i].why,
		show_types(subject, fact_int_or(call_site_of(subject)->copied, 0)));
}

static const char *show_copy_fix(const struct subject *subject, size_t i)
{
	if (is_export_as_array(subject, i))
		return "call the function once, and keep the array that results: the program cannot avoid the copy";
	if (is_alignment_of_elements(subject, i))
		return "align the array once: a = numpy.require(a, requirements='A')";
	if (copy_causes[i].fix)
		return copy_causes[i].fix;
	return strcmp(copy_causes[i].cause, "requested") ? show_type_fix(subject)
							 : show_request_fix(subject);
}

/* A list of texts, with numbers if there are several, and one more. */
static const char *append_numbered(const struct subject *subject, const char *list, int number,
	bool is_numbered, const char *text)
{
	if (!is_numbered)
		return text;
	return arena_printf(subject->arena, "%s%s(%d) %s", list, *list ? "; " : "", number, text);
}

/* Replaces the general texts by those of the causes: each of them would make a copy by itself. The
 * fix of a cause has its number. */
static void explain_copies(const struct subject *subject, struct report *report)
{
	const struct fact_texts *causes = &call_site_of(subject)->copy_causes;
	const bool are_several = causes->n_items > 1;
	const char *why = "", *fix = "";
	int n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(copy_causes); i++) {
		if (!fact_texts_have(causes, copy_causes[i].cause))
			continue;
		n++;
		why = append_numbered(subject, why, n, are_several, show_copy_why(subject, i));
		fix = append_numbered(subject, fix, n, are_several, show_copy_fix(subject, i));
	}
	if (*fix) {
		rule_set_why(report, why);
		rule_set_fix(report, fix);
	}
}

static void trc_check_copies(const struct subject *subject, struct report *report)
{
	const struct fact_call_site *site = call_site_of(subject);

	explain_copies(subject, report);
	report_count(subject, report, &site->copied, &site->copied_bytes, "copied");
}

static void trc_check_types(const struct subject *subject, struct report *report)
{
	const struct fact_call_site *site = call_site_of(subject);

	if (fact_text_is(site->consumer, "jaxlib") || fact_text_is(site->consumer, "jax")) {
		rule_set_why(report,
			"a conversion to smaller elements loses precision or overflows without an error: JAX makes float32 of float64 by default");
		rule_set_fix(report,
			"convert the array explicitly where the loss is intended, or let JAX keep the type: jax.config.update('jax_enable_x64', True)");
	} else if (site->consumer) {
		rule_set_why(report,
			arena_printf(subject->arena,
				"a conversion to smaller elements loses precision or overflows without an error%s",
				show_types(subject, fact_int_or(site->narrowed, 0))));
		rule_set_fix(report,
			arena_printf(subject->arena,
				"convert the array explicitly where the loss is intended; otherwise pass the array's type to %s, if it accepts one as an argument",
				site->consumer));
	}
	report_count(subject, report, &site->narrowed, &site->narrowed_bytes,
		"converted to smaller or fewer elements");
}

static void trc_check_order(const struct subject *subject, struct report *report)
{
	const struct fact_call_site *site = call_site_of(subject);

	if (fact_text_is(site->protocol, PROTOCOL_SYCL)) {
		rule_set_why(report,
			"the interface passes the queue but no event, and requires neither library to wait: a consumer that reads the memory on the host, or from another queue, before it waits for this queue may read incomplete results");
		rule_set_fix(report,
			"call wait() of the queue before the array is passed; if the consumer waits for the queue itself, ignore the finding with a comment");
		report_count(subject, report, &site->unordered, &site->unordered_bytes,
			"passed without an event while work was pending on the queue");
		return;
	}
	rule_set_why(report,
		"the consumer was given no stream: unless it happens to use that of the pending work, or waits for it, it may read incomplete results");
	rule_set_fix(report,
		"pass the array by __dlpack__ with the consumer's stream, as from_dlpack of the consumer does, or let the consumer's stream wait for the producer's before the array is passed; if they are the same, ignore the finding with a comment");
	report_count(subject, report, &site->unordered, &site->unordered_bytes,
		"passed without a stream while work was pending on a stream of the producer");
}

/* A single array does not use up memory; one that a variable refers to is no error of C code. */
static void explain_leaks(const struct subject *subject, struct report *report)
{
	const struct fact_call_site *site = call_site_of(subject);

	if (site->holder)
		rule_set_fix(report,
			arena_printf(subject->arena,
				"drop the reference from %s before the program ends; if the memory is meant to be held until then, ignore the finding with a comment",
				site->holder));
	if (fact_int_or(site->leaked, 0) != 1)
		return;
	rule_set_why(report,
		fact_text_is(site->protocol, PROTOCOL_BUFFER)
			? "the consumer held the memory of this array until the process ended, and never released its buffer"
			: "the consumer held the memory of this array until the process ended, and its deleter was never called");
	if (!site->holder)
		rule_set_fix(report,
			"if the consumer holds the array for the whole program deliberately, as in a global variable, delete that before the program ends, or ignore the finding with a comment; otherwise find the reference that it does not drop");
}

static void trc_check_leaks(const struct subject *subject, struct report *report)
{
	const struct fact_call_site *site = call_site_of(subject);

	explain_leaks(subject, report);
	report_count(subject, report, &site->leaked, &site->leaked_bytes, "never released");
}

static void trc_check_releases(const struct subject *subject, struct report *report)
{
	report_count(subject, report, &call_site_of(subject)->released_twice, NULL,
		"released more than once");
}

static void trc_check_late_releases(const struct subject *subject, struct report *report)
{
	report_count(subject, report, &call_site_of(subject)->released_late, NULL,
		"released without the GIL while the interpreter was shutting down, or after that");
}

static void trc_check_consumption(const struct subject *subject, struct report *report)
{
	const struct fact_call_site *site = call_site_of(subject);

	report_count(subject, report, &site->unconsumed, &site->unconsumed_bytes,
		"exported and never used");
}

#define TRACE_RULE(...) RULE_ENTRY(FACT_EXCHANGE, __VA_ARGS__)

const struct rule trace_rules[] = {
	{
		TRACE_RULE("TRC702", "exchange-released-once", ERROR, MUST),
		.clause = CLAUSE_DLPACK_H "DLManagedTensorVersioned.deleter",
		.summary = "a library calls the deleter of a tensor that it received exactly once",
		.why = "the second call frees memory that may belong to another object by then",
		.fix = "rename the capsule before the tensor is kept, and call its deleter in one place of the library",
		.check = trc_check_releases,
	},
	{
		TRACE_RULE("TRC703", "exchange-released-in-time", WARNING, HAZARD),
		.clause = "derived from " CLAUSE_DLPACK_H "DLManagedTensorVersioned.deleter",
		.summary = "arrays of other libraries are released before the interpreter ends",
		.why = "a deleter that needs the interpreter crashes or hangs after it has ended",
		.fix = "drop the last reference before the program ends: keep no array in a global variable of C code or in a thread that outlives main()",
		.check = trc_check_late_releases,
	},
	{
		TRACE_RULE("TRC701", "exchange-released", WARNING, HAZARD),
		.clause = "derived from " CLAUSE_DLPACK_H "DLManagedTensorVersioned.deleter",
		.summary =
			"the memory of an array that was passed on is released before the process ends",
		.why = "the producer keeps the memory as long as the consumer holds it: a program that does so in a loop runs out of memory",
		.fix = "find what keeps the consumer's object alive, such as a cache, a cycle or a reference that its C code does not drop",
		.check = trc_check_leaks,
	},
	{
		TRACE_RULE("TRC601", "exchange-ordered", WARNING, HAZARD),
		.clause = "derived from " CLAUSE_SYCL_PAGE "syclobj; " CLAUSE_CUDA
			  "stream; " CLAUSE_DLPACK_PYTHON "Semantics",
		.summary =
			"no work is pending on an array that is passed without an event, and on CUDA without a stream",
		.why = "the interface passes a queue but no event, or no stream: a consumer that reads the memory on the host, or works on another queue or stream, before it waits for the pending work may read incomplete results",
		.fix = "call wait() of the queue, or synchronize the stream, before the array is passed, or pass the consumer's stream to __dlpack__; if the consumer waits itself, ignore the finding with a comment",
		.check = trc_check_order,
	},
	{
		TRACE_RULE("TRC201", "exchange-keeps-elements", WARNING, HAZARD),
		.clause = "derived from " CLAUSE_ARRAY_API "from_dlpack",
		.summary =
			"the array that a library receives has as many elements, of the same size, as the one that was passed",
		.why = "a conversion to smaller elements loses precision or overflows without an error",
		.fix = "convert the array explicitly where the loss is intended; otherwise pass the array's type to the consumer, if it accepts one as an argument",
		.check = trc_check_types,
	},
	{
		TRACE_RULE("TRC801", "exchange-shares-memory", WARNING, HAZARD),
		.clause = "derived from " CLAUSE_ARRAY_API "from_dlpack",
		.summary = "an array passes from one library to another without a copy",
		.why = "a copy takes time and memory, and what is written to one of the arrays does not appear in the other",
		.fix = "run 'suai why ARRAY CONSUMER' on this line's array: it prints the cause, and lines that share the memory if there are any",
		.check = trc_check_copies,
	},
	{
		TRACE_RULE("TRC704", "exchange-consumed", NOTE, HAZARD),
		.clause = "derived from " CLAUSE_DLPACK_PYTHON "Semantics",
		.summary = "a capsule that a library exports is used",
		.why = "an export that nothing uses may have needlessly copied memory or waited for a device",
		.fix = "pass the object, not its capsule, and do not call __dlpack__ only as a test; pass to a function of nanobind what the first of its signatures takes; if the consumer keeps capsules without renaming them, as nanoarrow does, ignore the finding",
		.check = trc_check_consumption,
	},
	{ .id = NULL },
};
