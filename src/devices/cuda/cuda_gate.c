// SPDX-License-Identifier: MIT
/*
 * A kernel of one thread that polls a flag in pinned memory until it is set or a time limit
 * expires. It is written in PTX so that every build has it: ISA 6.0, which drivers load since
 * 2018.
 */
#include "devices/cuda/cuda_gate.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { PINNED_BYTES = 1 << 16 };

static const char ptx[] = ".version 6.0\n"
			  ".target sm_52\n"
			  ".address_size 64\n"
			  ".visible .entry gate(.param .u64 flag, .param .u64 limit_ns)\n"
			  "{\n"
			  "	.reg .pred %is_set, %is_early;\n"
			  "	.reg .u32 %set;\n"
			  "	.reg .u64 %address, %limit, %begin, %now;\n"
			  "	ld.param.u64 %address, [flag];\n"
			  "	ld.param.u64 %limit, [limit_ns];\n"
			  "	mov.u64 %begin, %globaltimer;\n"
			  "LOOK:\n"
			  "	ld.volatile.global.u32 %set, [%address];\n"
			  "	setp.ne.u32 %is_set, %set, 0;\n"
			  "	@%is_set bra OPEN;\n"
			  "	mov.u64 %now, %globaltimer;\n"
			  "	sub.u64 %now, %now, %begin;\n"
			  "	setp.lt.u64 %is_early, %now, %limit;\n"
			  "	@%is_early bra LOOK;\n"
			  "OPEN:\n"
			  "	ret;\n"
			  "}\n";

static uint64_t limit_ns = GATE_LIMIT_MS * 1000000ULL;

static int cuda_gate_launch(
	struct cuda_session *session, struct cuda_gate *gate, void *stream, struct err *err)
{
	void *parameters[] = { &gate->flag, &limit_ns };

	return CUDA_CALL(session->api, err, cuLaunchKernel, gate->function, 1, 1, 1, 1, 1, 1, 0,
		       stream, parameters, NULL) ||
			       CUDA_CALL(session->api, err, cuEventRecord, gate->passed, stream)
		       ? -1
		       : 0;
}

int cuda_gate_make(
	struct cuda_session *session, struct cuda_gate *gate, void *stream, struct err *err)
{
	const struct cuda_api *api = session->api;
	void *flag;

	*gate = (struct cuda_gate){ .pinned = gate->pinned };
	if (CUDA_CALL(api, err, cuMemHostAlloc, &flag, sizeof(uint32_t),
		    CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP))
		return -1;
	gate->base.flag = flag;
	gate_open(&gate->base);
	if (CUDA_CALL(api, err, cuMemHostGetDevicePointer, &gate->flag, flag, 0) ||
		CUDA_CALL(api, err, cuEventCreate, &gate->passed, CU_EVENT_DISABLE_TIMING) ||
		CUDA_CALL(api, err, cuModuleLoadData, &gate->module, ptx) ||
		CUDA_CALL(api, err, cuModuleGetFunction, &gate->function, gate->module, "gate") ||
		cuda_gate_launch(session, gate, stream, err))
		return -1;
	return CUDA_CALL(api, err, cuEventSynchronize, gate->passed);
}

int cuda_gate_shut(
	struct cuda_session *session, struct cuda_gate *gate, uint64_t stream, struct err *err)
{
	*gate->base.flag = 0;
	return cuda_gate_launch(session, gate, (void *)(uintptr_t)stream, err);
}

bool cuda_gate_is_shut(struct cuda_session *session, const struct cuda_gate *gate)
{
	return session->api->cuEventQuery(gate->passed) == CUDA_ERROR_NOT_READY;
}

int cuda_gate_end(struct cuda_session *session, struct cuda_gate *gate, struct err *err)
{
	gate_open(&gate->base);
	return CUDA_CALL(session->api, err, cuEventSynchronize, gate->passed);
}

void cuda_gate_free(struct cuda_session *session, struct cuda_gate *gate)
{
	const struct cuda_api *api = session->api;

	if (gate->module)
		(void)api->cuModuleUnload(gate->module);
	if (gate->passed)
		(void)api->cuEventDestroy(gate->passed);
	if (gate->base.flag)
		(void)api->cuMemFreeHost((void *)(uintptr_t)gate->base.flag);
	if (gate->pinned)
		(void)api->cuMemFreeHost(gate->pinned);
}

/* Made on a stream that waits for no other. */
static int make_and_shut(struct cuda_session *session, struct cuda_gate *gate, struct err *err)
{
	void *aside = NULL;
	int failed = CUDA_CALL(session->api, err, cuMemHostAlloc, &gate->pinned, PINNED_BYTES, 0) ||
		     CUDA_CALL(session->api, err, cuStreamCreate, &aside, CU_STREAM_NON_BLOCKING) ||
		     cuda_gate_make(session, gate, aside, err) ||
		     cuda_gate_shut(session, gate, session->producer, err);

	if (aside)
		(void)session->api->cuStreamDestroy(aside);
	return failed ? -1 : 0;
}

struct gate *cuda_session_shut_gate(struct device_session *base, struct err *err)
{
	struct cuda_session *session = (struct cuda_session *)base;
	struct cuda_gate *gate;

	if (cuda_enter(session, err))
		return NULL;
	gate = mem_alloc(sizeof(*gate));
	if (make_and_shut(session, gate, err)) {
		if (gate->base.flag)
			gate_open(&gate->base);
		cuda_gate_free(session, gate);
		free(gate);
		gate = NULL;
	}
	cuda_leave(session);
	return gate ? &gate->base : NULL;
}

void cuda_session_end_gate(struct device_session *base, struct gate *opened)
{
	struct cuda_session *session = (struct cuda_session *)base;
	struct cuda_gate *gate = (struct cuda_gate *)opened;
	struct err ignored;

	gate_open(opened);
	if (!cuda_enter(session, &ignored)) {
		(void)cuda_gate_end(session, gate, &ignored);
		(void)session->api->cuStreamSynchronize((void *)(uintptr_t)session->producer);
		cuda_gate_free(session, gate);
		cuda_leave(session);
	}
	free(gate);
}

/* Writes from pinned memory, which is allocated before the gate is shut: afterwards a call of the
 * driver may wait for the gate, or for a thread that it blocks. */
int cuda_session_write_behind(struct device_session *base, struct gate *shut, uint64_t address,
	const void *bytes, size_t n_bytes, struct err *err)
{
	struct cuda_session *session = (struct cuda_session *)base;
	struct cuda_gate *gate = (struct cuda_gate *)shut;
	int failed;

	if (n_bytes > PINNED_BYTES)
		return err_set(
			err, EXIT_UNAVAILABLE, "the array has more than %d bytes", PINNED_BYTES);
	if (cuda_enter(session, err))
		return -1;
	memcpy(gate->pinned, bytes, n_bytes);
	failed = CUDA_CALL(session->api, err, cuMemcpyAsync, address,
		(uint64_t)(uintptr_t)gate->pinned, n_bytes, (void *)(uintptr_t)session->producer);
	cuda_leave(session);
	return failed ? -1 : 0;
}
