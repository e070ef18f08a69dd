// SPDX-License-Identifier: MIT
/*
 * Whether work is pending when an interface is read, and which stream waits for which, as the
 * trials of --live observed it: settled, order, copied, stream and odd-stream (docs/facts.md,
 * trials).
 */
#include "base/array_size.h"
#include "base/plural.h"
#include "rules/shared/dlpack_facts.h"
#include "rules/shared/lifetime.h"

#include <inttypes.h>
#include <string.h>

static void order_check_settled(const struct subject *subject, struct report *report)
{
	const struct fact_counts *counts = lifetime_counts(subject, report, "settled");
	long long n_compared = counts->compared_bytes.value;
	long long n_changed = counts->changed_bytes.value;
	long long n_held = counts->held_changed_bytes.value;

	if (n_changed > 0)
		rule_fail(report, NULL,
			"%lld of %lld compared byte%s changed between the read of the interface and the end of the work in the queue of syclobj",
			n_changed, n_compared, plural(n_compared));
	else if (n_held > 0)
		rule_fail(report, NULL,
			"reading the interface submits work and does not wait for it: %lld of %lld compared byte%s changed before the end of the work in the queue of syclobj",
			n_held, n_compared, plural(n_compared));
}

#define PRODUCER_STREAM_UNKNOWN \
	"the stream of the object's work is unknown: pass it with --producer-stream"

/* The number of runs with that verdict, for a question of counts.order or counts.copies. */
static int64_t count_verdict(const struct value *runs, const char *question, const char *verdict)
{
	return value_int_or(value_get(value_get(runs, question), verdict), 0);
}

static bool is_on_cuda(const struct subject *subject)
{
	struct dlpack_device device;

	return dlpack_declared_device(subject, &device) &&
	       (device.type == DLPACK_CUDA || device.type == DLPACK_CUDA_MANAGED);
}

/* The counts of a trial of a CUDA array; not present, with the rule skipped if the trial has
 * none. */
static const struct fact_counts *read_counts(
	const struct subject *subject, struct report *report, const char *trial)
{
	static const struct fact_counts none;

	return is_on_cuda(subject) ? lifetime_counts(subject, report, trial) : &none;
}

/* "stream 0x7f00"; NULL and 1 are counted as 1. Each device has its own default streams. */
static const char *show_stream(const struct subject *subject, uint64_t handle)
{
	const struct memory *memory = subject->memory;
	int64_t device = memory ? fact_int_or(memory->device_id, 0) : 0;

	if (handle != 1 && handle != 2)
		return arena_printf(subject->arena, "stream 0x%llx", (unsigned long long)handle);
	return arena_printf(subject->arena, "the %s default stream%s",
		handle == 1 ? "legacy" : "per-thread",
		device ? arena_printf(subject->arena, " of device %" PRId64, device) : "");
}

/* Why no run of a question was conclusive. call: "__dlpack__(stream=None)". */
static void skip_unknown_producer(const struct fact_counts *counts, struct report *report,
	const char *question, const char *call)
{
	if (!counts->producer.known)
		rule_skip(report, PRODUCER_STREAM_UNKNOWN);
	else if (count_verdict(counts->order, question, "same"))
		rule_skip(report,
			"%s: inconclusive, because CUDA itself orders the consumer's stream after the producer's: they are the same stream, or one is the legacy default stream and the other a blocking stream",
			call);
	else if (count_verdict(counts->order, question, "refused") ||
		 count_verdict(counts->order, question, "raised"))
		rule_skip(report, "%s raised an exception", call);
	else
		rule_skip(report, "%s: no run was conclusive", call);
}

/* Whether some run of the question was conclusive; fails if the consumer overtook the work. waits
 * is the subject: "after __dlpack__(stream=1), the legacy default stream". */
static bool check_waits(const struct subject *subject, const struct fact_counts *counts,
	struct report *report, const char *question, const char *waits)
{
	int64_t n_overtaken = count_verdict(counts->order, question, "no order");

