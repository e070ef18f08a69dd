// SPDX-License-Identifier: MIT
/*
 * Whether work is pending when an interface is read, and which stream waits for which, as the
 * trials of --live observed it: settled, order, copied, stream and odd-stream (docs/facts.md,
 * trials).
 */
#include "base/array_size.h"
#include "rules/shared/dlpack_facts.h"
#include "rules/shared/lifetime.h"

#include <string.h>

static void order_check_settled(const struct subject *subject, struct report *report)
{
	const struct fact_counts *counts = lifetime_counts(subject, report, "settled");
	long long n_compared = counts->compared_bytes.value;
	long long n_changed = counts->changed_bytes.value;
	long long n_held = counts->held_changed_bytes.value;

	if (n_changed > 0)
		rule_fail(report, NULL,
			"%lld of %lld bytes changed after the interface was read and before the queue of syclobj was idle",
			n_changed, n_compared);
	else if (n_held > 0)
		rule_fail(report, NULL,
			"reading the interface submits work and does not wait for it: %lld of %lld bytes changed before the queue of "
			"syclobj was idle",
			n_held, n_compared);
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

/* Why no run of a question was conclusive. */
static void skip_unknown_producer(const struct fact_counts *counts, struct report *report,
	const char *question, const char *what)
{
	if (!counts->producer.known)
		rule_skip(report, PRODUCER_STREAM_UNKNOWN);
	else if (count_verdict(counts->order, question, "same"))
		rule_skip(report,
			"%s: inconclusive, because CUDA itself orders the two streams: they are the same stream, or one is the legacy default stream and the other a blocking stream",
			what);
	else if (count_verdict(counts->order, question, "refused") ||
		 count_verdict(counts->order, question, "raised"))
		rule_skip(report, "%s raised an exception", what);
	else
		rule_skip(report, "%s: no run was conclusive", what);
}

/* Whether some run of the question was conclusive; fails if the consumer overtook the work. */
static bool check_waits(const struct fact_counts *counts, struct report *report,
	const char *question, const char *what)
{
	int64_t n_overtaken = count_verdict(counts->order, question, "no order");

	if (n_overtaken > 0)
		rule_fail(report, "stream",
			"%s does not wait for the object's pending work (%lld of %lld runs)", what,
			(long long)n_overtaken,
			(long long)fact_int_or(counts->rounds, n_overtaken));
	return n_overtaken || count_verdict(counts->order, question, "ordered") ||
	       count_verdict(counts->order, question, "blocked");
}

/* Fails if elements changed after the consumer's stream had waited. */
static bool check_settled_order(
	const struct subject *subject, struct report *report, const char *waited)
{
	const struct fact_counts *counts = &lifetime_trial(subject, "settled")->counts;
	long long n_changed = counts->changed_bytes.value;

	if (n_changed > 0)
		rule_fail(report, "stream", "%s, but %lld of %lld bytes changed later", waited,
			n_changed, (long long)fact_int_or(counts->compared_bytes, n_changed));
	return n_changed > 0;
}

/* Fails if the call blocked the host or broke a graph capture. */
static void check_host_not_blocked(const struct fact_counts *counts, struct report *report,
	const char *question, const char *what)
{
	const char *broken = value_text_or(value_get(counts->capture, question), NULL);
	int64_t n_blocked = count_verdict(counts->order, question, "blocked");

	if (n_blocked > 0)
		rule_fail(report, NULL,
			"%s returns only after the object's work is done (%lld of %lld runs)", what,
			(long long)n_blocked, (long long)fact_int_or(counts->rounds, n_blocked));
	else if (broken)
		rule_fail(report, NULL, "%s breaks an active graph capture: %s", what, broken);
	else if (!value_get(counts->capture, question) &&
		 !count_verdict(counts->order, question, "returned"))
		skip_unknown_producer(counts, report, question, what);
}

/* --- __cuda_array_interface__ --- */

static bool names_stream(const struct subject *subject)
{
	const struct value *stream = value_get(subject->declared, "stream");

	return stream && !value_is_null(stream);
}

static void order_check_named(const struct subject *subject, struct report *report)
{
	const char *what = "a consumer that waits for the declared stream";
	const struct fact_counts *counts;

	if (!names_stream(subject) ||
		check_settled_order(subject, report, "a stream waited for the declared one"))
		return;
	counts = lifetime_counts(subject, report, "order");
	/* A stream named by the interface itself proves nothing about the interface. */
	if (counts->told_by == STREAM_FROM_INTERFACE)
		rule_skip(report, PRODUCER_STREAM_UNKNOWN);
	else if (counts->present && !check_waits(counts, report, "read", what))
		skip_unknown_producer(counts, report, "read", what);
}

static void order_check_unnamed(const struct subject *subject, struct report *report)
{
	const struct fact_counts *counts;
	int64_t n_unnamed;

	if (names_stream(subject) || check_settled_order(subject, report, "no stream is declared"))
		return;
	counts = lifetime_counts(subject, report, "order");
	n_unnamed = count_verdict(counts->order, "read", "unnamed");
	if (n_unnamed > 0)
		rule_fail(report, "stream",
			"no stream is declared while work is pending on 0x%llx (%lld of %lld runs)",
			(unsigned long long)counts->producer.value, (long long)n_unnamed,
			(long long)fact_int_or(counts->rounds, n_unnamed));
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
	const char *what = "with stream=None the legacy default stream";
	const struct fact_counts *counts = read_counts(subject, report, "order");

	if (counts->present && !check_waits(counts, report, "None", what))
		skip_unknown_producer(counts, report, "None", what);
}

static void order_check_streams(const struct subject *subject, struct report *report)
{
	static const char *const questions[][2] = {
		{ "new", "the stream whose handle was passed" },
		{ "1", "with stream=1 the legacy default stream" },
		{ "2", "with stream=2 the default stream of the thread" },
	};
	const struct fact_counts *counts;
	bool is_conclusive = false;

	if (!is_on_cuda(subject) ||
		check_settled_order(subject, report, "a stream was passed to the export"))
		return;
	counts = read_counts(subject, report, "order");
	for (size_t i = 0; counts->present && i < ARRAY_SIZE(questions); i++)
		is_conclusive |= check_waits(counts, report, questions[i][0], questions[i][1]);
	if (counts->present && !is_conclusive)
		skip_unknown_producer(counts, report, "new", questions[0][1]);
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
	if (counts->told_by != STREAM_FROM_OPTION || !counts->exchange_stream.known ||
		!counts->producer.known)
		rule_skip(report,
			"the stream of the object's work was not passed with --producer-stream");
	else if (counts->exchange_stream.value != counts->producer.value)
		rule_fail(report, "current_work_stream",
			"current_work_stream returned 0x%llx, but the object's work is on 0x%llx",
			(unsigned long long)counts->exchange_stream.value,
			(unsigned long long)counts->producer.value);
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
			"a copy was complete while the passed stream was blocked (%lld runs): it was made on another stream",
			(long long)n_elsewhere);
	else if (counts->present && !n_held)
		rule_skip(report, "no copy was conclusive");
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
			"__dlpack__(stream=-2) returned although -2 is not a stream");
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
		.clause =
			"derived from " CLAUSE_SYCL_PAGE "syclobj (does not mention pending work)",
		.summary =
			"the elements are complete when the interface is read: they do not change while the queue of syclobj finishes its "
			"work",
		.why = "the interface does not require consumers to wait: one that reads immediately may get incomplete results, which differ from run to run",
		.fix = "wait for the work, or for the queue, in the property: self.sycl_queue.wait()",
		.check = order_check_settled,
	},
	{
		LIVE_RULE(PROTOCOL_CUDA, "CAI605", "stream-covers-work", ERROR, MUST),
		.clause = CLAUSE_REQUIREMENTS
		" (\"to ensure synchronization with all pending work\")",
		.summary =
			"a consumer that waits for stream waits for all pending work on the object",
		.why = "the consumer synchronizes as required, but reads incomplete results that differ from run to run",
		.fix = "declare the stream on which the elements are written, or make the declared stream wait for it with "
		       "an event",
		.check = order_check_named,
	},
	{
		LIVE_RULE(PROTOCOL_CUDA, "CAI606", "stream-missing", ERROR, MUST),
		.clause = CLAUSE_REQUIREMENTS
		" (\"If there is no work enqueued on the data\"); stream (\"no synchronization is required\")",
		.summary = "stream is None or absent only if none of the object's work is pending",
		.why = "the consumer does not wait, and reads incomplete results that differ from run to run",
		.fix = "declare the stream of the pending work, with version 3, or wait for it in the property",
		.check = order_check_unnamed,
	},
	{
		LIVE_RULE(PROTOCOL_CUDA, "CAI607", "read-does-not-block", WARNING, HAZARD),
		.clause = "derived from " CLAUSE_CUDA "Design Motivations",
		.summary =
			"reading the interface neither waits for the device nor breaks a graph capture",
		.why = "a loop that exports arrays runs at the speed of the device, and capturing it into a graph fails with an "
		       "unrelated error (nanobind#1241, pytorch#163242)",
		.fix = "declare the stream instead of waiting for it, and avoid calls that synchronize",
		.check = order_check_reading_does_not_block,
	},
	{
		LIVE_RULE(PROTOCOL_DLPACK, "DLP607", "none-is-legacy", ERROR, MUST),
		.clause = CLAUSE_STREAM " (\"producer must assume the legacy default stream\")",
		.summary =
			"with stream=None, the legacy default stream waits for the object's pending work",
		.why = "a consumer that passes None launches kernels on that stream, and reads incomplete results",
		.fix = "record an event on the array's stream, and make the legacy default stream wait for it",
		.check = order_check_none,
	},
	{
		LIVE_RULE(PROTOCOL_DLPACK, "DLP608", "stream-waits", ERROR, MUST),
		.clause = CLAUSE_STREAM " (\"ensure that operations can safely be performed\")",
		.summary = "the passed stream waits for the object's pending work",
		.why = "the consumer launches kernels on that stream immediately, and reads incomplete results",
		.fix = "record an event on the array's stream, and make the passed stream wait for it",
		.check = order_check_streams,
	},
	{
		LIVE_RULE(PROTOCOL_DLPACK, "DLP609", "minus-one-does-not-block", ERROR, MUST),
		.clause = CLAUSE_STREAM " (\"producer must not perform any synchronization\")",
		.summary =
			"with stream=-1, the call neither waits for the device nor breaks a graph capture",
		.why = "consumers that pass -1 synchronize by other means, and rely on the call not to synchronize: capturing the call into a graph fails with an unrelated error",
		.fix = "if stream is -1, return before querying or waiting for any stream",
		.check = order_check_does_not_block,
	},
	{
		LIVE_RULE(PROTOCOL_DLPACK, "DLP611", "copy-on-stream", WARNING, MUST),
		.clause = CLAUSE_ARRAY_API "array.__dlpack__ copy; array.__dlpack__ stream",
		.since = "array-api=2023.12",
		.summary = "a copy is made on the passed stream",
		.why = "the copy may get memory that earlier work on the stream still uses, and is not ordered with the kernels that the consumer launches (cupy#8683)",
		.fix = "allocate and copy on the consumer's stream, after making it wait for the array's stream",
		.check = order_check_copy_stream,
	},
	{
		LIVE_RULE(PROTOCOL_DLPACK, "DLP613", "stream-survives-export", ERROR, MUST),
		.clause =
			CLAUSE_STREAM " (\"The ownership of the stream stays with the consumer\")",
		.summary =
			"the passed stream is still valid after the export and after its deleter has run",
		.why = "the consumer's next launch on the stream fails with an invalid handle, or crashes in the driver",
		.fix = "wrap the handle without taking ownership: do not use an object that destroys its stream",
		.check = order_check_alive,
	},
	{
		LIVE_RULE(PROTOCOL_DLPACK, "DLP614", "negative-stream", WARNING, HAZARD),
		.clause = CLAUSE_STREAM " (\"a positive integer or -1\")",
		.summary = "on CUDA and ROCm, a stream below -1 is refused",
		.why = "the driver interprets the number as an address and the process crashes, or nothing is synchronized and no error is raised; consumers must not pass such a number, so it is always a mistake",
		.fix = "if stream is not None and stream < -1: raise ValueError(stream)",
		.check = order_check_odd_stream,
	},
	{
		LIVE_RULE(PROTOCOL_DLPACK, "CXA602", "exchange-stream", ERROR, MUST),
		.requires = { "CXA003" },
		.clause = CLAUSE_DLPACK_H "DLPackExchangeAPI",
		.summary = "current_work_stream returns the stream that the framework works on",
		.why = "callers order their kernels after the work of a stream other than the one on which the elements are written",
		.fix = "return the framework's current stream of that device, or NULL for the default stream",
		.check = order_check_work_stream,
	},
	{
		LIVE_RULE(PROTOCOL_DLPACK, "CXA603", "exchange-does-not-block", ERROR, MUST),
		.requires = { "CXA003" },
		.clause = CLAUSE_DLPACK_H "DLPackExchangeAPI",
		.summary =
			"functions whose names end in _no_sync, and current_work_stream, neither wait for the device nor break a graph "
			"capture",
		.why = "the consumer synchronizes with current_work_stream itself: a call that waits slows every function "
		       "call down to the speed of the device",
		.fix = "fill in the tensor, and leave synchronization to the caller",
		.check = order_check_exchange_does_not_block,
	},
	{ .id = NULL },
};
