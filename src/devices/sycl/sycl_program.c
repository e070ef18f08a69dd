// SPDX-License-Identifier: MIT
/*
 * Builds and launches kernels for SYCL through dpctl's library, which does not report why a build
 * failed. Its numbers for argument types have changed before, so each kernel is tested on a few
 * bytes.
 */
#include "base/memory.h"
#include "copy/kernels/kernel_code.h"
#include "copy/kernels/reduce.h"
#include "devices/sycl/sycl_session.h"

#include <stdlib.h>
#include <string.h>

enum { TRIAL_FROM = 16, TRIAL_TO = 32, TRIAL_BYTES = 128 };

/* A kernel for a context and device; kept for the lifetime of the process. */
struct built_kernel {
	const struct kernel *row;
	void *context, *device, *bundle, *kernel;
	struct built_kernel *next;
};

static struct built_kernel *all_built;

int sycl_launch(struct sycl_session *session, void *kernel, const struct kernel_launch *launch,
	struct device_pointer to, struct device_pointer from, struct err *err)
{
	int64_t values[KERNEL_MAX_ARGUMENTS];
	void *arguments[KERNEL_MAX_ARGUMENTS + 2] = { (void *)(uintptr_t)from.address,
		(void *)(uintptr_t)to.address };
	int types[KERNEL_MAX_ARGUMENTS + 2] = { SYCL_ARGUMENT_POINTER, SYCL_ARGUMENT_POINTER };
	const size_t local[3] = { KERNEL_GROUP_ITEMS, 1, 1 };
	const size_t global[3] = { (size_t)launch->n_groups * KERNEL_GROUP_ITEMS, 1, 1 };
	void *event;

	for (int i = 0; i < launch->n_arguments; i++) {
		values[i] = launch->arguments[i];
		arguments[i + 2] = &values[i];
		types[i + 2] = SYCL_ARGUMENT_INT64;
	}
	event = session->api->DPCTLQueue_SubmitNDRange(kernel, session->queue, arguments, types,
		(size_t)launch->n_arguments + 2, global, local, 1, NULL, 0);
	if (!event)
		return err_set(err, EXIT_UNAVAILABLE,
			"DPCTLQueue_SubmitNDRange returned NULL for kernel '%s'",
			launch->kernel->name);
	session->api->DPCTLEvent_Wait(event);
	session->api->DPCTLEvent_Delete(event);
	return 0;
}

static void *build_source(
	const struct sycl_session *session, const struct kernel *row, struct err *err)
{
	void *bundle = session->api->DPCTLKernelBundle_CreateFromOCLSource(
		session->context, session->device, row->source, row->options);

	if (!bundle)
		err_set(err, EXIT_UNAVAILABLE,
			"DPCTLKernelBundle_CreateFromOCLSource returned NULL for kernel '%s'",
			row->name);
	return bundle;
}

static void *build_spirv(
	const struct sycl_session *session, const struct kernel *row, struct err *err)
{
	size_t n_bytes;
	const char *code = kernel_code(row, kernel_form_find("spv"), &n_bytes, err);
	void *bundle;

	if (!code)
		return NULL;
	bundle = session->api->DPCTLKernelBundle_CreateFromSpirv(
		session->context, session->device, code, n_bytes, "");
	if (!bundle)
		err_set(err, EXIT_UNAVAILABLE,
			"DPCTLKernelBundle_CreateFromSpirv returned NULL for kernel '%s'",
			row->name);
	return bundle;
}

/* Level Zero accepts only SPIR-V; SYCL for CUDA and HIP accepts neither. */
static void *sycl_program_build(
	const struct sycl_session *session, const struct kernel *row, struct err *err)
{
	int backend = session->api->DPCTLContext_GetBackend(session->context);
	const char *form = getenv("SUAI_SYCL_KERNELS");
	bool has_spirv = kernel_form_find("spv"),
	     use_spirv = has_spirv && !(form && !strcmp(form, "source"));

	if (!session->api->DPCTLKernelBundle_CreateFromSpirv ||
		!session->api->DPCTLKernelBundle_CreateFromOCLSource ||
		!session->api->DPCTLQueue_SubmitNDRange) {
		err_set(err, EXIT_UNAVAILABLE,
			"this version of dpctl cannot build or submit kernels");
		return NULL;
	}
	if (backend == SYCL_OPENCL)
		return use_spirv ? build_spirv(session, row, err) : build_source(session, row, err);
	if (backend == SYCL_LEVEL_ZERO && use_spirv)
		return build_spirv(session, row, err);
	err_set(err, EXIT_UNAVAILABLE,
		backend != SYCL_LEVEL_ZERO ? "dpctl cannot build kernels for this backend"
		: has_spirv ? "Level Zero requires SPIR-V, which SUAI_SYCL_KERNELS=source disables"
			    : "Level Zero requires SPIR-V kernels, which this build of suai lacks");
	return NULL;
}