	if (n_overtaken > 0)
		rule_fail(report, "stream",
			"%s does not wait for the object's pending work%s (%lld of %lld run%s)",
			waits,
			counts->told_by == STREAM_FROM_INTERFACE
				? arena_printf(subject->arena,
					  " on %s, which __cuda_array_interface__ declares",
					  show_stream(subject, counts->producer.value))
				: "",
			(long long)n_overtaken, (long long)fact_int_or(counts->rounds, n_overtaken),
			plural(fact_int_or(counts->rounds, n_overtaken)));
	return n_overtaken || count_verdict(counts->order, question, "ordered") ||
	       count_verdict(counts->order, question, "blocked");
}

/* Fails if elements changed after the consumer's stream had waited. event completes "after". */
static bool check_settled_order(
	const struct subject *subject, struct report *report, const char *event)
{
	const struct fact_counts *counts = &lifetime_trial(subject, "settled")->counts;
	long long n_changed = counts->changed_bytes.value;

	if (n_changed > 0)
		rule_fail(report, "stream", "%lld of %lld compared byte%s changed after %s",
			n_changed, (long long)fact_int_or(counts->compared_bytes, n_changed),
			plural(fact_int_or(counts->compared_bytes, n_changed)), event);
	return n_changed > 0;
}

/* Fails if the call blocked the host or broke a graph capture. */
static void check_host_not_blocked(const struct fact_counts *counts, struct report *report,
	const char *question, const char *call)
{
	const char *broken = value_text_or(value_get(counts->capture, question), NULL);
	int64_t n_blocked = count_verdict(counts->order, question, "blocked");

	if (n_blocked > 0)
		rule_fail(report, NULL,
			"%s completed only after the object's pending work (%lld of %lld run%s)",
			call, (long long)n_blocked,
			(long long)fact_int_or(counts->rounds, n_blocked),
			plural(fact_int_or(counts->rounds, n_blocked)));
	else if (broken)
		rule_fail(report, NULL,
			"%s raised an exception during a graph capture, or invalidated the capture: %s",
			call, broken);
	else if (!value_get(counts->capture, question) &&
		 !count_verdict(counts->order, question, "returned"))
		skip_unknown_producer(counts, report, question, call);
}

/* --- __cuda_array_interface__ --- */

static bool names_stream(const struct subject *subject)
{
	const struct value *stream = value_get(subject->declared, "stream");

	return stream && !value_is_null(stream);
}

static void order_check_named(const struct subject *subject, struct report *report)
{
	const struct fact_counts *counts;

	if (!names_stream(subject) || check_settled_order(subject, report,
					      "another stream had waited for the declared one"))
		return;
	counts = lifetime_counts(subject, report, "order");
	/* A stream named by the interface itself proves nothing about the interface. */
	if (counts->told_by == STREAM_FROM_INTERFACE)
		rule_skip(report, PRODUCER_STREAM_UNKNOWN);
	else if (counts->present && !check_waits(subject, counts, report, "read",
					    "a stream that waits for the declared one"))
		skip_unknown_producer(counts, report, "read", "reading the interface");
}

static void order_check_unnamed(const struct subject *subject, struct report *report)
{
	const struct fact_counts *counts;
	int64_t n_unnamed;

	if (names_stream(subject) || check_settled_order(subject, report,
					     "the interface was read, but no stream is declared"))
		return;
	counts = lifetime_counts(subject, report, "order");
	n_unnamed = count_verdict(counts->order, "read", "unnamed");
	if (n_unnamed > 0)
		rule_fail(report, "stream",
			"no stream is declared while work is pending on %s (%lld of %lld run%s)",
			show_stream(subject, counts->producer.value), (long long)n_unnamed,
			(long long)fact_int_or(counts->rounds, n_unnamed),
			plural(fact_int_or(counts->rounds, n_unnamed)));
	else if (counts->present && !count_verdict(counts->order, "read", "blocked"))
		skip_unknown_producer(counts, report, "read", "reading the interface");
}

static void order_check_reading_does_not_block(const struct subject *subject, struct report *report)
{
	const struct fact_counts *counts = lifetime_counts(subject, report, "order");

	if (counts->present)
		check_host_not_blocked(counts, report, "read", "reading the interface");
}

/* --- __dlpack__ --- */

