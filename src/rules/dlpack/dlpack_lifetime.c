// SPDX-License-Identifier: MIT
/* Who frees an export, how often, and what is left (DLPack Python specification). */
#include "base/plural.h"
#include "model/trials.h"
#include "rules/dlpack/dlpack.h"
#include "rules/shared/lifetime.h"

#include <string.h>

static void dlp_check_dropped(const struct subject *subject, struct report *report)
{
	const struct fact_counts *counts = &lifetime_trial(subject, "deleter")->counts;
	int64_t n_calls = fact_int_or(counts->dropped_calls, 1);

	if (lifetime_check_step(subject, report, "deleter", TRIAL_STEP_DROPPED))
		return;
	if (n_calls > 1)
		rule_fail(report, "deleter",
			"a capsule was dropped without being consumed, and its deleter was called %lld times, expected once",
			(long long)n_calls);
	/* A destructor may free without calling the deleter. */
	else if (n_calls == 0 && lifetime_leaks(subject, true) && !lifetime_leaks(subject, false))
		rule_fail(report, "deleter",
			"a capsule was dropped without being consumed, but its deleter was not called, and the export was not freed");
	else if (!counts->dropped_calls.known)
		lifetime_counts(subject, report, "deleter");
}

/* The control comes first: the deleter was called and returned without a destructor. So what is
 * lost here was freed by the destructor. */
static void dlp_check_used(const struct subject *subject, struct report *report)
{
	static const char field[] = "capsule.destructor";
	const struct fact_trial *trial = lifetime_trial(subject, "deleter");
	const char *outcome = trial->outcome == TRIAL_HUNG   ? "did not return"
			      : trial->outcome == TRIAL_LEFT ? "terminated the process"
							     : "crashed the process";
	const char *reason = fact_text_or(trial->error.message, "no reason reported");

	if (trial->counts.used_calls.value > 0)
		rule_fail(report, field,
			"the destructor of a renamed capsule called the deleter, which only the consumer may call");
	else if (trial->counts.used_kept == ANSWER_NO)
		rule_fail(report, field,
			"the destructor of a renamed capsule freed or changed the managed tensor, which the consumer still uses");
	else if (lifetime_lost_in(subject, "deleter", TRIAL_STEP_USED))
		rule_fail(report, field, "the destructor of a renamed capsule %s: %s", outcome,
			reason);
	else if (lifetime_lost_in(subject, "deleter", TRIAL_STEP_USED_DELETER))
		rule_fail(report, field,
			"the destructor of a renamed capsule freed or changed memory that the deleter uses: the deleter %s when called after the destructor (%s), but returned when called without it",
			outcome, reason);
	else if (!trial->counts.used_calls.known)
		lifetime_counts(subject, report, "deleter");
}

static void dlp_check_released(const struct subject *subject, struct report *report)
{
	int64_t left = lifetime_trial(subject, "deleter")->counts.references_left.value;

	if (left > 0)
		rule_fail(report, "deleter",
			"an export and its deleter leaked %lld reference%s to the object",
			(long long)left, plural(left));
	else if (left < 0)
		rule_fail(report, "deleter",
			"an export and its deleter released %llu reference%s to the object that they had not acquired",
			-(unsigned long long)left, left == -1 ? "" : "s");
	else
		lifetime_check_references(subject, report, "exports");
}

/* Any memory may grow; an address that is never used again and keeps its contents is the managed
 * tensor's. */
static void dlp_check_freed(const struct subject *subject, struct report *report)
{
	const struct fact_counts *counts = lifetime_counts(subject, report, "deleter");
	int64_t n_exports = counts->exports.value;

	if (n_exports && counts->tensors.value == n_exports && counts->kept.value == n_exports &&
		lifetime_leaks(subject, false))
		rule_fail(report, "deleter",
			"%lld exports, each released before the next, leaked %lld managed tensors",
			(long long)n_exports, (long long)n_exports);
}

static void check_deleter_elsewhere(
	const struct subject *subject, struct report *report, const char *trial, const char *step)
{
	if (lifetime_lost_in(subject, trial, step) &&
		lifetime_lost_in(subject, "deleter", TRIAL_STEP_DELETER))
		rule_skip(report,
			"the deleter fails even with the GIL held in a running interpreter (see DLP712)");
	else if (!lifetime_check_step(subject, report, trial, step))
		lifetime_counts(subject, report, trial);
}

static void dlp_check_thread(const struct subject *subject, struct report *report)
{
	check_deleter_elsewhere(subject, report, "thread", TRIAL_STEP_THREAD);
}

static void dlp_check_exit(const struct subject *subject, struct report *report)
{
	check_deleter_elsewhere(subject, report, "exit", TRIAL_STEP_EXIT_DELETER);
}

