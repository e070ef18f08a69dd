// SPDX-License-Identifier: MIT
/*
 * The stream of __cuda_array_interface__ version 3, its environment variables, and the device of
 * the object's DLPack export. Rules on facts from the driver are in cuda_driver.c.
 */
#include "rules/cuda/cuda.h"

#include "base/array_size.h"
#include "rules/shared/dlpack_facts.h"

#include <string.h>

static void cai_check_rocm(const struct subject *subject, struct report *report)
{
	int64_t type = value_int_or(
		value_at(shared_interface_of(subject, PROTOCOL_DLPACK)->declared, "device[0]"), 0);

	if (type == DLPACK_ROCM || type == DLPACK_ROCM_HOST)
		rule_fail(report, NULL, "__dlpack_device__ returns a ROCm device");
}

static void cai_check_stream_zero(const struct subject *subject, struct report *report)
{
	const struct value *stream = value_get(subject->declared, "stream");

	if (value_is(stream, VALUE_INT) && !stream->integer)
		rule_fail(report, "stream", "stream is 0, expected 1, 2, a handle or None");
}

static void cai_check_stream_handle(const struct subject *subject, struct report *report)
{
	const struct value *stream = value_get(subject->declared, "stream");
	uint64_t handle;

	if (value_is_integer(stream) && !value_to_uint64(stream, &handle))
		rule_fail(report, "stream",
			"stream is %s, expected 1, 2 or a stream handle (a positive 64-bit integer)",
			shared_show(subject->arena, stream));
}

static void cai_check_environment(const struct subject *subject, struct report *report)
{
	static const struct {
		const char *name, *usual, *does;
	} variables[] = {
		{ "CUPY_CUDA_ARRAY_INTERFACE_EXPORT_VERSION", "3", "CuPy exports no stream" },
		{ "CUPY_CUDA_ARRAY_INTERFACE_SYNC", "1", "CuPy does not wait for streams" },
		{ "NUMBA_CUDA_ARRAY_INTERFACE_SYNC", "1", "Numba does not wait for streams" },
	};
	const struct value *environment = value_get(subject->details, "environment");

	for (size_t i = 0; i < ARRAY_SIZE(variables); i++) {
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
		.summary = "the memory belongs to CUDA, not to ROCm",
		.why = "no document defines the attribute for ROCm: consumers on ROCm interpret streams 1 and 2 as handles and crash, or "
		       "reject the array as CuPy did until 2025",
		.fix = "export through __dlpack__ with kDLROCM; document the meaning of the attribute on ROCm",
		.check = cai_check_rocm,
	},
	{
		CUDA_RULE("CAI601", "stream-zero", ERROR, MUST),
		.requires = { "CAI114" },
		.since = "cai=3",
		.clause = CLAUSE_CUDA "stream (\"This is disallowed as it would be ambiguous\")",
		.summary = "stream is not 0",
		.why = "0 could mean no stream, the legacy default stream or the per-thread default stream: consumers wait for the wrong "
		       "one, or for none",
		.fix = "use 1 for the legacy default stream, 2 for the per-thread default stream, and None if no work is "
		       "pending",
		.check = cai_check_stream_zero,
	},
	{
		CUDA_RULE("CAI602", "stream-handle", ERROR, MUST),
		.requires = { "CAI601" },
		.since = "cai=3",
		.clause = CLAUSE_CUDA "stream (\"represented as a Python integer\")",
		.summary =
			"stream, if it is an int, is from 1 to 2^64 - 1: 1, 2 or a stream handle",
		.why = "consumers pass it to the driver as a pointer; -1 has a meaning only in DLPack, and an invalid handle can crash "
		       "the process",
		.fix = "use the handle as an unsigned int, such as stream.ptr or int(stream)",
		.check = cai_check_stream_handle,
	},
	{
		CUDA_RULE("CAI608", "environment", NOTE, HAZARD),
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA
		"Synchronization in Numba (\"NUMBA_CUDA_ARRAY_INTERFACE_SYNC\"); " CLAUSE_CUPY
		"CUPY_CUDA_ARRAY_INTERFACE_SYNC; CUPY_CUDA_ARRAY_INTERFACE_EXPORT_VERSION",
		.summary =
			"no environment variable changes what CuPy exports, or whether CuPy and Numba wait for streams",
		.why = "with such a variable, consumers do not wait for the producer's stream, which can explain results that differ from run to run",
		.fix = "unset the variable, unless you synchronize explicitly",
		.check = cai_check_environment,
	},
	{ .id = NULL },
};