static void order_check_none(const struct subject *subject, struct report *report)
{
	const struct fact_counts *counts = read_counts(subject, report, "order");

	if (counts->present && !check_waits(subject, counts, report, "None",
				       "after __dlpack__(stream=None), the legacy default stream"))
		skip_unknown_producer(counts, report, "None", "__dlpack__(stream=None)");
}

static void order_check_streams(const struct subject *subject, struct report *report)
{
	static const char *const questions[][2] = {
		{ "new", "the stream whose handle was passed to __dlpack__" },
		{ "1", "after __dlpack__(stream=1), the legacy default stream" },
		{ "2", "after __dlpack__(stream=2), the per-thread default stream" },
	};
	const struct fact_counts *counts;
	bool is_conclusive = false;

	if (!is_on_cuda(subject) || check_settled_order(subject, report,
					    "they were copied on the stream passed to __dlpack__"))
		return;
	counts = read_counts(subject, report, "order");
	for (size_t i = 0; counts->present && i < ARRAY_SIZE(questions); i++)
		is_conclusive |=
			check_waits(subject, counts, report, questions[i][0], questions[i][1]);
	if (counts->present && !is_conclusive)
		skip_unknown_producer(
			counts, report, "new", "__dlpack__ with the handle of a stream");
}

static void order_check_does_not_block(const struct subject *subject, struct report *report)
{
	const struct fact_counts *counts = read_counts(subject, report, "order");

	if (counts->present)
		check_host_not_blocked(counts, report, "-1", "__dlpack__(stream=-1)");
}

/* --- the C exchange API --- */

static bool has_exchange(const struct subject *subject)
{
	return value_is(value_get(subject->details, "exchange"), VALUE_MAP);
}

static void order_check_work_stream(const struct subject *subject, struct report *report)
{
	const struct fact_counts *counts;

	if (!has_exchange(subject))
		return;
	counts = read_counts(subject, report, "order");
	if (!counts->present)
		return;
	if (counts->told_by != STREAM_FROM_OPTION || !counts->producer.known)
		rule_skip(report,
			"the stream of the object's work was not passed with --producer-stream");
	else if (!counts->exchange_stream.known)
		rule_skip(report, "current_work_stream was not called, or failed");
	else if (counts->exchange_stream.value != counts->producer.value)
		rule_fail(report, "current_work_stream",
			"current_work_stream returned %s, but the object's work is on %s",
			show_stream(subject, counts->exchange_stream.value),
			show_stream(subject, counts->producer.value));
}

static void order_check_exchange_does_not_block(
	const struct subject *subject, struct report *report)
{
	const struct fact_counts *counts;

	if (!has_exchange(subject))
		return;
	counts = read_counts(subject, report, "order");
	if (counts->present)
		check_host_not_blocked(
			counts, report, "exchange", "a function of the exchange API");
}

static void order_check_copy_stream(const struct subject *subject, struct report *report)
{
	const struct fact_counts *counts = read_counts(subject, report, "copied");
	int64_t n_elsewhere = count_verdict(counts->copies, "new", "elsewhere");
	int64_t n_held = count_verdict(counts->copies, "new", "on it") +
			 count_verdict(counts->copies, "new", "blocked");

	/* A single one may be memory that contained such bytes before. */
	if (n_elsewhere > 1)
		rule_fail(report, "copy",
			"in %lld runs, the copy was complete while the passed stream was blocked, so it was not made on that stream",
			(long long)n_elsewhere);
	else if (counts->present && !n_held)
		rule_skip(report, "%s",
			count_verdict(counts->copies, "new", "shared")
				? "__dlpack__(copy=True) returned the memory of the array"
			: count_verdict(counts->copies, "new", "refused") ||
					count_verdict(counts->copies, "new", "raised")
				? "__dlpack__(copy=True) raised an exception"
				: "no copy was conclusive");
}

static void order_check_alive(const struct subject *subject, struct report *report)
{
	const struct fact_counts *counts = read_counts(subject, report, "stream");

	if (counts->alive_exported == ANSWER_NO)
		rule_fail(
			report, "stream", "the passed stream is no longer valid after the export");
	else if (counts->alive_deleted == ANSWER_NO)
		rule_fail(report, "stream",
			"the passed stream is no longer valid after the deleter has run");
}

