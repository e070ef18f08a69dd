// SPDX-License-Identifier: MIT
/*
 * CAI503 to CAI608: the stream of __cuda_array_interface__ version 3, and what its environment and
 * the object's DLPack export say. What the driver knows is cuda_driver.c's part.
 */
#include "rules/cuda/cuda.h"
#include "rules/dlpack/dlpack.h"

#include <string.h>

static void cai_check_rocm(const struct subject *subject, struct report *report)
{
	int64_t type = value_int_or(
		value_at(shared_interface_of(subject, PROTOCOL_DLPACK)->declared, "device[0]"), 0);

	if (type == DLPACK_ROCM || type == DLPACK_ROCM_HOST)
		rule_fail(report, NULL, "by __dlpack_device__ the memory is ROCm's");
}

static void cai_check_stream_zero(const struct subject *subject, struct report *report)
{
	const struct value *stream = value_get(subject->declared, "stream");

	if (value_is(stream, VALUE_INT) && !stream->integer)
		rule_fail(report, "stream", "stream is 0");
}

static void cai_check_stream_handle(const struct subject *subject, struct report *report)
{
	const struct value *stream = value_get(subject->declared, "stream");
	uint64_t handle;

	if (value_is_integer(stream) && !value_to_uint64(stream, &handle))
		rule_fail(report, "stream", "stream is %s, which is no handle",
			shared_show(subject->arena, stream));
}

static void cai_check_environment(const struct subject *subject, struct report *report)
{
	static const struct {
		const char *name, *usual, *does;
	} variables[] = {
		{ "CUPY_CUDA_ARRAY_INTERFACE_EXPORT_VERSION", "3", "CuPy exports no stream" },
		{ "CUPY_CUDA_ARRAY_INTERFACE_SYNC", "1", "CuPy waits for no stream" },
		{ "NUMBA_CUDA_ARRAY_INTERFACE_SYNC", "1", "Numba waits for no stream" },
	};
	const struct value *environment = value_get(subject->details, "environment");

	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		const struct value *set = value_get(environment, variables[i].name);

		if (value_is(set, VALUE_TEXT) && strcmp(set->bytes, variables[i].usual) != 0)
			rule_fail(report, NULL, "%s is %s: %s", variables[i].name,
				shared_show(subject->arena, set), variables[i].does);
	}
}

const struct rule cuda_stream_rules[] = {
	{
		CUDA_RULE_OF(FACT_DICT | FACT_STRUCT, "CAI503", "rocm-memory", NOTE, HAZARD),
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA "introduction (silent on ROCm); " CLAUSE_DLPACK_H "kDLROCM",
		.summary = "the memory is CUDA's, not ROCm's",
		.why = "no document lends the attribute to ROCm: consumers there take streams 1 "
		       "and 2 for handles and crash, or refuse the array as CuPy did until 2025",
		.fix = "export by __dlpack__ with kDLROCM; say in your documentation what the "
		       "attribute means on ROCm",
		.check = cai_check_rocm,
	},
	{
		CUDA_RULE("CAI601", "stream-zero", ERROR, MUST),
		.requires = { "CAI114" },
		.since = "cai=3",
		.clause = CLAUSE_CUDA "stream (\"This is disallowed as it would be ambiguous\")",
		.summary = "stream is not 0",
		.why = "0 could mean no stream, the legacy default stream or the default stream of "
		       "the thread: consumers wait for the wrong one, or for none",
		.fix = "give 1 for the legacy default stream, 2 for that of the thread, None where "
		       "no work is pending",
		.check = cai_check_stream_zero,
	},
	{
		CUDA_RULE("CAI602", "stream-handle", ERROR, MUST),
		.requires = { "CAI601" },
		.since = "cai=3",
		.clause = CLAUSE_CUDA "stream (\"represented as a Python integer\")",
		.summary =
			"stream is 1, 2 or the handle of a stream, a positive integer of 64 bits",
		.why = "consumers pass it to the driver as a pointer; -1 is a word of DLPack, and "
		       "a wrong handle can end the process",
		.fix = "give the handle as an unsigned int, such as stream.ptr or int(stream)",
		.check = cai_check_stream_handle,
	},
	{
		CUDA_RULE("CAI608", "environment", NOTE, HAZARD),
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA
		"Synchronization in Numba (\"NUMBA_CUDA_ARRAY_INTERFACE_SYNC\"); " CLAUSE_CUPY
		"CUPY_CUDA_ARRAY_INTERFACE_SYNC; CUPY_CUDA_ARRAY_INTERFACE_EXPORT_VERSION",
		.summary =
			"no environment variable changes what CuPy exports, or what CuPy and Numba "
			"wait for",
		.why = "with them consumers do not wait for the producer's stream: results that "
		       "differ from run to run are explained here",
		.fix = "unset the variable, unless you synchronise by hand",
		.check = cai_check_environment,
	},
	{ .id = NULL },
};