/* The call that returned a capsule that was still held; or NULL. */
static const struct fact_call *find_repeated_capsule(const struct subject *subject)
{
	const struct fact_call_list *calls = &subject->target->calls;

	for (size_t i = 0; i < calls->n_items; i++)
		if (calls->items[i].returned_again == ANSWER_YES)
			return &calls->items[i];
	return NULL;
}

static void dlp_check_independent(const struct subject *subject, struct report *report)
{
	const struct fact_trial *trial = lifetime_trial(subject, "deleter");
	const struct fact_call *again = find_repeated_capsule(subject);

	if (again)
		rule_fail(report, "capsule", "%s returned the capsule of an earlier call",
			again->step);
	else if (trial->counts.same_capsule == ANSWER_YES)
		rule_fail(report, "capsule", "two calls of __dlpack__ returned the same capsule");
	else if (trial->counts.same_tensor == ANSWER_YES)
		rule_fail(report, "dl_tensor", "two capsules point to the same managed tensor");
	else if (lifetime_lost_in(subject, "deleter", TRIAL_STEP_SECOND_DELETER))
		lifetime_check_step(subject, report, "deleter", TRIAL_STEP_SECOND_DELETER);
	else if (trial->present && trial->counts.same_tensor == ANSWER_UNKNOWN)
		lifetime_counts(subject, report, "deleter");
}

static void dlp_check_outlives(const struct subject *subject, struct report *report)
{
	lifetime_check_kept(subject, report, "outlive",
		"the release of the object, although an export is alive");
}

/* All deleters of newer versions are one step: which of them crashed is unknown. */
static void dlp_check_newer(const struct subject *subject, struct report *report)
{
	const struct fact_call_list *calls = &subject->target->calls;
	bool is_lost = subject->target->status == STATUS_CRASHED &&
		       fact_text_is(subject->target->step, CALLS_STEP_NEWER_DELETER);
	const struct fact_call *first = NULL;
	size_t n_calls = 0;

	for (size_t i = 0; i < calls->n_items; i++) {
		if (!fact_text_is(calls->items[i].newer_deleter, is_lost ? "code" : "data"))
			continue;
		first = first ? first : &calls->items[i];
		n_calls++;
	}
	if (n_calls > 1 && is_lost)
		rule_fail(report, "deleter",
			"%zu calls returned tensors of a newer major version, the first %s, and the deleter of one of these tensors crashed",
			n_calls, first->step);
	else if (first)
		rule_fail(report, "deleter", "%s returned a tensor of major version %lld, %s",
			first->step, (long long)dlpack_call_major(first),
			is_lost ? "and its deleter crashed"
				: "but the address in its deleter field is not executable");
}

static void dlp_check_flat(const struct subject *subject, struct report *report)
{
	lifetime_check_growth(subject, report, "exports");
}

#define DLPACK_LIFETIME(ID, NAME, SEVERITY, LEVEL) \
	LIFETIME_RULE(PROTOCOL_DLPACK, ID, NAME, SEVERITY, LEVEL)
#define CLAUSE_CAPSULE CLAUSE_DLPACK_PYTHON "Implementation"

