// SPDX-License-Identifier: MIT
/* Loads the OpenCL loader and fills the tables of its functions. */
#include "devices/opencl/opencl_api.h"

#include "base/array_size.h"
#include "base/dynlib.h"

#include <stdio.h>
#include <string.h>

#define ROW(NAME, ...) { #NAME, offsetof(struct opencl_api, NAME), false },
static const struct dynlib_symbol symbols[] = {
	/* clang-format off */
	OPENCL_API(ROW)
	OPENCL_MAKERS(ROW)
	/* clang-format on */
	{ 0 },
};
#undef ROW

#define ROW(RESULT, NAME, ...) { #NAME, offsetof(struct opencl_usm, NAME), false },
static const struct dynlib_symbol usm_symbols[] = {
	/* clang-format off */
	OPENCL_USM_API(ROW)
	/* clang-format on */
	{ 0 },
};
#undef ROW

const struct opencl_api *opencl_api_open(struct err *err)
{
	static const char *const names[] = { "libOpenCL.so.1", NULL };
	static struct opencl_api api;
	static void *handle;

	if (!handle && dynlib_open(names, false, symbols, &api, &handle, err))
		return NULL;
	return &api;
}

void opencl_usm_fill(const struct opencl_api *api, void *platform, struct opencl_usm *usm)
{
	*usm = (struct opencl_usm){ 0 };
	for (const struct dynlib_symbol *symbol = usm_symbols; symbol->name; symbol++) {
		void *function =
			api->clGetExtensionFunctionAddressForPlatform(platform, symbol->name);

		if (!function) {
			*usm = (struct opencl_usm){ 0 };
			return;
		}
		memcpy((char *)usm + symbol->offset, &function, sizeof(function));
	}
}

struct opencl_status opencl_status_name(int status)
{
	static const struct {
		int status;
		const char *name;
	} names[] = {
		{ -1, "CL_DEVICE_NOT_FOUND" },
		{ -2, "CL_DEVICE_NOT_AVAILABLE" },
		{ -3, "CL_COMPILER_NOT_AVAILABLE" },
		{ -4, "CL_MEM_OBJECT_ALLOCATION_FAILURE" },
		{ -5, "CL_OUT_OF_RESOURCES" },
		{ -6, "CL_OUT_OF_HOST_MEMORY" },
		{ -11, "CL_BUILD_PROGRAM_FAILURE" },
		{ -12, "CL_MAP_FAILURE" },
		{ -30, "CL_INVALID_VALUE" },
		{ -33, "CL_INVALID_DEVICE" },
		{ -34, "CL_INVALID_CONTEXT" },
		{ -36, "CL_INVALID_COMMAND_QUEUE" },
		{ -38, "CL_INVALID_MEM_OBJECT" },
		{ -42, "CL_INVALID_BINARY" },
		{ -44, "CL_INVALID_PROGRAM" },
		{ -46, "CL_INVALID_KERNEL_NAME" },
		{ -54, "CL_INVALID_WORK_GROUP_SIZE" },
		{ -59, "CL_INVALID_OPERATION" },
		{ -61, "CL_INVALID_BUFFER_SIZE" },
		{ -1001, "CL_PLATFORM_NOT_FOUND_KHR" },
	};
	struct opencl_status name;

	snprintf(name.text, sizeof(name.text), "%d", status);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].status == status)
			snprintf(name.text, sizeof(name.text), "%s", names[i].name);
	return name;
}

int opencl_fail(struct err *err, enum exit_code code, const char *function, int status)
{
	return err_set(err, code, "%s: %s", function, opencl_status_name(status).text);
}
