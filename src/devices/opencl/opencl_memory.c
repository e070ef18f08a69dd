// SPDX-License-Identifier: MIT
/*
 * Memory of an OpenCL session: buffers (a cl_mem and an offset) and, if the platform supports it,
 * USM (only an address).
 */
#include "base/huge_pages.h"
#include "devices/opencl/opencl_session.h"

enum { ALIGNMENT = 64, BLOCKING = 1 };

static void *as_handle(uint64_t handle)
{
	return (void *)(uintptr_t)handle;
}

static int check(int status, const char *function, struct err *err)
{
	return status ? opencl_fail(err, EXIT_TARGET, function, status) : 0;
}

static void *allocate_usm(const struct opencl_session *session, enum memory_kind kind,
	size_t n_bytes, const char **function, int *status)
{
	switch (kind) {
	case MEMORY_USM_DEVICE:
		*function = "clDeviceMemAllocINTEL";
		return session->usm.clDeviceMemAllocINTEL(
			session->context, session->device, NULL, n_bytes, ALIGNMENT, status);
	case MEMORY_USM_SHARED:
		*function = "clSharedMemAllocINTEL";
		return session->usm.clSharedMemAllocINTEL(
			session->context, session->device, NULL, n_bytes, ALIGNMENT, status);
	default:
		*function = "clHostMemAllocINTEL";
		return session->usm.clHostMemAllocINTEL(
			session->context, NULL, n_bytes, ALIGNMENT, status);
	}
}

int opencl_allocate(struct device_session *base, enum memory_kind kind, size_t n_bytes,
	struct device_pointer *pointer, struct err *err)
{
	struct opencl_session *session = (struct opencl_session *)base;
	const char *function = "clCreateBuffer";
	int status = 0;
	void *memory;

	*pointer = (struct device_pointer){ 0 };
	if (kind == MEMORY_OPENCL_BUFFER) {
		memory = session->api->clCreateBuffer(
			session->context, CL_MEM_READ_WRITE, n_bytes, NULL, &status);
		pointer->handle = (uintptr_t)memory;
	} else if ((kind == MEMORY_USM_DEVICE || kind == MEMORY_USM_SHARED ||
			   kind == MEMORY_USM_HOST) &&
		   session->usm.clMemFreeINTEL) {
		memory = allocate_usm(session, kind, n_bytes, &function, &status);
		pointer->address = (uintptr_t)memory;
	} else {
		return err_set(err, EXIT_UNAVAILABLE,
			"this OpenCL platform does not support %s memory", memory_kind_name(kind));
	}
	return memory ? 0 : opencl_fail(err, EXIT_UNAVAILABLE, function, status);
}

void opencl_release(struct device_session *base, struct device_pointer pointer)
{
	struct opencl_session *session = (struct opencl_session *)base;

	if (pointer.handle)
		session->api->clReleaseMemObject(as_handle(pointer.handle));
	else if (pointer.address)
		session->usm.clMemFreeINTEL(session->context, as_handle(pointer.address));
}

int opencl_copy(
	struct device_session *base, void *to, const void *from, size_t n_bytes, struct err *err)
{
	struct opencl_session *session = (struct opencl_session *)base;

	if (!session->usm.clEnqueueMemcpyINTEL)
		return err_set(err, EXIT_UNAVAILABLE, "this OpenCL platform does not support USM");
	return check(session->usm.clEnqueueMemcpyINTEL(
			     session->queue, BLOCKING, to, from, n_bytes, 0, NULL, NULL),
		"clEnqueueMemcpyINTEL", err);
}

int opencl_read(struct device_session *base, void *to, struct device_pointer from, size_t n_bytes,
	struct err *err)
{
	struct opencl_session *session = (struct opencl_session *)base;

	if (!n_bytes)
		return 0;
	if (!from.handle)
		return opencl_copy(base, to, as_handle(from.address), n_bytes, err);
	return check(session->api->clEnqueueReadBuffer(session->queue, as_handle(from.handle),
			     BLOCKING, from.address, n_bytes, to, 0, NULL, NULL),
		"clEnqueueReadBuffer", err);
}

int opencl_write(struct device_session *base, struct device_pointer to, const void *from,
	size_t n_bytes, struct err *err)
{
	struct opencl_session *session = (struct opencl_session *)base;

	if (!n_bytes)
		return 0;
	if (!to.handle)
		return opencl_copy(base, as_handle(to.address), from, n_bytes, err);
	return check(session->api->clEnqueueWriteBuffer(session->queue, as_handle(to.handle),
			     BLOCKING, to.address, n_bytes, from, 0, NULL, NULL),
		"clEnqueueWriteBuffer", err);
}

int opencl_move(struct device_session *base, struct device_pointer to, struct device_pointer from,
	size_t n_bytes, struct err *err)
{
	struct opencl_session *session = (struct opencl_session *)base;

	if (!n_bytes)
		return 0;
	if (!to.handle && !from.handle)
		return opencl_copy(
			base, as_handle(to.address), as_handle(from.address), n_bytes, err);
	if (!to.handle || !from.handle)
		return err_set(err, EXIT_UNAVAILABLE,
			"copying between an OpenCL buffer and USM is not supported");
	if (check(session->api->clEnqueueCopyBuffer(session->queue, as_handle(from.handle),
			  as_handle(to.handle), from.address, to.address, n_bytes, 0, NULL, NULL),
		    "clEnqueueCopyBuffer", err))
		return -1;
	return check(session->api->clFinish(session->queue), "clFinish", err);
}

int opencl_map(struct device_session *base, struct device_pointer pointer, size_t n_bytes,
	enum device_access access, bool waits, void **host, struct err *err)
{
	static const uint64_t flags[] = { [DEVICE_READ] = CL_MAP_READ,
		[DEVICE_WRITE] = CL_MAP_READ | CL_MAP_WRITE,
		[DEVICE_FILL] = CL_MAP_WRITE_INVALIDATE_REGION };
	struct opencl_session *session = (struct opencl_session *)base;
	int status = 0;

	*host = session->api->clEnqueueMapBuffer(session->queue, as_handle(pointer.handle), waits,
		flags[access], pointer.address, n_bytes, 0, NULL, NULL, &status);
	if (!*host)
		return opencl_fail(err, EXIT_UNAVAILABLE, "clEnqueueMapBuffer", status);
	if (access == DEVICE_FILL)
		huge_pages_advise(*host, n_bytes);
	return 0;
}

int opencl_unmap(struct device_session *base, struct device_pointer pointer, void *host, bool waits,
	struct err *err)
{
	struct opencl_session *session = (struct opencl_session *)base;

	if (check(session->api->clEnqueueUnmapMemObject(
			  session->queue, as_handle(pointer.handle), host, 0, NULL, NULL),
		    "clEnqueueUnmapMemObject", err))
		return -1;
	return waits ? check(session->api->clFinish(session->queue), "clFinish", err) : 0;
}