const struct rule dlpack_lifetime_rules[] = {
	{
		DLPACK_LIFETIME("DLP701", "deleter-once", ERROR, MUST),
		.subsumed_by = { "DLP106" },
		.clause = CLAUSE_CAPSULE,
		.summary =
			"the destructor of a capsule that was not consumed calls the deleter once, or frees the export without it",
		.why = "if nothing frees the export, it leaks and keeps the array alive; a second call frees memory twice, and the process may crash later in unrelated code",
		.fix = "in the capsule's destructor, call the deleter if the name is still dltensor or dltensor_versioned",
		.check = dlp_check_dropped,
	},
	{
		DLPACK_LIFETIME("DLP702", "renamed-capsule", ERROR, MUST),
		.clause = CLAUSE_CAPSULE,
		.summary = "the destructor of a capsule that a consumer renamed does nothing",
		.why = "the consumer still uses the memory, and calls the deleter itself: memory is used after it was freed, and freed twice",
		.fix = "in the capsule's destructor, return immediately unless PyCapsule_IsValid(capsule, name) is 1 for the name that the capsule was created with",
		.check = dlp_check_used,
	},
	{
		DLPACK_LIFETIME("DLP703", "owner-released", ERROR, MUST),
		.requires = { "DLP701", "DLP702" },
		.clause = CLAUSE_CAPSULE,
		.summary = "the deleter releases exactly the references that the export acquired",
		.why = "every export leaks the array, or releases references of other code, so that the array is freed while it is in use",
		.fix = "take one reference to the owner for each export, and release it in the deleter",
		.check = dlp_check_released,
	},
	{
		DLPACK_LIFETIME("DLP704", "deleter-frees-itself", WARNING, MUST),
		.subsumed_by = { "DLP701", "DLP703" },
		.clause = CLAUSE_DLPACK_H
		"DLManagedTensorVersioned.deleter (\"The destructor deletes the argument self as well\")",
		.summary = "the deleter frees the managed tensor itself",
		.why = "every export leaks the struct: consumers do not free it themselves, because that crashes if the deleter frees it as well (dlpack#39)",
		.fix = "free the managed tensor as the last step of the deleter",
		.check = dlp_check_freed,
	},
	{
		DLPACK_LIFETIME("DLP705", "deleter-thread", ERROR, MUST),
		.clause = CLAUSE_CAPSULE,
		.summary = "the deleter can be called from a thread that does not hold the GIL",
		.why = "consumers may release exports in threads that do not hold the GIL: the process may crash, far from the cause (numpy#22507)",
		.fix = "in the deleter, call PyGILState_Ensure before any other function of the Python API, and PyGILState_Release after the last",
		.check = dlp_check_thread,
	},
	{
		DLPACK_LIFETIME("DLP706", "deleter-at-exit", WARNING, SHOULD),
		.clause = CLAUSE_DLPACK_PYTHON "Reference Implementations",
		.summary = "the deleter can be called after the interpreter has been finalized",
		.why = "a consumer that outlives the interpreter, such as a static object of a C++ program, crashes or hangs when it releases the tensor",
		.fix = "if Py_IsInitialized() is 0, return from the deleter without calling any other function of the Python API",
		.check = dlp_check_exit,
	},
	{
		INTERFACE_RULE(
			PROTOCOL_DLPACK, FACT_STRUCT, "DLP708", "independent-exports", ERROR, MUST),
		.optional_facts = FACT_LIFETIME,
		.clause = CLAUSE_CAPSULE,
		.summary =
			"each call of __dlpack__ returns a new capsule that points to a new managed tensor",
		.why = "a capsule can be consumed only once: a second consumer rejects it, or memory is freed twice",
		.fix = "create a managed tensor and a capsule in every call",
		.check = dlp_check_independent,
	},
	{
		DLPACK_LIFETIME("DLP709", "export-outlives-object", ERROR, MUST),
		.subsumed_by = { "DLP307", "DLP708" },
		.clause = CLAUSE_DLPACK_PYTHON "Semantics",
		.summary = "an export keeps the memory alive after the object is released",
		.why = "the consumer accesses freed memory: it crashes, or reads and overwrites data of other code",
		.fix = "let the managed tensor hold a reference to the owner of the memory until its deleter is called",
		.check = dlp_check_outlives,
	},
	{
		DLPACK_LIFETIME("DLP710", "export-leaks", ERROR, HAZARD),
		.subsumed_by = { "DLP101", "DLP102", "DLP105", "DLP701", "DLP703", "DLP704" },
		.clause = "derived from " CLAUSE_CAPSULE,
		.summary = "released exports do not leak memory",
		.why = "the memory use of a loop that exports arrays grows without bound",
		.fix = "free in the deleter all that the export allocated: the managed tensor, its shape and strides, and a copy of the elements if it made one",
		.check = dlp_check_flat,
	},
	{
		DLPACK_RULE("DLP711", "newer-deleter", ERROR, MUST),
		.optional_facts = FACT_CALLS,
		.clause = CLAUSE_DLPACK_H
		"DLPackVersion (\"the consumer must call the deleter\" if the major version differs); "
		"DLManagedTensorVersioned.deleter",
		.summary =
			"in a tensor of a newer major version, the deleter is at the same offset as in version 1, and is NULL or can be called",
		.why = "a consumer that does not support the version can only release the tensor: it calls the address at that offset",
		.fix = "keep version, manager_ctx and deleter as the first three fields of every new layout",
		.check = dlp_check_newer,
	},
	{
		DLPACK_LIFETIME("DLP712", "many-exports", ERROR, MUST),
		.alternative_facts = FACT_LIVE,
		.subsumed_by = { "DLP105", "DLP701", "DLP702", "DLP703", "DLP708" },
		.clause = CLAUSE_DLPACK_PYTHON "Semantics",
		.summary =
			"exporting an object, and releasing the export and the object, never crashes, exits or hangs the process, however often it is repeated",
		.why = "the consumer's process crashes, exits or hangs, possibly long after the export that caused it",
		.fix = "run only the trial that failed, under a debugger, for example: suai validate --lifetime --only-step 'trial rounds of dlpack' --wrap 'gdb "
		       "-ex run --args'",
		.check = lifetime_check_survived,
	},
	{ .id = NULL },
};