/* The self-test of a kernel, and the bytes expected at offset TRIAL_TO. */
struct trial {
	struct kernel_launch launch;
	unsigned char expected[TRIAL_BYTES];
	size_t n_bytes;
};

static void plan_trial(struct trial *trial, const struct kernel *row, const char *src)
{
	trial->n_bytes = row->shape >= KERNEL_CRC
				 ? reduce_trial(row, src, &trial->launch, trial->expected)
				 : kernel_trial(&trial->launch, trial->expected, row, src,
					   TRIAL_FROM, TRIAL_TO);
}

static int sycl_program_compare(
	const struct kernel *row, const struct trial *trial, const char *dst, struct err *err)
{
	if (!memcmp(dst + TRIAL_TO, trial->expected, trial->n_bytes) && !dst[TRIAL_TO - 1] &&
		!dst[TRIAL_TO + trial->n_bytes])
		return 0;
	return err_set(err, EXIT_UNAVAILABLE, "kernel '%s' failed its self-test", row->name);
}

static int try_kernel(
	struct sycl_session *session, const struct kernel *row, void *kernel, struct err *err)
{
	struct device_pointer from = { 0 }, to = { 0 };
	char src[TRIAL_BYTES], dst[TRIAL_BYTES] = { 0 };
	struct trial trial;
	int rc = -1;

	for (int i = 0; i < TRIAL_BYTES; i++)
		src[i] = (char)(i + 1);
	plan_trial(&trial, row, src);
	if (!sycl_allocate(&session->base, MEMORY_USM_DEVICE, TRIAL_BYTES, &from, err) &&
		!sycl_allocate(&session->base, MEMORY_USM_DEVICE, TRIAL_BYTES, &to, err) &&
		!sycl_write(&session->base, from, src, TRIAL_BYTES, err) &&
		!sycl_write(&session->base, to, dst, TRIAL_BYTES, err) &&
		!sycl_launch(session, kernel, &trial.launch, to, from, err) &&
		!sycl_read(&session->base, dst, to, TRIAL_BYTES, err))
		rc = sycl_program_compare(row, &trial, dst, err);
	if (from.address)
		sycl_release(&session->base, from);
	if (to.address)
		sycl_release(&session->base, to);
	return rc;
}

static struct built_kernel *sycl_program_find(
	const struct sycl_session *session, const struct kernel *row)
{
	struct built_kernel *built = all_built;

	while (built &&
		(built->row != row ||
			!session->api->DPCTLContext_AreEq(built->context, session->context) ||
			!session->api->DPCTLDevice_AreEq(built->device, session->device)))
		built = built->next;
	return built;
}

static void keep_kernel(
	const struct sycl_session *session, const struct kernel *row, void *bundle, void *kernel)
{
	struct built_kernel *built = mem_alloc(sizeof(*built));

	*built = (struct built_kernel){ .row = row,
		.context = session->api->DPCTLContext_Copy(session->context),
		.device = session->api->DPCTLQueue_GetDevice(session->queue),
		.bundle = bundle,
		.kernel = kernel,
		.next = all_built };
	all_built = built;
}

void *sycl_kernel_get(struct sycl_session *session, const struct kernel *row, struct err *err)
{
	const struct built_kernel *built = sycl_program_find(session, row);
	void *bundle, *kernel;

	if (built)
		return built->kernel;
	bundle = sycl_program_build(session, row, err);
	if (!bundle)
		return NULL;
	kernel = session->api->DPCTLKernelBundle_GetKernel(bundle, row->name);
	if (!kernel)
		err_set(err, EXIT_UNAVAILABLE,
			"DPCTLKernelBundle_GetKernel returned NULL for kernel '%s'", row->name);
	if (kernel && !try_kernel(session, row, kernel, err)) {
		keep_kernel(session, row, bundle, kernel);
		return kernel;
	}
	if (kernel)
		session->api->DPCTLKernel_Delete(kernel);
	session->api->DPCTLKernelBundle_Delete(bundle);
	return NULL;
}
