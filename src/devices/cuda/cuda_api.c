// SPDX-License-Identifier: MIT
/*
 * Loads libcuda and fills the table of its functions. The versioned names are those that
 * cuGetProcAddress returns for the declarations in the table; they are part of the library's ABI.
 */
#include "devices/cuda/cuda_api.h"

#include "base/dynlib.h"

#define ROW(NAME, VERSION, ...) { #NAME #VERSION, offsetof(struct cuda_api, NAME), false },
#define OPTIONAL_ROW(NAME, VERSION, ...) { #NAME #VERSION, offsetof(struct cuda_api, NAME), true },
static const struct dynlib_symbol symbols[] = {
	/* clang-format off */
	CUDA_API(ROW)
	CUDA_API_OPTIONAL(OPTIONAL_ROW)
	/* clang-format on */
	{ 0 },
};

const struct cuda_api *cuda_api_open(bool only_loaded, struct err *err)
{
	static const char *const names[] = { "libcuda.so.1", NULL };
	static struct cuda_api api;
	static void *handle;

	if (handle)
		return &api;
	return dynlib_open(names, only_loaded, symbols, &api, &handle, err) ? NULL : &api;
}

const char *cuda_error_name(const struct cuda_api *api, int result)
{
	const char *name = NULL;

	if (api->cuGetErrorName(result, &name) != CUDA_SUCCESS || !name)
		return "unknown CUDA error";
	return name;
}

int cuda_check(const struct cuda_api *api, const char *function, int result, struct err *err)
{
	bool lacking = result == CUDA_ERROR_OUT_OF_MEMORY || result == CUDA_ERROR_NOT_SUPPORTED;

	if (result == CUDA_SUCCESS)
		return 0;
	return err_set(err, lacking ? EXIT_UNAVAILABLE : EXIT_TARGET, "%s: %s", function,
		cuda_error_name(api, result));
}
