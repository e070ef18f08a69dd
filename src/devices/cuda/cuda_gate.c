// SPDX-License-Identifier: MIT
/*
 * A kernel of one thread that reads a flag in pinned memory until it is set, or its time is up. The
 * PTX is written by hand, so that every build has it: ISA 6.0, which drivers since 2018 load.
 */
#include "devices/cuda/cuda_gate.h"

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

static int launch(
	struct cuda_session *session, struct cuda_gate *gate, void *stream, struct err *err)
{
	void *parameters[] = { &gate->flag, &limit_ns };

	return CUDA_CALL(session->api, err, LaunchKernel, gate->function, 1, 1, 1, 1, 1, 1, 0,
		       stream, parameters, NULL) ||
			       CUDA_CALL(session->api, err, EventRecord, gate->passed, stream)
		       ? -1
		       : 0;
}

int cuda_gate_make(
	struct cuda_session *session, struct cuda_gate *gate, void *stream, struct err *err)
{
	const struct cuda_api *api = session->api;
	void *flag;

	*gate = (struct cuda_gate){ .module = NULL };
	if (CUDA_CALL(api, err, MemHostAlloc, &flag, sizeof(uint32_t),
		    CUDA_HOST_PORTABLE | CUDA_HOST_DEVICEMAP))
		return -1;
	gate->base.flag = flag;
	gate_open(&gate->base);
	if (CUDA_CALL(api, err, MemHostGetDevicePointer, &gate->flag, flag, 0) ||
		CUDA_CALL(api, err, EventCreate, &gate->passed, CUDA_EVENT_WITHOUT_TIMING) ||
		CUDA_CALL(api, err, ModuleLoadData, &gate->module, ptx) ||
		CUDA_CALL(api, err, ModuleGetFunction, &gate->function, gate->module, "gate") ||
		launch(session, gate, stream, err))
		return -1;
	return CUDA_CALL(api, err, EventSynchronize, gate->passed);
}

int cuda_gate_shut(
	struct cuda_session *session, struct cuda_gate *gate, uint64_t stream, struct err *err)
{
	*gate->base.flag = 0;
	return launch(session, gate, (void *)(uintptr_t)stream, err);
}

bool cuda_gate_is_shut(struct cuda_session *session, const struct cuda_gate *gate)
{
	return session->api->EventQuery(gate->passed) == CUDA_ERROR_NOT_READY;
}

int cuda_gate_end(struct cuda_session *session, struct cuda_gate *gate, struct err *err)
{
	gate_open(&gate->base);
	return CUDA_CALL(session->api, err, EventSynchronize, gate->passed);
}

void cuda_gate_free(struct cuda_session *session, struct cuda_gate *gate)
{
	const struct cuda_api *api = session->api;

	if (gate->module)
		(void)api->ModuleUnload(gate->module);
	if (gate->passed)
		(void)api->EventDestroy(gate->passed);
	if (gate->base.flag)
		(void)api->MemFreeHost((void *)(uintptr_t)gate->base.flag);
}
