// SPDX-License-Identifier: MIT
/*
 * The stream of __cuda_array_interface__ version 3, its environment variables, and the device of
 * the object's DLPack export. Rules on facts from the driver are in cuda_driver.c.
 */
#include "rules/cuda/cuda.h"

#include "base/array_size.h"
#include "rules/shared/dlpack_facts.h"

#include <stdlib.h>
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
			"stream is %s, expected 1, 2 or a stream handle (at most 2^64 - 1)",
			shared_show(subject->arena, stream));
}

/* The result of Python's int() for digits, a sign and white space; false: int() raises ValueError.
 */
static bool read_python_int(const char *text, long *number)
{
	char *end;

	*number = strtol(text, &end, 10);
	return end > text && end[strspn(end, " \t\n\v\f\r")] == '\0';
}

/* The effects of values of variables; NULL: the same as that of the default. */
static const char *cupy_export_effect(const char *text)
{
	long version;

	if (!read_python_int(text, &version))
		return "importing CuPy raises ValueError";
	if (version == 2)
		return "CuPy exports no stream";
	return version == 3 ? NULL
			    : "reading __cuda_array_interface__ of a CuPy array raises ValueError";
}

static const char *cupy_sync_effect(const char *text)
{
	long is_on;

	if (!read_python_int(text, &is_on))
		return "importing CuPy raises ValueError";
	return is_on ? NULL : "CuPy does not wait for streams";
}

/* Numba warns about text that is not an int, and waits. */
static const char *numba_sync_effect(const char *text)
{
	long is_on;

	return !read_python_int(text, &is_on) || is_on ? NULL : "Numba does not wait for streams";
}

static void cai_check_environment(const struct subject *subject, struct report *report)
{
	static const struct {
		const char *name;
		const char *(*effect)(const char *text);
	} variables[] = {
		{ "CUPY_CUDA_ARRAY_INTERFACE_EXPORT_VERSION", cupy_export_effect },
		{ "CUPY_CUDA_ARRAY_INTERFACE_SYNC", cupy_sync_effect },
		{ "NUMBA_CUDA_ARRAY_INTERFACE_SYNC", numba_sync_effect },
	};
	const struct value *environment = value_get(subject->details, "environment");

	for (size_t i = 0; i < ARRAY_SIZE(variables); i++) {
		const struct value *set = value_get(environment, variables[i].name);
		const char *effect =
			value_is(set, VALUE_TEXT) ? variables[i].effect(set->bytes) : NULL;

		if (effect)
			rule_fail(report, NULL, "%s is %s: %s", variables[i].name,
				shared_show(subject->arena, set), effect);
	}
}

const struct rule cuda_stream_rules[] = {
	{
		INTERFACE_RULE(PROTOCOL_CUDA, FACT_DICT | FACT_STRUCT, "CAI503", "rocm-memory",
			NOTE, HAZARD),
		.requires = { "CAI002" },
		.clause = CLAUSE_CUDA "introduction (silent on ROCm); " CLAUSE_DLPACK_H "kDLROCM",
		.summary = "the memory belongs to CUDA, not to ROCm",
		.why = "no document defines the attribute for ROCm: HIP versions without hipStreamLegacy interpret stream 1 as a handle and crash, and CuPy on ROCm raised RuntimeError until 2025",
		.fix = "export only through __dlpack__ with kDLROCM, or document the meaning of the attribute on ROCm",
		.check = cai_check_rocm,
	},
	{
		CUDA_RULE("CAI601", "stream-zero", ERROR, MUST),
		.requires = { "CAI114" },
		.since = "cai=3",
		.clause = CLAUSE_CUDA "stream (\"This is disallowed as it would be ambiguous\")",
		.summary = "stream is not 0",
		.why = "0 could mean no stream, the legacy default stream or the per-thread default stream: cuda.core and JAX raise an exception, and other consumers wait for the wrong stream, or for none",
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
		.why = "if a stream is not exported, or not waited for, a consumer may read incomplete results, which differ from run to run; CuPy raises ValueError for a value that it does not support",
		.fix = "unset the variable, or set it to a supported value and synchronize explicitly",
		.check = cai_check_environment,
	},
	{ .id = NULL },
};
