// SPDX-License-Identifier: MIT
/*
 * A fake libcuda.so.1 with the functions that suai trace replaces, for error paths: it copies
 * nothing and is no test of a GPU. Addresses below 4096 are those of a device, and copies of 13
 * bytes fail.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define API __attribute__((visibility("default")))

enum { SUCCESS, INVALID_VALUE, NOT_FOUND = 500, DEVICE_END = 4096, UNLUCKY = 13 };

static int copy_status(size_t n_bytes)
{
	return n_bytes == UNLUCKY ? INVALID_VALUE : SUCCESS;
}

API int cuPointerGetAttribute(void *value, int attribute, uintptr_t pointer)
{
	if (attribute != 2 || pointer >= DEVICE_END)
		return INVALID_VALUE;
	*(unsigned int *)value = 2;
	return SUCCESS;
}

API int cuMemcpyHtoD_v2(uintptr_t to, const void *from, size_t n_bytes)
{
	return to && from ? copy_status(n_bytes) : INVALID_VALUE;
}

API int cuMemcpyHtoD(uint32_t to, const void *from, uint32_t n_bytes)
{
	return cuMemcpyHtoD_v2(to, from, n_bytes);
}

API int cuMemcpyDtoHAsync_v2(void *to, uintptr_t from, size_t n_bytes, void *stream)
{
	(void)stream;
	return to && from ? copy_status(n_bytes) : INVALID_VALUE;
}

API int cuMemcpyDtoHAsync_v2_ptsz(void *to, uintptr_t from, size_t n_bytes, void *stream)
{
	return cuMemcpyDtoHAsync_v2(to, from, n_bytes, stream) + 0;
}

API int cuMemcpyAsync(uintptr_t to, uintptr_t from, size_t n_bytes, void *stream)
{
	(void)stream;
	return to && from ? copy_status(n_bytes) : INVALID_VALUE;
}

API int cuMemcpy2D_v2(const void *copy)
{
	return copy ? SUCCESS : INVALID_VALUE;
}

API int cuMemcpy3DAsync_v2(const void *copy, void *stream)
{
	(void)stream;
	return copy ? SUCCESS : INVALID_VALUE;
}

API int cuStreamWaitEvent(void *stream, void *event, unsigned int flags)
{
	(void)stream;
	return event && !flags ? SUCCESS : INVALID_VALUE;
}

API int cuGetProcAddress_v2(
	const char *name, void **out, int version, uint64_t flags, int *query_status)
{
	const struct {
		const char *name;
		void *function, *function_of_thread, *old;
	} functions[] = {
		{ "cuMemcpyHtoD", (void *)cuMemcpyHtoD_v2, (void *)cuMemcpyHtoD_v2,
			(void *)cuMemcpyHtoD },
		{ "cuMemcpyDtoHAsync", (void *)cuMemcpyDtoHAsync_v2,
			(void *)cuMemcpyDtoHAsync_v2_ptsz, (void *)cuMemcpyDtoHAsync_v2 },
		{ "cuMemcpyAsync", (void *)cuMemcpyAsync, (void *)cuMemcpyAsync,
			(void *)cuMemcpyAsync },
		{ "cuGetProcAddress", (void *)cuGetProcAddress_v2, (void *)cuGetProcAddress_v2,
			(void *)cuGetProcAddress_v2 },
	};

	*out = NULL;
	*query_status = 1;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(functions[i].name, name)) {
			*out = version < 3020 ? functions[i].old
			       : flags & 2    ? functions[i].function_of_thread
					      : functions[i].function;
			*query_status = 0;
		}
	return *out ? SUCCESS : NOT_FOUND;
}
