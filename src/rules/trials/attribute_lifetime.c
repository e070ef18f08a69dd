// SPDX-License-Identifier: MIT
/* Dictionaries read repeatedly, what keeps their memory alive, and buffers acquired and released.
 */
#include "base/text.h"
#include "rules/shared/lifetime.h"

static void lifetime_check_sycl_same(const struct subject *subject, struct report *report)
{
	lifetime_check_same(subject, report, "syclobj");
}

static void lifetime_check_cuda_same(const struct subject *subject, struct report *report)
{
	lifetime_check_same(subject, report, "stream");
}

static void lifetime_check_stream(const struct subject *subject, struct report *report)
{
	const struct fact_counts *counts;

	if (value_is_null(value_get(subject->declared, "stream")))
		return;
	counts = lifetime_counts(subject, report, "held-stream");
	if (counts->present && counts->valid_held == ANSWER_UNKNOWN)
		rule_skip(report, "whether the declared stream is valid could not be determined");
	else if (counts->valid_held == ANSWER_YES && counts->valid_dropped == ANSWER_NO)
		rule_fail(report, "stream",
			"the declared stream is no longer valid after the release of the dictionary, although the object is alive");
}

/* The dictionary may hold a reference to the owner under a custom key. */
static bool has_custom_keys(const struct value *declared)
{
	static const char known[] = "shape typestr data version strides descr mask stream";

	for (size_t i = 0; value_is(declared, VALUE_MAP) && i < declared->n_items; i++)
		if (!text_lists_word(known, declared->keys[i]))
			return true;
	return false;
}

static void lifetime_check_holder(const struct subject *subject, struct report *report)
{
	const struct fact_counts *counts = lifetime_counts(subject, report, "rounds");

	if (fact_int_or(counts->beside, 1) == 0 && !has_custom_keys(subject->declared))
		rule_fail(report, "data",
			"__cuda_array_interface__ is the only attribute in the object's __dict__, and the dictionary has no key for the owner of the memory");
}

static void lifetime_check_fresh_capsule(const struct subject *subject, struct report *report)
{
	if (lifetime_counts(subject, report, "rounds")->same_capsule == ANSWER_YES)
		rule_fail(report, "syclobj", "two reads returned the same capsule in syclobj");
}

static void lifetime_check_owner(const struct subject *subject, struct report *report)
{
	lifetime_check_kept(subject, report, "owner",
		"the release of the dictionary, although the object is alive");
}

/* NumPy keeps a reference to `data` if it is a buffer, such as the bytes of Pillow's images. */
static void lifetime_check_memory_owner(const struct subject *subject, struct report *report)
{
	const struct value *data = value_get(subject->declared, "data");

	if (value_is_null(data) || value_is_sequence(data))
		lifetime_check_owner(subject, report);
}

static void lifetime_check_reads_leave_nothing(const struct subject *subject, struct report *report)
{
	if (!lifetime_loses_references(subject))
		lifetime_check_references(subject, report, "reads");
	lifetime_check_growth(subject, report, "reads");
}

/* A buffer without an owner is never released: PyBuffer_Release does nothing, and nothing but a
 * reference to None ends if None is the owner. */
static bool has_owner(const struct subject *subject, struct report *report)
{
	const struct value *records = value_get(subject->details, "requests");

	if (value_is_text(value_get(subject->details, "exporter"), "NoneType")) {
		rule_fail(report, "obj", "PyBUF_FULL_RO is granted but obj is None");
		return false;
	}
	for (size_t i = 0; value_is_sequence(records) && i < records->n_items; i++) {
		const struct value *record = records->items[i];

		if (!value_is_text(value_get(record, "outcome"), "returned") ||
			value_bool_or(value_get(record, "owned"), true))
			continue;
		rule_fail(report, "obj", "%s is granted but obj is NULL",
			value_text_or(value_get(record, "request"), "?"));
		return false;
	}
	return true;
}

static void lifetime_check_balanced(const struct subject *subject, struct report *report)
{
	if (!has_owner(subject, report))
		return;
	if (lifetime_check_step(subject, report, "rounds", NULL))
		return;
	lifetime_check_references(subject, report, "acquired and released buffers");
	lifetime_check_growth(subject, report, "acquired and released buffers");
}

/* Fields of the rules that reading an attribute repeatedly does not harm the process. */
#define MANY_READS(PROTOCOL)                                                                                                                    \
	.alternative_facts = FACT_LIVE,                                                                                                         \
	.summary =                                                                                                                              \
		"the interface can be read any number of times, and no read releases references that it did not acquire",                       \
	.why = "the consumer's process crashes, exits or hangs, possibly long after the read that caused it",                                   \
	.fix = "run only the trial that failed, under a debugger, for example: suai validate --lifetime --only-step 'trial rounds of " PROTOCOL \
	       "' --wrap 'gdb -ex run --args'",                                                                                                 \
	.check = lifetime_check_survived

