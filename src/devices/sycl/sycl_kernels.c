// SPDX-License-Identifier: MIT
/* Copies according to a plan with kernels on a SYCL device, through dpctl's library. */
#include "devices/sycl/sycl_session.h"

struct copy_run {
	struct sycl_session *session;
	struct device_pointer to, from;
	struct device_launch *launch;
};

int sycl_launch(struct sycl_session *session, void *kernel, const struct kernel_launch *launch,
	struct device_pointer to, struct device_pointer from, struct err *err)
{
	int64_t values[KERNEL_N_ARGUMENTS];
	void *arguments[KERNEL_N_ARGUMENTS + 2] = { (void *)(uintptr_t)from.address,
		(void *)(uintptr_t)to.address };
	int types[KERNEL_N_ARGUMENTS + 2] = { SYCL_ARGUMENT_POINTER, SYCL_ARGUMENT_POINTER };
	const size_t local[3] = { KERNEL_GROUP_ITEMS, 1, 1 };
	const size_t global[3] = { (size_t)launch->n_groups * KERNEL_GROUP_ITEMS, 1, 1 };
	void *event;

	for (int i = 0; i < KERNEL_N_ARGUMENTS; i++) {
		values[i] = launch->arguments[i];
		arguments[i + 2] = &values[i];
		types[i + 2] = SYCL_ARGUMENT_INT64;
	}
	event = session->api->DPCTLQueue_SubmitNDRange(kernel, session->queue, arguments, types,
		KERNEL_N_ARGUMENTS + 2, global, local, 1, NULL, 0);
	if (!event)
		return err_set(err, EXIT_UNAVAILABLE,
			"DPCTLQueue_SubmitNDRange failed for kernel '%s'", launch->kernel->name);
	session->api->DPCTLEvent_Wait(event);
	session->api->DPCTLEvent_Delete(event);
	return 0;
}

static int sycl_kernels_run_launch(
	void *context, const struct kernel_launch *launch, struct err *err)
{
	struct copy_run *run = context;
	void *kernel = sycl_kernel_get(run->session, launch->kernel, err);

	if (!kernel || sycl_launch(run->session, kernel, launch, run->to, run->from, err))
		return -1;
	if (!run->launch->n_launches++) {
		run->launch->kernel = launch->kernel->name;
		run->launch->item_bytes = launch->kernel->item_bytes;
	}
	return 0;
}

int sycl_copy_strided(struct device_session *base, const struct copy_plan *plan,
	struct device_pointer to, struct device_pointer from, struct device_launch *launch,
	struct err *err)
{
	struct sycl_session *session = (struct sycl_session *)base;
	struct copy_run run = { session, to, from, launch };
	const void *to_address = (const void *)(uintptr_t)to.address;

	*launch = (struct device_launch){ 0 };
	if (!sycl_queue_for(session, to_address, (const void *)(uintptr_t)from.address, err))
		return -1;
	return kernel_launches(plan, from.address, to.address, sycl_kernels_run_launch, &run, err);
}

int sycl_run_launch(struct device_session *base, const struct kernel_launch *launch,
	struct device_pointer to, struct device_pointer from, struct err *err)
{
	struct sycl_session *session = (struct sycl_session *)base;
	const void *to_address = (const void *)(uintptr_t)to.address;
	void *kernel;

	if (!sycl_queue_for(session, to_address, (const void *)(uintptr_t)from.address, err))
		return -1;
	kernel = sycl_kernel_get(session, launch->kernel, err);
	return kernel ? sycl_launch(session, kernel, launch, to, from, err) : -1;
}
