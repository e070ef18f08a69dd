// SPDX-License-Identifier: MIT
/* Copies according to a plan with kernels on a SYCL device, through dpctl's library. */
#include "devices/sycl/sycl_session.h"

struct copy_run {
	struct sycl_session *session;
	struct device_pointer to, from;
	struct device_launch *launch;
};

static int sycl_kernels_run_launch(
	void *context, const struct kernel_launch *launch, struct err *err)
{
	struct copy_run *run = context;
	void *kernel = sycl_kernel_get(run->session, launch->kernel, err);

	if (!kernel || sycl_launch(run->session, kernel, launch, run->to, run->from, err))
		return -1;
	device_launch_add(run->launch, launch->kernel->name, launch->kernel->item_bytes);
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
	return kernel_launches(plan, from.address, to.address, KERNEL_FEW_ARGUMENTS,
		sycl_kernels_run_launch, &run, err);
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