static void order_check_odd_stream(const struct subject *subject, struct report *report)
{
	const char *answer = lifetime_trial(subject, "odd-stream")->counts.answer;
	struct dlpack_device device;

	if (fact_text_is(answer, "returned"))
		rule_fail(report, "stream",
			"__dlpack__(stream=-2) returned although no stream has the number -2");
	else if ((is_on_cuda(subject) || (dlpack_declared_device(subject, &device) &&
						 device.type == DLPACK_ROCM)) &&
		 !lifetime_check_step(subject, report, "odd-stream", NULL))
		lifetime_counts(subject, report, "odd-stream");
}

#define CLAUSE_REQUIREMENTS CLAUSE_CUDA "Interface Requirements"
#define CLAUSE_STREAM CLAUSE_ARRAY_API "array.__dlpack__ stream"

const struct rule order_rules[] = {
	{
		LIVE_RULE(PROTOCOL_SYCL, "SUAI602", "pending-writes", WARNING, HAZARD),
		.subsumed_by = { "SUAI303", "SUAI305", "SUAI306" },
		.clause =
			"derived from " CLAUSE_SYCL_PAGE "syclobj (does not mention pending work)",
		.summary =
			"the elements are complete when the interface is read: they do not change while the queue of syclobj finishes its "
			"work",
		.why = "the interface does not require consumers to wait: a consumer that accesses the elements immediately may get incomplete results, which differ from run to run",
		.fix = "wait for the work, or for the queue, in the property: self.sycl_queue.wait()",
		.check = order_check_settled,
	},
	{
		LIVE_RULE(PROTOCOL_CUDA, "CAI605", "stream-covers-work", ERROR, MUST),
		.clause = CLAUSE_REQUIREMENTS
		" (\"to ensure synchronization with all pending work\")",
		.summary =
			"a consumer that waits for the declared stream thereby waits for all pending work on the array",
		.why = "the consumer synchronizes as required, but may read incomplete results, which differ from run to run",
		.fix = "declare the stream on which the elements are written, or make the declared stream wait for it with "
		       "an event",
		.check = order_check_named,
	},
	{
		LIVE_RULE(PROTOCOL_CUDA, "CAI606", "stream-missing", ERROR, MUST),
		.clause = CLAUSE_REQUIREMENTS
		" (\"If there is no work enqueued on the data\"); stream (\"no synchronization is required\")",
		.summary = "stream is None or absent only if no work on the array is pending",
		.why = "the consumer does not wait, and may read incomplete results, which differ from run to run",
		.fix = "declare version 3 and the stream of the pending work, or wait for the work in the property",
		.check = order_check_unnamed,
	},
	{
		LIVE_RULE(PROTOCOL_CUDA, "CAI607", "read-does-not-block", WARNING, HAZARD),
		.clause = "derived from " CLAUSE_CUDA "Design Motivations",
		.summary =
			"reading the interface neither waits for pending work nor breaks a graph capture",
		.why = "every iteration of a loop that exports arrays waits for the device, or capturing the loop into a graph fails with an unrelated error (as with __dlpack__: nanobind#1241, pytorch#163242)",
		.fix = "declare the stream instead of waiting for it, and avoid calls that synchronize",
		.check = order_check_reading_does_not_block,
	},
	{
		LIVE_RULE(PROTOCOL_DLPACK, "DLP607", "none-is-legacy", ERROR, MUST),
		.clause = CLAUSE_STREAM " (\"producer must assume the legacy default stream\")",
		.summary =
			"on CUDA with stream=None, the call or the legacy default stream waits for the object's pending work",
		.why = "a consumer that passes None launches kernels on the legacy default stream, and may read incomplete results",
		.fix = "record an event on the array's stream, and make the legacy default stream wait for it",
		.check = order_check_none,
	},
	{
		LIVE_RULE(PROTOCOL_DLPACK, "DLP608", "stream-waits", ERROR, MUST),
		.clause = CLAUSE_STREAM " (\"ensure that operations can safely be performed\")",
		.summary =
			"on CUDA, the call or the passed stream waits for the object's pending work",
		.why = "the consumer launches kernels on the stream that it passed, and may read incomplete results",
		.fix = "with the array's device current, record an event on its stream, and make the passed stream wait for it",
		.check = order_check_streams,
	},
	{
		LIVE_RULE(PROTOCOL_DLPACK, "DLP609", "minus-one-does-not-block", ERROR, MUST),
		.clause = CLAUSE_STREAM " (\"producer must not perform any synchronization\")",
		.summary =
			"on CUDA with stream=-1, the call neither waits for pending work nor breaks a graph capture",
		.why = "consumers that pass -1 synchronize by other means, and rely on the call not to synchronize: otherwise the call waits for the device, or capturing it into a graph fails with an unrelated error",
		.fix = "if stream is -1, export without querying any stream or waiting for one",
		.check = order_check_does_not_block,
	},
	{
		LIVE_RULE(PROTOCOL_DLPACK, "DLP611", "copy-on-stream", WARNING, MUST),
		.clause = CLAUSE_ARRAY_API "array.__dlpack__ copy; array.__dlpack__ stream",
		.since = "array-api=2023.12",
		.summary = "on CUDA, a copy that copy=True requests is made on the passed stream",
		.why = "the copy is not ordered with the work on the passed stream: it may overwrite memory that earlier work still uses (cupy#8683), and kernels that the consumer launches may read an incomplete copy, unless the call waits for it",
		.fix = "allocate and copy on the consumer's stream, after making it wait for the array's stream",
		.check = order_check_copy_stream,
	},
	{
		LIVE_RULE(PROTOCOL_DLPACK, "DLP613", "stream-survives-export", ERROR, MUST),
		.clause =
			CLAUSE_STREAM " (\"The ownership of the stream stays with the consumer\")",
		.summary =
			"on CUDA, the passed stream is still valid after the export, and after the deleter of the export has run",
		.why = "the consumer's next call that uses the stream reports an invalid handle, or crashes in the driver",
		.fix = "wrap the handle without taking ownership: do not use an object that destroys its stream",
		.check = order_check_alive,
	},
	{
		LIVE_RULE(PROTOCOL_DLPACK, "DLP614", "negative-stream", WARNING, HAZARD),
		.clause = CLAUSE_STREAM " (\"an integer larger than or equal to -1\")",
		.summary = "on CUDA and ROCm, __dlpack__ refuses a stream below -1",
		.why = "only a consumer with a defect passes such a number: the driver may interpret it as an address and crash the process, or nothing is synchronized and no exception is raised",
		.fix = "if stream is not None and stream < -1: raise ValueError(stream)",
		.check = order_check_odd_stream,
	},
	{
		LIVE_RULE(PROTOCOL_DLPACK, "CXA602", "exchange-stream", ERROR, MUST),
		.requires = { "CXA003" },
		.clause = CLAUSE_DLPACK_H
		"DLPackCurrentWorkStream (\"Obtain the current work stream of a device\")",
		.summary =
			"on CUDA, current_work_stream returns the library's current stream for the device; suai compares it with the stream passed with --producer-stream",
		.why = "a consumer launches its kernels on the stream returned: if the elements are written on another one, it may read incomplete results",
		.fix = "return the library's current stream for the device, or NULL for the default stream; if the work on the array is on another stream, make the current one wait for it",
		.check = order_check_work_stream,
	},
	{
		LIVE_RULE(PROTOCOL_DLPACK, "CXA603", "exchange-does-not-block", ERROR, MUST),
		.requires = { "CXA003" },
		.clause = CLAUSE_DLPACK_H
		"DLPackManagedTensorFromPyObjectNoSync (\"does not perform any stream synchronization\"); DLPackExchangeAPI",
		.summary =
			"on CUDA, managed_tensor_from_py_object_no_sync, dltensor_from_py_object_no_sync and current_work_stream neither wait for pending work nor break a graph capture",
		.why = "the consumer itself synchronizes with the stream that current_work_stream returns: a function that waits makes each import wait for the device, and one that breaks a capture prevents the consumer from capturing its calls into a graph",
		.fix = "fill in the tensor, and leave synchronization to the caller",
		.check = order_check_exchange_does_not_block,
	},
	{ .id = NULL },
};
