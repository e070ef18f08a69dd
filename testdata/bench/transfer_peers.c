// SPDX-License-Identifier: MIT
/* Functions for testdata/bench/usm.py, called through ctypes: suai's copies on SYCL and OpenCL
 * devices, with the engine that is passed, as convert makes them. */
#include "devices/opencl/opencl.h"
#include "devices/sycl/sycl.h"
#include "devices/transfer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

/* One side: memory of a session, or with none of the host. */
struct bench_end {
	struct device_session *session;
	uint64_t handle, address;
	const int64_t *stride_bytes;
	int host_reaches;
};

/* The elements of both sides. */
struct bench_elements {
	int n_dims;
	const int64_t *shape;
	int item_bytes;
};

EXPORTED const char *bench_error(void);
EXPORTED struct device_session *bench_open_sycl(const void *queue);
EXPORTED struct device_session *bench_open_opencl(int platform, int device);
EXPORTED const char *bench_opencl_name(int i, int *platform, int *device);
EXPORTED int bench_allocate(struct device_session *session, const char *kind, size_t n_bytes,
	struct device_pointer *pointer);
EXPORTED void bench_release(struct device_session *session, const struct device_pointer *pointer);
EXPORTED int bench_write(struct device_session *session, const struct device_pointer *to,
	const void *from, size_t n_bytes);
EXPORTED int bench_read(struct device_session *session, void *to, const struct device_pointer *from,
	size_t n_bytes);
EXPORTED int bench_transfer(const struct bench_elements *elements, const struct bench_end *from,
	const struct bench_end *to, int engine, char *kernel, size_t n_chars);
EXPORTED int bench_transfer_new(const struct bench_elements *elements, const struct bench_end *from,
	const struct bench_end *to, int engine, const char *kind);

static struct err err;

const char *bench_error(void)
{
	return err.message;
}

struct device_session *bench_open_sycl(const void *queue)
{
	struct sycl_source source = { .queue = queue };

	return sycl_load(&err) ? NULL : sycl_open(&source, &err);
}

struct device_session *bench_open_opencl(int platform, int device)
{
	return opencl_load(&err) ? NULL : opencl_open_device(platform, device, &err);
}

/* "PLATFORM: DEVICE" of the i-th device, with clinfo's numbers; NULL: there is none. */
const char *bench_opencl_name(int i, int *platform, int *device)
{
	static char name[300];
	struct opencl_device *devices;
	size_t n_devices = 0;

	devices = opencl_load(&err) ? NULL : opencl_find_devices(&n_devices, &err);
	*name = '\0';
	if (i < (int)n_devices && sscanf(devices[i].filter, "opencl:%d.%d", platform, device) == 2)
		snprintf(name, sizeof(name), "%s: %s", devices[i].platform, devices[i].name);
	free(devices);
	return *name ? name : NULL;
}

int bench_allocate(struct device_session *session, const char *kind, size_t n_bytes,
	struct device_pointer *pointer)
{
	enum memory_kind memory_kind;

	if (!memory_kind_from_name(kind, &memory_kind))
		return -1;
	return session->runtime->allocate(session, memory_kind, n_bytes, pointer, &err);
}

void bench_release(struct device_session *session, const struct device_pointer *pointer)
{
	session->runtime->release(session, *pointer);
}

int bench_write(struct device_session *session, const struct device_pointer *to, const void *from,
	size_t n_bytes)
{
	return session->runtime->write(session, *to, from, n_bytes, &err);
}

int bench_read(
	struct device_session *session, void *to, const struct device_pointer *from, size_t n_bytes)
{
	return session->runtime->read(session, to, *from, n_bytes, &err);
}

static void lay_out(
	struct array *array, const struct bench_elements *elements, const struct bench_end *end)
{
	*array = (struct array){ .n_dims = elements->n_dims,
		.dtype = { .kind = DTYPE_VOID, .lanes = 1, .bits = 8 * elements->item_bytes },
		.pointer = end->address };
	memcpy(array->shape, elements->shape, (size_t)elements->n_dims * sizeof(int64_t));
	memcpy(array->stride_bytes, end->stride_bytes, (size_t)elements->n_dims * sizeof(int64_t));
}

static struct memory_location location_of(const struct bench_end *end)
{
	return (struct memory_location){
		.session = end->session, .handle = end->handle, .host_reaches = end->host_reaches
	};
}

/* engine is enum transfer_engine; kernel takes the name of what ran, "host" or "memcpy". */
int bench_transfer(const struct bench_elements *elements, const struct bench_end *from,
	const struct bench_end *to, int engine, char *kernel, size_t n_chars)
{
	struct array source, target;
	struct memory_location source_location = location_of(from),
			       target_location = location_of(to);
	const struct transfer_end source_end = { &source, &source_location };
	const struct transfer_end target_end = { &target, &target_location };
	struct transfer transfer = { 0 };

	lay_out(&source, elements, from);
	lay_out(&target, elements, to);
	if (transfer_run(&transfer, &source_end, &target_end, (enum transfer_engine)engine, &err))
		return -1;
	snprintf(kernel, n_chars, "%s",
		transfer.launch.kernel ? transfer.launch.kernel : copy_path_name(transfer.path));
	return 0;
}

/* The same into new memory of the source's session, which is freed again; of `to` only the strides
 * are used. */
int bench_transfer_new(const struct bench_elements *elements, const struct bench_end *from,
	const struct bench_end *to, int engine, const char *kind)
{
	struct bench_end fresh = { .session = from->session,
		.stride_bytes = to->stride_bytes,
		.host_reaches = from->host_reaches };
	size_t n_bytes = (size_t)elements->item_bytes;
	struct device_pointer memory;
	char ignored[64];
	int rc;

	for (int i = 0; i < elements->n_dims; i++)
		n_bytes *= (size_t)elements->shape[i];
	if (bench_allocate(fresh.session, kind, n_bytes, &memory))
		return -1;
	fresh.handle = memory.handle;
	fresh.address = memory.address;
	rc = bench_transfer(elements, from, &fresh, engine, ignored, sizeof(ignored));
	bench_release(fresh.session, &memory);
	return rc;
}
