// SPDX-License-Identifier: MIT
/*
 * Kernels on a CUDA place: the PTX that this build embeds, compiled by the driver for its device
 * when a copy first needs it, and kept as long as the place.
 */
#include "base/memory.h"
#include "base/trace.h"
#include "copy/kernels/kernels.h"
#include "devices/cuda/cuda_place.h"

#include <stdlib.h>

/* One kernel of the list, loaded. */
struct cuda_module {
	struct cuda_module *next;
	const struct kernel *kernel;
	void *module, *function;
};

/* One copy on its way through kernel_launches(). */
struct copying {
	struct cuda_place *place;
	void *stream;
	uint64_t to, from;
	struct device_launch *launch;
	uint32_t most_groups; /* of the launch that names the copy */
};

static struct cuda_module *load(
	struct cuda_place *place, const struct kernel *kernel, struct err *err)
{
	struct cuda_module *loaded = mem_alloc(sizeof(*loaded));

	*loaded = (struct cuda_module){ .next = place->modules, .kernel = kernel };
	if (CUDA_CALL(place->api, err, ModuleLoadData, &loaded->module, kernel->ptx))
		goto out;
	if (!CUDA_CALL(place->api, err, ModuleGetFunction, &loaded->function, loaded->module,
		    kernel->name)) {
		place->modules = loaded;
		return loaded;
	}
	(void)place->api->ModuleUnload(loaded->module);
out:
	err->code = EXIT_UNAVAILABLE;
	free(loaded);
	return NULL;
}

static void *function_of(struct cuda_place *place, const struct kernel *kernel, struct err *err)
{
	struct cuda_module *loaded = place->modules;

	while (loaded && loaded->kernel != kernel)
		loaded = loaded->next;
	if (!loaded && !kernel->ptx) {
		err_set(err, EXIT_UNAVAILABLE, "this build has no PTX of the kernel %s",
			kernel->name);
		return NULL;
	}
	if (!loaded)
		loaded = load(place, kernel, err);
	return loaded ? loaded->function : NULL;
}

static int launch(void *context, const struct kernel_launch *next, struct err *err)
{
	struct copying *copying = context;
	void *function = function_of(copying->place, next->kernel, err);
	void *parameters[2 + KERNEL_N_ARGUMENTS] = { &copying->from, &copying->to };

	if (!function)
		return -1;
	for (int i = 0; i < KERNEL_N_ARGUMENTS; i++)
		parameters[2 + i] = (void *)&next->arguments[i];
	TRACE("cuda", "%s, %u groups", next->kernel->name, next->n_groups);
	if (next->n_groups > copying->most_groups) {
		copying->most_groups = next->n_groups;
		copying->launch->kernel = next->kernel->name;
		copying->launch->item_bytes = next->kernel->item_bytes;
	}
	copying->launch->n_launches++;
	return CUDA_CALL(copying->place->api, err, LaunchKernel, function, next->n_groups, 1, 1,
		KERNEL_GROUP_ITEMS, 1, 1, 0, copying->stream, parameters, NULL);
}

/* Whether kernels of the place, which is entered, may touch the address. Host memory of a pool is
 * the host's alone until cuMemPoolSetAccess says otherwise: a kernel that reads it ends the
 * context. */
static int check_reach(struct cuda_place *place, uint64_t address, struct err *err)
{
	struct cuda_pointer pointer;

	if (cuda_pointer_ask(place->api, address, &pointer, err))
		return -1;
	if (pointer.type == CUDA_MEMORY_HOST && !pointer.device_pointer)
		return err_set(err, EXIT_UNAVAILABLE,
			"the device has no access to the host's memory at 0x%llx",
			(unsigned long long)address);
	return 0;
}

int cuda_launch_strided(struct cuda_place *place, const struct copy_plan *plan, uint64_t to,
	uint64_t from, void *stream, struct device_launch *result, struct err *err)
{
	struct copying copying = {
		.place = place, .stream = stream, .to = to, .from = from, .launch = result
	};

	*result = (struct device_launch){ .kernel = NULL };
	return kernel_launches(plan, from, to, launch, &copying, err);
}

int cuda_copy_strided(struct device_place *base, const struct copy_plan *plan,
	struct device_pointer to, struct device_pointer from, struct device_launch *result,
	struct err *err)
{
	struct cuda_place *place = (struct cuda_place *)base;
	void *stream;
	int rc;

	if (cuda_enter(place, err))
		return -1;
	rc = check_reach(place, from.address, err) || check_reach(place, to.address, err) ||
	     cuda_place_stream(place, &stream, err) ||
	     cuda_launch_strided(place, plan, to.address, from.address, stream, result, err) ||
	     CUDA_CALL(place->api, err, StreamSynchronize, stream);
	cuda_leave(place);
	return rc ? -1 : 0;
}

int cuda_run_launch(struct device_place *base, const struct kernel_launch *next,
	struct device_pointer to, struct device_pointer from, struct err *err)
{
	struct cuda_place *place = (struct cuda_place *)base;
	struct device_launch ignored = { .kernel = NULL };
	struct copying copying = {
		.place = place, .to = to.address, .from = from.address, .launch = &ignored
	};
	int rc;

	if (cuda_enter(place, err))
		return -1;
	rc = check_reach(place, from.address, err) || check_reach(place, to.address, err) ||
	     cuda_place_stream(place, &copying.stream, err) || launch(&copying, next, err) ||
	     CUDA_CALL(place->api, err, StreamSynchronize, copying.stream);
	cuda_leave(place);
	return rc ? -1 : 0;
}

void cuda_unload_kernels(struct cuda_place *place)
{
	while (place->modules) {
		struct cuda_module *loaded = place->modules;

		place->modules = loaded->next;
		(void)place->api->ModuleUnload(loaded->module);
		free(loaded);
	}
}
