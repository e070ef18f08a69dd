// SPDX-License-Identifier: MIT
/*
 * Kernels of a CUDA session: native code, or PTX that the driver compiles for the device, loaded at
 * first use and kept for the lifetime of the session.
 */
#include "base/debug.h"
#include "base/memory.h"
#include "copy/kernels/kernel_code.h"
#include "devices/cuda/cuda_session.h"

#include <stdlib.h>
#include <string.h>

/* A loaded kernel. */
struct cuda_module {
	struct cuda_module *next;
	const struct kernel *kernel;
	void *module, *function;
};

/* The context of kernel_launches() for one copy. */
struct strided_run {
	struct cuda_session *session;
	void *stream;
	uint64_t to, from;
	struct device_launch *launch;
};

/* An attribute of the device of the session; false if it is not known. */
static bool session_attribute(const struct cuda_session *session, int attribute, int *value)
{
	int device;

	return !session->api->cuDeviceGet(&device, session->ordinal) &&
	       !session->api->cuDeviceGetAttribute(value, attribute, device);
}

/* Native code for the device of the session, or PTX, which the driver compiles. */
static const struct kernel_form *form_for(const struct cuda_session *session)
{
	const char *wanted = getenv("SUAI_CUDA_KERNELS");
	const struct kernel_form *form = NULL;
	int major, minor;

	if (!(wanted && !strcmp(wanted, "ptx")) &&
		session_attribute(session, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major) &&
		session_attribute(session, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor))
		form = kernel_form_native(major, minor);
	return form ? form : kernel_form_find("ptx");
}

static int load_form(struct cuda_session *session, struct cuda_module *loaded,
	const struct kernel_form *form, struct err *err)
{
	size_t n_bytes;
	const char *code = kernel_code(loaded->kernel, form, &n_bytes, err);

	if (!code || CUDA_CALL(session->api, err, cuModuleLoadData, &loaded->module, code))
		return -1;
	DEBUG_LOG("cuda", "loaded %s (%s)", loaded->kernel->name, form->name);
	return 0;
}

/* A driver may reject native code, of a newer toolkit for example: PTX then takes its place. */
static int load_kernel_code(
	struct cuda_session *session, struct cuda_module *loaded, struct err *err)
{
	const struct kernel_form *form = form_for(session), *ptx = kernel_form_find("ptx");

	if (loaded->kernel->ptx)
		return CUDA_CALL(
			session->api, err, cuModuleLoadData, &loaded->module, loaded->kernel->ptx);
	if (!form)
		return err_set(err, EXIT_UNAVAILABLE, "this build has no PTX for kernel '%s'",
			loaded->kernel->name);
	if (!load_form(session, loaded, form, err))
		return 0;
	return ptx && ptx != form ? load_form(session, loaded, ptx, err) : -1;
}

static struct cuda_module *cuda_kernels_load(
	struct cuda_session *session, const struct kernel *kernel, struct err *err)
{
	struct cuda_module *loaded = mem_alloc(sizeof(*loaded));

	*loaded = (struct cuda_module){ .next = session->modules, .kernel = kernel };
	if (load_kernel_code(session, loaded, err))
		goto out;
	if (!CUDA_CALL(session->api, err, cuModuleGetFunction, &loaded->function, loaded->module,
		    kernel->name)) {
		session->modules = loaded;
		return loaded;
	}
	(void)session->api->cuModuleUnload(loaded->module);
out:
	err->code = EXIT_UNAVAILABLE;
	free(loaded);
	return NULL;
}

static void *function_of(struct cuda_session *session, const struct kernel *kernel, struct err *err)
{
	struct cuda_module *loaded = session->modules;

	while (loaded && loaded->kernel != kernel)
		loaded = loaded->next;
	if (!loaded)
		loaded = cuda_kernels_load(session, kernel, err);
	return loaded ? loaded->function : NULL;
}

