// SPDX-License-Identifier: MIT
/*
 * Loads libcuda, fills the table of its functions and initializes it. The versioned names are those
 * that cuGetProcAddress returns for the declarations in the table; they are part of the library's
 * ABI.
 */
#include "devices/cuda/cuda_api.h"

#include "base/dynlib.h"
#include "devices/cuda/cuda.h"

#define ROW(NAME, VERSION, ...) { #NAME #VERSION, offsetof(struct cuda_api, NAME), false },
#define OPTIONAL_ROW(NAME, VERSION, ...) { #NAME #VERSION, offsetof(struct cuda_api, NAME), true },
static const struct dynlib_symbol symbols[] = {
	/* clang-format off */
	CUDA_API(ROW)
	CUDA_API_OPTIONAL(OPTIONAL_ROW)
	/* clang-format on */
	{ 0 },
};

/*
 * The table of the library that is loaded in this process or, unless only_loaded, of the one that
 * the loader finds. NULL with err set (EXIT_UNAVAILABLE) if there is none or a symbol is missing.
 * Does not call cuInit.
 */
static const struct cuda_api *cuda_api_open(bool only_loaded, struct err *err)
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

static const struct cuda_api *driver;

const struct cuda_api *cuda_driver(void)
{
	return driver;
}

static int initialize(struct err *err)
{
	const struct cuda_api *api = cuda_api_open(false, err);
	int n_devices;

	if (!api)
		return -1;
	if (CUDA_CALL(api, err, cuInit, 0) || CUDA_CALL(api, err, cuDeviceGetCount, &n_devices))
		goto out;
	if (n_devices < 1) {
		err_set(err, EXIT_UNAVAILABLE, "no CUDA device found");
		return -1;
	}
	driver = api;
	return 0;
out:
	err->code = EXIT_UNAVAILABLE;
	return -1;
}

int cuda_load(struct err *err)
{
	static bool tried;
	static struct err reason;

	if (!tried)
		(void)initialize(&reason);
	tried = true;
	if (!driver)
		*err = reason;
	return driver ? 0 : -1;
}

/* If the library is not loaded, each lookup makes the loader search every directory. */
static const struct cuda_api *find_loaded(void)
{
	static unsigned long long n_searched;
	unsigned long long n_loads = dynlib_n_loads();
	const struct cuda_api *api = NULL;
	struct err ignored;

	if (n_loads != n_searched)
		api = cuda_api_open(true, &ignored);
	n_searched = api ? 0 : n_loads;
	return api;
}

bool cuda_is_running(void)
{
	const struct cuda_api *api = find_loaded();
	int n_devices = 0;

	return api && api->cuDeviceGetCount(&n_devices) == CUDA_SUCCESS && n_devices > 0;
}
