// SPDX-License-Identifier: MIT
/* Loads dpctl's C library and fills the table of its functions. */
#include "devices/sycl/sycl_api.h"

#include "base/dynlib.h"

#include <stdio.h>

#define LIBRARY "libDPCTLSyclInterface.so"

#define ROW(RESULT, NAME, ...) { #NAME, offsetof(struct sycl_api, NAME), false },
static const struct dynlib_symbol symbols[] = {
	/* clang-format off */
	SYCL_API(ROW)
#undef ROW
#define ROW(RESULT, NAME, ...) { #NAME, offsetof(struct sycl_api, NAME), true },
	SYCL_KERNEL_API(ROW)
	/* clang-format on */
	{ "_ZNK4sycl3_V17context9getNativeEv", offsetof(struct sycl_api, context_native), true },
	{ 0 },
};

const struct sycl_api *sycl_api_open(const char *directory, struct err *err)
{
	static const char *const loaded[] = { LIBRARY, NULL };
	static struct sycl_api api;
	static void *handle;
	char path[4096];
	const char *const names[] = { path, NULL };

	if (handle)
		return &api;
	if (!dynlib_open(loaded, true, symbols, &api, &handle, err))
		return &api;
	if (!directory)
		return NULL;
	snprintf(path, sizeof(path), "%s/" LIBRARY, directory);
	return dynlib_open(names, false, symbols, &api, &handle, err) ? NULL : &api;
}
