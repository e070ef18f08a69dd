// SPDX-License-Identifier: MIT
/* DLP701 to DLP710: who frees an export, how often, and what is left (DLPack Python specification).
 */
#include "rules/lifetime.h"

static void check_dropped(const struct subject *subject, struct report *report)
{
	const struct value *counts = lifetime_counts(subject, report, "deleter");
	int64_t n_calls = value_int_or(value_get(counts, "dropped_calls"), 1);

	/* A destructor may free by another road than the deleter's pointer. */
	if (n_calls > 1 ||
		(n_calls == 0 && lifetime_leaks(subject, true) && !lifetime_leaks(subject, false)))
		rule_fail(report, "deleter",
			"a capsule that nobody consumed was dropped, and its deleter was called %lld "
			"times",
			(long long)n_calls);
}

static void check_used(const struct subject *subject, struct report *report)
{
	const struct value *counts = lifetime_counts(subject, report, "deleter");
	int64_t n_calls = value_int_or(value_get(counts, "used_calls"), 0);

	if (n_calls > 0)
		rule_fail(report, "capsule.destructor",
			"the destructor of a capsule that was renamed called the deleter, which is the "
			"consumer's to call");
}

static void check_released(const struct subject *subject, struct report *report)
{
	const struct value *counts = lifetime_counts(subject, report, "deleter");
	int64_t left = value_int_or(value_get(counts, "references_left"), 0);

	if (left > 0)
		rule_fail(report, "deleter",
			"after the deleter %lld reference%s to the object is left", (long long)left,
			left == 1 ? "" : "s");
	else if (left < 0)
		rule_fail(report, "deleter",
			"an export and its deleter take away %lld of the object's references",
			(long long)-left);
	else if (counts)
		lifetime_check_references(subject, report, "exports");
}

static void check_thread(const struct subject *subject, struct report *report)
{
	lifetime_check_survived(
		subject, report, "thread", "the deleter in a thread without the GIL");
}

static void check_exit(const struct subject *subject, struct report *report)
{
	lifetime_check_survived(subject, report, "exit", "the deleter after the interpreter's end");
}

static void check_independent(const struct subject *subject, struct report *report)
{
	const struct value *counts = lifetime_counts(subject, report, "deleter");

	if (value_bool_or(value_get(counts, "same_capsule"), false))
		rule_fail(report, "capsule", "two calls returned the same capsule");
	else if (value_bool_or(value_get(counts, "same_tensor"), false))
		rule_fail(report, "dl_tensor", "two capsules hold the same managed tensor");
}

static void check_outlives(const struct subject *subject, struct report *report)
{
	lifetime_check_kept(subject, report, "outlive", "the object is gone and an export is held");
}

static void check_flat(const struct subject *subject, struct report *report)
{
	lifetime_check_growth(subject, report, "exports");
}

#define DLPACK_LIFETIME(ID, NAME, SEVERITY, LEVEL) \
	LIFETIME_RULE("dlpack", ID, NAME, SEVERITY, LEVEL)
#define CLAUSE_CAPSULE CLAUSE_DLPACK_PYTHON "Implementation"

const struct rule dlpack_lifetime_rules[] = {
	{
		DLPACK_LIFETIME("DLP701", "deleter-once", ERROR, MUST),
		.clause = CLAUSE_CAPSULE,
		.says = "a capsule that nobody consumes calls the deleter once when it goes",
		.why = "without the call the array's memory is never freed; with two it is freed twice, and the process ends "
		       "later and elsewhere",
		.fix = "in the capsule's destructor call the deleter if the name is still dltensor or dltensor_versioned",
		.check = check_dropped,
	},
	{
		DLPACK_LIFETIME("DLP702", "used-capsule", ERROR, MUST),
		.clause = CLAUSE_CAPSULE,
		.says = "the destructor of a capsule that a consumer renamed does nothing",
		.why = "the consumer still uses the memory, and calls the deleter once more when it is done",
		.fix = "return at once where PyCapsule_IsValid says that the name is not the one you gave",
		.check = check_used,
	},
	{
		DLPACK_LIFETIME("DLP703", "owner-released", ERROR, MUST),
		.needs = { "DLP701", "DLP702" },
		.clause = CLAUSE_CAPSULE,
		.says = "the deleter gives back the references that the export took",
		.why = "every hand-over keeps the array for good, or takes it from those who still hold it",
		.fix = "take one reference to the owner for an export, and drop that one in the deleter",
		.check = check_released,
	},
	{
		DLPACK_LIFETIME("DLP705", "deleter-thread", ERROR, MUST),
		.clause = CLAUSE_CAPSULE,
		.says = "the deleter can be called in a thread that does not hold the GIL",
		.why = "consumers free in their own threads: the process ends with a segmentation fault, rarely, and far from "
		       "its cause (numpy#22507)",
		.fix = "call PyGILState_Ensure in the deleter before you touch an object",
		.check = check_thread,
	},
	{
		DLPACK_LIFETIME("DLP706", "deleter-at-exit", WARNING, SHOULD),
		.clause = CLAUSE_DLPACK_PYTHON "Reference Implementations",
		.says = "the deleter can be called after the interpreter has ended",
		.why = "a consumer that lives longer than Python, as a C++ program's globals do, crashes when it ends",
		.fix = "return where Py_IsInitialized() is 0",
		.check = check_exit,
	},
	{
		DLPACK_LIFETIME("DLP708", "independent-exports", ERROR, MUST),
		.clause = CLAUSE_CAPSULE,
		.says = "each call gives a capsule of its own",
		.why = "a capsule can be consumed once: the second consumer is refused, or memory is freed twice",
		.fix = "make a managed tensor and a capsule in every call",
		.check = check_independent,
	},
	{
		DLPACK_LIFETIME("DLP709", "export-outlives-object", ERROR, MUST),
		.said_by = { "DLP708" },
		.clause = CLAUSE_DLPACK_PYTHON "Semantics",
		.says = "an export keeps the memory after the object is gone",
		.why = "the consumer reads and writes memory that belongs to somebody else by then",
		.fix = "let the managed tensor hold the owner of the memory until its deleter is called",
		.check = check_outlives,
	},
	{
		DLPACK_LIFETIME("DLP710", "flat-memory", ERROR, HAZARD),
		.said_by = { "DLP701", "DLP703" },
		.clause = "derived from " CLAUSE_CAPSULE,
		.says = "exports that are given up leave no memory behind",
		.why = "a loop that hands arrays over grows until the process is killed",
		.fix = "free the managed tensor, its shape and its strides in the deleter",
		.check = check_flat,
	},
	{ .id = NULL },
};