static int cuda_kernels_launch(void *context, const struct kernel_launch *next, struct err *err)
{
	struct strided_run *run = context;
	void *function = function_of(run->session, next->kernel, err);
	uint64_t packed[2 + KERNEL_MAX_ARGUMENTS]; /* all parameters have eight bytes */
	size_t n_packed = (size_t)(2 + next->n_arguments) * sizeof(packed[0]);
	void *extra[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, packed, CU_LAUNCH_PARAM_BUFFER_SIZE,
		&n_packed, CU_LAUNCH_PARAM_END };

	if (!function)
		return -1;
	packed[0] = run->from;
	packed[1] = run->to;
	memcpy(&packed[2], next->arguments, n_packed - 2 * sizeof(packed[0]));
	DEBUG_LOG("cuda", "%s, %u groups", next->kernel->name, next->n_groups);
	device_launch_add(run->launch, next->kernel->name, next->kernel->item_bytes);
	return CUDA_CALL(run->session->api, err, cuLaunchKernel, function, next->n_groups, 1, 1,
		KERNEL_GROUP_ITEMS, 1, 1, 0, run->stream, NULL, extra);
}

/*
 * Whether kernels of the session, which is entered, can access the address. Pooled host memory is
 * accessible only to the host unless cuMemPoolSetAccess grants access: a kernel that reads it
 * destroys the context.
 */
static int cuda_kernels_check_reach(struct cuda_session *session, uint64_t address, struct err *err)
{
	struct cuda_pointer pointer;

	if (cuda_pointer_query(session->api, address, &pointer, err))
		return -1;
	if (pointer.type == CU_MEMORYTYPE_HOST && !pointer.device_pointer)
		return err_set(err, EXIT_UNAVAILABLE,
			"the device cannot access host memory at 0x%llx",
			(unsigned long long)address);
	return 0;
}

int cuda_launch_strided(struct cuda_session *session, const struct copy_plan *plan, uint64_t to,
	uint64_t from, void *stream, struct device_launch *result, struct err *err)
{
	struct strided_run run = {
		.session = session, .stream = stream, .to = to, .from = from, .launch = result
	};

	*result = (struct device_launch){ .kernel = NULL };
	return kernel_launches(
		plan, from, to, KERNEL_MAX_ARGUMENTS, cuda_kernels_launch, &run, err);
}

/* Enters the session, and finds the stream of kernels that access both addresses. */
static int begin_launches(
	struct cuda_session *session, uint64_t to, uint64_t from, void **stream, struct err *err)
{
	if (cuda_enter(session, err))
		return -1;
	if (!cuda_kernels_check_reach(session, from, err) &&
		!cuda_kernels_check_reach(session, to, err) &&
		!cuda_session_stream(session, stream, err))
		return 0;
	cuda_leave(session);
	return -1;
}

int cuda_copy_strided(struct device_session *base, const struct copy_plan *plan,
	struct device_pointer to, struct device_pointer from, struct device_launch *result,
	struct err *err)
{
	struct cuda_session *session = (struct cuda_session *)base;
	void *stream;
	int rc;

	if (begin_launches(session, to.address, from.address, &stream, err))
		return -1;
	rc = cuda_launch_strided(session, plan, to.address, from.address, stream, result, err) ||
	     CUDA_CALL(session->api, err, cuStreamSynchronize, stream);
	cuda_leave(session);
	return rc ? -1 : 0;
}

int cuda_start_launch(struct cuda_session *session, const struct kernel_launch *launch, uint64_t to,
	uint64_t from, void *stream, struct err *err)
{
	struct device_launch ignored = { .kernel = NULL };
	struct strided_run run = {
		.session = session, .stream = stream, .to = to, .from = from, .launch = &ignored
	};

	return cuda_kernels_launch(&run, launch, err);
}

int cuda_run_launch(struct device_session *base, const struct kernel_launch *next,
	struct device_pointer to, struct device_pointer from, struct err *err)
{
	struct cuda_session *session = (struct cuda_session *)base;
	void *stream;
	int rc;

	if (begin_launches(session, to.address, from.address, &stream, err))
		return -1;
	rc = cuda_start_launch(session, next, to.address, from.address, stream, err) ||
	     CUDA_CALL(session->api, err, cuStreamSynchronize, stream);
	cuda_leave(session);
	return rc ? -1 : 0;
}

void cuda_unload_kernels(struct cuda_session *session)
{
	while (session->modules) {
		struct cuda_module *loaded = session->modules;

		session->modules = loaded->next;
		(void)session->api->cuModuleUnload(loaded->module);
		free(loaded);
	}
}