const struct rule attribute_lifetime_rules[] = {
	{
		INTERFACE_RULE(PROTOCOL_SYCL, FACT_DICT, "SUAI003", "repeatable", WARNING, HAZARD),
		.subsumed_by = { "SUAI005" },
		.optional_facts = FACT_LIFETIME,
		.clause = "derived from " CLAUSE_SYCL_PAGE "introduction",
		.summary = "two reads return the same values, except syclobj",
		.why = "if the address changes between reads, the memory that the first consumer uses may have been freed; if another value changes, two consumers get different arrays",
		.fix = "allocate the memory once, and describe it by the same values on each read",
		.check = lifetime_check_sycl_same,
	},
	{
		LIFETIME_RULE(PROTOCOL_SYCL, "SUAI506", "fresh-capsule", WARNING, HAZARD),
		.clause = "derived from " CLAUSE_SYCL_PAGE "syclobj",
		.summary = "if syclobj is a capsule, each read returns a new one",
		.why = "dpctl renames a capsule that it consumes: the first consumer of the capsule succeeds, and the second fails with a misleading message",
		.fix = "create the capsule in the property, or return an object with _get_capsule",
		.check = lifetime_check_fresh_capsule,
	},
	{
		LIFETIME_RULE(PROTOCOL_SYCL, "SUAI701", "owner-keeps-memory", ERROR, LOGIC),
		.subsumed_by = { "SUAI303", "SUAI305", "SUAI306" },
		.clause = "derived from " CLAUSE_SYCL_PAGE "data",
		.summary =
			"the memory lives as long as the object, even after the dictionary is released",
		.why = "consumers keep the object and release the dictionary: their array then accesses freed memory",
		.fix = "let the object, not the dictionary or a temporary, own the memory",
		.check = lifetime_check_owner,
	},
	{
		LIFETIME_RULE(PROTOCOL_SYCL, "SUAI702", "read-leaks", WARNING, HAZARD),
		.clause = "derived from " CLAUSE_SYCL_PAGE "introduction",
		.summary =
			"reading __sycl_usm_array_interface__ leaks neither references nor memory",
		.why = "the memory use of a program that reads the interface repeatedly grows without bound, and a queue or context that is never released holds resources of its device",
		.fix = "release the objects that the property creates; release the queue of a capsule in the destructor of the capsule",
		.check = lifetime_check_reads_leave_nothing,
	},
	{
		LIFETIME_RULE(PROTOCOL_SYCL, "SUAI703", "many-reads", ERROR, LOGIC),
		.clause = "derived from " CLAUSE_SYCL_PAGE "introduction",
		MANY_READS(PROTOCOL_SYCL),
	},
	{
		INTERFACE_RULE(PROTOCOL_CUDA, FACT_DICT, "CAI003", "repeatable", WARNING, HAZARD),
		.subsumed_by = { "CAI006" },
		.optional_facts = FACT_LIFETIME,
		.clause = "derived from " CLAUSE_CUDA "data",
		.summary = "two reads return the same values, except stream",
		.why = "if the address changes between reads, for example because a buffer was spilled, the first consumer may access freed memory; if another value changes, two consumers get different arrays",
		.fix = "describe the same memory by the same values on each read; do not spill or move memory while a consumer may use it",
		.check = lifetime_check_cuda_same,
	},
	{
		LIFETIME_RULE(PROTOCOL_CUDA, "CAI701", "stream-lifetime", ERROR, MUST),
		.clause = CLAUSE_CUDA
		"Streams (\"equal to or surpasses the lifetime of the object\")",
		.summary =
			"the stream lives at least as long as the object, even after the dictionary is released",
		.why = "the consumer waits for a stream that no longer exists: the call fails with an error far from its cause, or crashes in the driver",
		.fix = "let the object, or something that outlives it, own the stream",
		.check = lifetime_check_stream,
	},
	{
		LIFETIME_RULE(PROTOCOL_CUDA, "CAI703", "holder-without-owner", NOTE, HAZARD),
		.clause = "derived from " CLAUSE_CUDA
			  "Data (\"the interface has no slot for the owner of the data\")",
		.summary =
			"an object created only to expose a dictionary also references the owner of the memory",
		.why = "consumers keep the object to keep the memory alive: if nothing else references the owner, their array accesses freed memory",
		.fix = "reference the owner: SimpleNamespace(__cuda_array_interface__=..., owner=array)",
		.check = lifetime_check_holder,
	},
	{
		LIFETIME_RULE(PROTOCOL_CUDA, "CAI704", "many-reads", ERROR, LOGIC),
		.clause = "derived from " CLAUSE_CUDA "Python Interface Specification",
		MANY_READS(PROTOCOL_CUDA),
	},
	{
		LIFETIME_RULE(PROTOCOL_NUMPY, "NAI701", "owner-keeps-memory", ERROR, MUST),
		.subsumed_by = { "NAI302" },
		.clause = CLAUSE_NUMPY
		"data (\"A reference to the object exposing the array interface must be stored\")",
		.summary =
			"the memory at an address in data lives as long as the object, even after the dictionary is released",
		.why = "numpy.asarray keeps a reference to the object but not to the dictionary: the array is in freed memory, and its values change unexpectedly (numpy#31036)",
		.fix = "let the object own the memory, or name the owner: data=buffer instead of data=(address, readonly)",
		.check = lifetime_check_memory_owner,
	},
	{
		LIFETIME_RULE(PROTOCOL_NUMPY " " PROTOCOL_NUMPY_STRUCT, "NAI702", "many-reads",
			ERROR, LOGIC),
		.clause = "derived from " CLAUSE_NUMPY "data",
		MANY_READS(PROTOCOL_NUMPY),
	},
	{
		LIFETIME_RULE(PROTOCOL_BUFFER, "BUF702", "buffer-leaks", ERROR, MUST),
		.clause = CLAUSE_BUFFER "PyBuffer_Release; Py_buffer.obj",
		.summary =
			"an exported buffer has an owner, and acquiring and releasing the buffer neither ends nor hangs the process, leaks no references or memory, and releases no reference that was not acquired",
		.why = "PyBuffer_Release does nothing for a buffer without an owner, so the object is not notified; in the other cases, each memoryview leaks memory or a reference, releases a reference that belongs to other code, or ends or hangs the process",
		.fix = "in bf_getbuffer, set view->obj to a new reference to the object; in bf_releasebuffer, free the memory that bf_getbuffer allocated",
		.check = lifetime_check_balanced,
	},
	{ .id = NULL },
};
