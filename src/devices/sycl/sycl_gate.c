// SPDX-License-Identifier: MIT
/*
 * A gate on a SYCL queue: a kernel that polls a flag in host USM until it is set or a limit is
 * reached, and a barrier, since a queue may be out of order.
 */
#include "base/memory.h"
#include "devices/gate.h"
#include "devices/sycl/sycl_session.h"

#include <stdlib.h>
#include <string.h>

static const char source[] = "__kernel void gate(__global volatile uint *flag, long n_looks)\n"
			     "{\n"
			     "	for (long i = 0; i < n_looks && !*flag; i++)\n"
			     "		;\n"
			     "}\n";

/* OpenCL C has no clock. A read takes at least one cycle, and a microsecond across a bus. */
static const int64_t n_looks = GATE_LIMIT_MS * 1000000LL;

struct sycl_gate {
	struct gate base;
	struct device_pointer flag;
	void *event;
};

/* The kernel of the process, since building it takes longer than most of what a gate delays; of the
 * latest device and context. */
static struct {
	void *device, *context, *bundle, *kernel;
} built;

static bool is_built(const struct sycl_session *session)
{
	return built.kernel && session->api->DPCTLDevice_AreEq(built.device, session->device) &&
	       session->api->DPCTLContext_AreEq(built.context, session->context);
}

static void drop_kernel(const struct sycl_api *api)
{
	if (built.kernel)
		api->DPCTLKernel_Delete(built.kernel);
	if (built.bundle)
		api->DPCTLKernelBundle_Delete(built.bundle);
	if (built.context)
		api->DPCTLContext_Delete(built.context);
	if (built.device)
		api->DPCTLDevice_Delete(built.device);
	memset(&built, 0, sizeof(built));
}

static int sycl_gate_build(struct sycl_session *session, struct err *err)
{
	const struct sycl_api *api = session->api;

	if (!api->DPCTLKernelBundle_CreateFromOCLSource || !api->DPCTLQueue_SubmitNDRange ||
		!api->DPCTLQueue_SubmitBarrierForEvents)
		return err_set(err, EXIT_UNAVAILABLE,
			"this version of dpctl cannot build or submit kernels");
	if (api->DPCTLContext_GetBackend(session->context) != SYCL_OPENCL)
		return err_set(err, EXIT_UNAVAILABLE,
			"dpctl cannot build kernels from source for this backend");
	if (is_built(session))
		return 0;
	drop_kernel(api);
	built.device = api->DPCTLQueue_GetDevice(session->queue);
	built.context = api->DPCTLContext_Copy(session->context);
	built.bundle = api->DPCTLKernelBundle_CreateFromOCLSource(
		session->context, session->device, source, "");
	if (built.bundle)
		built.kernel = api->DPCTLKernelBundle_GetKernel(built.bundle, "gate");
	return built.device && built.context && built.kernel
		       ? 0
		       : err_set(err, EXIT_UNAVAILABLE,
				 "DPCTLKernelBundle_%s returned NULL for the gate kernel",
				 built.bundle ? "GetKernel" : "CreateFromOCLSource");
}

static int submit(struct sycl_session *session, struct sycl_gate *gate, struct err *err)
{
	void *arguments[] = { (void *)(uintptr_t)gate->flag.address, (void *)&n_looks };
	const int types[] = { SYCL_ARGUMENT_POINTER, SYCL_ARGUMENT_INT64 };
	const size_t one[3] = { 1, 1, 1 };
	void *barrier;

	gate->event = session->api->DPCTLQueue_SubmitNDRange(
		built.kernel, session->queue, arguments, types, 2, one, one, 1, NULL, 0);
	if (!gate->event)
		return err_set(err, EXIT_UNAVAILABLE,
			"DPCTLQueue_SubmitNDRange returned NULL for the gate kernel");
	barrier = session->api->DPCTLQueue_SubmitBarrierForEvents(session->queue, &gate->event, 1);
	if (!barrier)
		return err_set(
			err, EXIT_UNAVAILABLE, "DPCTLQueue_SubmitBarrierForEvents returned NULL");
	session->api->DPCTLEvent_Delete(barrier);
	return 0;
}

struct gate *sycl_gate_shut(struct device_session *base, struct err *err)
{
	struct sycl_session *session = (struct sycl_session *)base;
	struct sycl_gate *gate = mem_alloc(sizeof(*gate));

	if (!sycl_queue_for(session, NULL, NULL, err) || sycl_gate_build(session, err) ||
		sycl_allocate(base, MEMORY_USM_HOST, sizeof(uint32_t), &gate->flag, err))
		goto out;
	gate->base.flag = (volatile uint32_t *)(uintptr_t)gate->flag.address;
	*gate->base.flag = 0;
	if (!submit(session, gate, err))
		return &gate->base;
out:
	sycl_gate_end(base, &gate->base);
	return NULL;
}

void sycl_gate_end(struct device_session *base, struct gate *opened)
{
	const struct sycl_api *api = ((struct sycl_session *)base)->api;
	struct sycl_gate *gate = (struct sycl_gate *)opened;

	if (gate->base.flag)
		gate_open(&gate->base);
	if (gate->event) {
		api->DPCTLEvent_Wait(gate->event);
		api->DPCTLEvent_Delete(gate->event);
	}
	if (gate->flag.address)
		sycl_release(base, gate->flag);
	free(gate);
}
