// SPDX-License-Identifier: MIT
/* Copies according to a plan with kernels on an OpenCL device. */
#include "devices/opencl/opencl_session.h"

struct copy_run {
	struct opencl_session *session;
	struct device_pointer to, from;
	struct device_launch *launch;
};

static int set_pointer(const struct opencl_session *session, void *kernel, uint32_t number,
	struct device_pointer pointer, struct err *err)
{
	void *memory = (void *)(uintptr_t)pointer.handle;
	const char *function = "clSetKernelArg";
	int status;

	if (pointer.handle) {
		status = session->api->clSetKernelArg(kernel, number, sizeof(memory), &memory);
	} else if (session->usm.clSetKernelArgMemPointerINTEL) {
		function = "clSetKernelArgMemPointerINTEL";
		status = session->usm.clSetKernelArgMemPointerINTEL(
			kernel, number, (const void *)(uintptr_t)pointer.address);
	} else {
		return err_set(err, EXIT_UNAVAILABLE, "this OpenCL platform does not support USM");
	}
	return status ? opencl_fail(err, EXIT_UNAVAILABLE, function, status) : 0;
}

static int opencl_kernels_set_arguments(const struct copy_run *run, void *kernel,
	const struct kernel_launch *launch, struct err *err)
{
	int64_t argument;
	int status;

	if (set_pointer(run->session, kernel, 0, run->from, err) ||
		set_pointer(run->session, kernel, 1, run->to, err))
		return -1;
	for (uint32_t i = 0; i < (uint32_t)launch->n_arguments; i++) {
		argument = launch->arguments[i];
		if (i == ARG_SRC_OFFSET && run->from.handle)
			argument += (int64_t)run->from.address;
		if (i == ARG_DST_OFFSET && run->to.handle)
			argument += (int64_t)run->to.address;
		status = run->session->api->clSetKernelArg(
			kernel, i + 2, sizeof(argument), &argument);
		if (status)
			return opencl_fail(err, EXIT_UNAVAILABLE, "clSetKernelArg", status);
	}
	return 0;
}

static int opencl_kernels_run_launch(
	void *context, const struct kernel_launch *launch, struct err *err)
{
	struct copy_run *run = context;
	struct opencl_kernel *kernel = opencl_kernel_get(run->session, launch->kernel, err);
	size_t local = KERNEL_GROUP_ITEMS, global = (size_t)launch->n_groups * local;
	int status;

	if (!kernel || opencl_kernels_set_arguments(run, kernel->kernel, launch, err))
		return -1;
	status = run->session->api->clEnqueueNDRangeKernel(
		run->session->queue, kernel->kernel, 1, NULL, &global, &local, 0, NULL, NULL);
	if (status)
		return opencl_fail(err, EXIT_UNAVAILABLE, "clEnqueueNDRangeKernel", status);
	device_launch_add(run->launch, launch->kernel->name, launch->kernel->item_bytes);
	return 0;
}

/* The low bits of an address in a buffer: those of its memory if that is host memory. */
static uint64_t alignment_of(const struct opencl_session *session, struct device_pointer pointer)
{
	void *host = NULL;

	if (pointer.handle)
		session->api->clGetMemObjectInfo((void *)(uintptr_t)pointer.handle, CL_MEM_HOST_PTR,
			sizeof(host), (void *)&host, NULL);
	return (uintptr_t)host + pointer.address;
}

/* Waits for what was started; rc states whether everything was. */
static int opencl_kernels_finish(struct opencl_session *session, int rc, struct err *err)
{
	int status = session->api->clFinish(session->queue);

	if (rc)
		return -1;
	if (status)
		return opencl_fail(err, EXIT_TARGET, "clFinish", status);
	opencl_kernels_cache(session);
	return 0;
}

int opencl_copy_strided(struct device_session *base, const struct copy_plan *plan,
	struct device_pointer to, struct device_pointer from, struct device_launch *launch,
	struct err *err)
{
	struct opencl_session *session = (struct opencl_session *)base;
	struct copy_run run = { session, to, from, launch };

	*launch = (struct device_launch){ 0 };
	return opencl_kernels_finish(session,
		kernel_launches(plan, alignment_of(session, from), alignment_of(session, to),
			KERNEL_FEW_ARGUMENTS, opencl_kernels_run_launch, &run, err),
		err);
}

int opencl_run_launch(struct device_session *base, const struct kernel_launch *next,
	struct device_pointer to, struct device_pointer from, struct err *err)
{
	struct opencl_session *session = (struct opencl_session *)base;
	struct device_launch ignored = { 0 };
	struct copy_run run = { session, to, from, &ignored };

	return opencl_kernels_finish(session, opencl_kernels_run_launch(&run, next, err), err);
}
