// SPDX-License-Identifier: MIT
/*
 * Builds kernels for an OpenCL session: from the cached binary of an earlier run, otherwise from
 * source.
 */
#include "base/crc32.h"
#include "base/debug.h"
#include "base/memory.h"
#include "devices/opencl/code_cache.h"
#include "devices/opencl/opencl_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_KEY = 1024 };

/* The configuration that a binary is valid for. */
static void make_key(
	const struct opencl_session *session, const struct kernel *row, char key[MAX_KEY])
{
	const size_t n_chars = strlen(row->source);
	char platform[128] = "", device[128], version[128], driver[128];

	session->api->clGetPlatformInfo(
		session->platform, CL_PLATFORM_VERSION, sizeof(platform) - 1, platform, NULL);
	opencl_device_text(session->api, session->device, CL_DEVICE_NAME, device, sizeof(device));
	opencl_device_text(
		session->api, session->device, CL_DEVICE_VERSION, version, sizeof(version));
	opencl_device_text(
		session->api, session->device, CL_DRIVER_VERSION, driver, sizeof(driver));
	snprintf(key, MAX_KEY, "%s|%s|%s|%s|%s|%zu:%08x", platform, device, version, driver,
		row->options, n_chars, crc32_add(0, row->source, n_chars));
}

static int build_failed(
	const struct opencl_session *session, void *program, int status, struct err *err)
{
	char log[512] = "";

	session->api->clGetProgramBuildInfo(
		program, session->device, CL_PROGRAM_BUILD_LOG, sizeof(log) - 1, log, NULL);
	log[strcspn(log, "\n")] = '\0';
	return err_set(err, EXIT_UNAVAILABLE, "clBuildProgram: %s%s%s",
		opencl_status_name(status).text, log[0] ? ": " : "", log);
}

static void *program_of_binary(const struct opencl_session *session, const char *key)
{
	unsigned char *bytes;
	size_t n_bytes;
	int each = 0, status = 0;
	void *program;

	if (!code_cache_read(key, &bytes, &n_bytes))
		return NULL;
	program = session->api->clCreateProgramWithBinary(session->context, 1, &session->device,
		&n_bytes, (const unsigned char **)&bytes, &each, &status);
	free(bytes);
	if (!program || status || each ||
		session->api->clBuildProgram(program, 1, &session->device, "", NULL, NULL)) {
		DEBUG_LOG("opencl", "the driver rejected the cached binary");
		if (program)
			session->api->clReleaseProgram(program);
		return NULL;
	}
	return program;
}

static void cache_binary(const struct opencl_session *session, void *program, const char *key)
{
	size_t n_bytes = 0;
	unsigned char *bytes;

	if (session->api->clGetProgramInfo(
		    program, CL_PROGRAM_BINARY_SIZES, sizeof(n_bytes), &n_bytes, NULL) ||
		!n_bytes)
		return;
	bytes = mem_alloc(n_bytes);
	if (!session->api->clGetProgramInfo(
		    program, CL_PROGRAM_BINARIES, sizeof(bytes), (void *)&bytes, NULL))
		code_cache_write(key, bytes, n_bytes);
	free(bytes);
}

static void *program_of_source(
	const struct opencl_session *session, const struct kernel *row, struct err *err)
{
	const char *text = row->source;
	int status = 0;
	void *program =
		session->api->clCreateProgramWithSource(session->context, 1, &text, NULL, &status);

	if (!program) {
		opencl_fail(err, EXIT_UNAVAILABLE, "clCreateProgramWithSource", status);
		return NULL;
	}
	status = session->api->clBuildProgram(
		program, 1, &session->device, row->options, NULL, NULL);
	if (!status)
		return program;
	build_failed(session, program, status, err);
	session->api->clReleaseProgram(program);
	return NULL;
}

static int opencl_program_build(
	struct opencl_session *session, struct opencl_kernel *kernel, struct err *err)
{
	char key[MAX_KEY];
	int status = 0;

	make_key(session, kernel->row, key);
	kernel->program = program_of_binary(session, key);
	if (kernel->program)
		kernel->kernel =
			session->api->clCreateKernel(kernel->program, kernel->row->name, &status);
	kernel->is_cached = kernel->kernel != NULL;
	if (kernel->kernel)
		return 0;
	if (kernel->program)
		session->api->clReleaseProgram(kernel->program);
	kernel->program = program_of_source(session, kernel->row, err);
	if (!kernel->program)
		return -1;
	kernel->kernel = session->api->clCreateKernel(kernel->program, kernel->row->name, &status);
	return kernel->kernel ? 0 : opencl_fail(err, EXIT_UNAVAILABLE, "clCreateKernel", status);
}

static void free_kernel(const struct opencl_session *session, struct opencl_kernel *kernel)
{
	if (kernel->kernel)
		session->api->clReleaseKernel(kernel->kernel);
	if (kernel->program)
		session->api->clReleaseProgram(kernel->program);
	free(kernel);
}

struct opencl_kernel *opencl_kernel_get(
	struct opencl_session *session, const struct kernel *row, struct err *err)
{
	struct opencl_kernel *kernel = session->kernels;

	while (kernel && kernel->row != row)
		kernel = kernel->next;
	if (kernel)
		return kernel;
	kernel = mem_alloc(sizeof(*kernel));
	*kernel = (struct opencl_kernel){ .row = row };
	if (opencl_program_build(session, kernel, err)) {
		free_kernel(session, kernel);
		return NULL;
	}
	kernel->next = session->kernels;
	session->kernels = kernel;
	return kernel;
}

void opencl_kernels_cache(struct opencl_session *session)
{
	char key[MAX_KEY];

	for (struct opencl_kernel *kernel = session->kernels; kernel; kernel = kernel->next) {
		if (kernel->is_cached)
			continue;
		make_key(session, kernel->row, key);
		cache_binary(session, kernel->program, key);
		kernel->is_cached = true;
	}
}

void opencl_kernels_free(struct opencl_session *session)
{
	struct opencl_kernel *next;

	for (struct opencl_kernel *kernel = session->kernels; kernel; kernel = next) {
		next = kernel->next;
		free_kernel(session, kernel);
	}
	session->kernels = NULL;
}
