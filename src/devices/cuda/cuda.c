// SPDX-License-Identifier: MIT
/*
 * CUDA places and devices. A place works in the context that its memory belongs to, or in the
 * device's primary context, which the CUDA runtime shares; no context is made beside it.
 */
#include "devices/cuda/cuda.h"

#include "base/dynlib.h"
#include "base/memory.h"
#include "devices/cuda/cuda_place.h"

#include <stdio.h>
#include <stdlib.h>

static const struct cuda_api *driver;

const struct cuda_api *cuda_driver(void)
{
	return driver;
}

static int load(struct err *err)
{
	const struct cuda_api *api = cuda_api_open(false, err);
	int n_devices;

	if (!api)
		return -1;
	if (CUDA_CALL(api, err, Init, 0) || CUDA_CALL(api, err, DeviceGetCount, &n_devices))
		goto out;
	if (n_devices < 1) {
		err_set(err, EXIT_UNAVAILABLE, "the CUDA driver finds no device");
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
		(void)load(&reason);
	tried = true;
	if (!driver)
		*err = reason;
	return driver ? 0 : -1;
}

/* Where it is not loaded, the loader searches every folder for it, each time. */
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

	return api && api->DeviceGetCount(&n_devices) == CUDA_SUCCESS && n_devices > 0;
}

static int retain_primary(struct cuda_place *place, struct err *err)
{
	int ordinal = place->ordinal < 0 ? 0 : place->ordinal, device;

	if (CUDA_CALL(place->api, err, DeviceGet, &device, ordinal) ||
		CUDA_CALL(place->api, err, DevicePrimaryCtxRetain, &place->context, device))
		return -1;
	place->ordinal = ordinal;
	place->retained = true;
	return 0;
}

int cuda_enter(struct cuda_place *place, struct err *err)
{
	if (!place->context && retain_primary(place, err))
		return -1;
	return CUDA_CALL(place->api, err, CtxPushCurrent, place->context);
}

void cuda_leave(struct cuda_place *place)
{
	void *context;

	(void)place->api->CtxPopCurrent(&context);
}

int cuda_place_stream(struct cuda_place *place, void **stream, struct err *err)
{
	if (!place->stream && CUDA_CALL(place->api, err, StreamCreate, &place->stream, 0))
		return -1;
	*stream = place->stream;
	return 0;
}

static void release_primary(struct cuda_place *place)
{
	int device;

	if (place->retained && place->api->DeviceGet(&device, place->ordinal) == CUDA_SUCCESS)
		(void)place->api->DevicePrimaryCtxRelease(device);
}

static void cuda_close(struct device_place *base)
{
	struct cuda_place *place = (struct cuda_place *)base;
	struct err ignored;

	if (!place)
		return;
	if ((place->stream || place->modules) && !cuda_enter(place, &ignored)) {
		cuda_unload_kernels(place);
		if (place->stream && !place->borrows_stream)
			(void)place->api->StreamDestroy(place->stream);
		cuda_leave(place);
	}
	release_primary(place);
	free(place);
}

static const struct device_runtime cuda_runtime = {
	.name = "cuda",
	.device_kind = MEMORY_DEVICE,
	.locate = cuda_locate,
	.wait = cuda_wait,
	.copy = cuda_copy,
	.allocate = cuda_allocate,
	.release = cuda_release,
	.read = cuda_read,
	.write = cuda_write,
	.move = cuda_move,
	.copy_strided = cuda_copy_strided,
	.launch = cuda_run_launch,
	.close = cuda_close,
};

struct device_place *cuda_open(const struct cuda_source *source, struct err *err)
{
	struct cuda_pointer pointer = { .ordinal = -1 };
	struct cuda_place *place;

	if (cuda_load(err) ||
		(source->address && cuda_pointer_ask(driver, source->address, &pointer, err)))
		return NULL;
	place = mem_alloc(sizeof(*place));
	place->base.runtime = &cuda_runtime;
	place->api = driver;
	place->context = pointer.context;
	place->ordinal = pointer.type ? pointer.ordinal : (int)source->device;
	place->has_producer = source->has_stream && source->stream;
	place->producer = source->stream;
	return &place->base;
}

static int take_stream(struct cuda_place *place, uint64_t stream, struct err *err)
{
	struct cuda_stream_facts facts;

	cuda_ask_stream(stream, &facts);
	if (facts.valid != ANSWER_YES)
		return err_set(err, EXIT_TARGET, "the driver knows no stream 0x%llx: %s",
			(unsigned long long)stream, facts.error);
	if (facts.device >= 0)
		place->ordinal = (int)facts.device;
	place->stream = (void *)(uintptr_t)stream;
	place->borrows_stream = true;
	return 0;
}

static int make_stream(struct cuda_place *place, struct err *err)
{
	void *stream;
	int rc;

	if (cuda_enter(place, err))
		return -1;
	rc = cuda_place_stream(place, &stream, err);
	cuda_leave(place);
	return rc;
}

struct device_place *cuda_open_stream(
	int64_t device, uint64_t stream, uint64_t *handle, struct err *err)
{
	const struct cuda_source source = { .device = device };
	struct device_place *base = cuda_open(&source, err);
	struct cuda_place *place = (struct cuda_place *)base;

	if (!place)
		return NULL;
	if (stream ? take_stream(place, stream, err) : make_stream(place, err)) {
		cuda_close(base);
		return NULL;
	}
	place->has_producer = true;
	place->producer = *handle = (uint64_t)(uintptr_t)place->stream;
	return base;
}

int64_t cuda_place_device(const struct device_place *base)
{
	return ((const struct cuda_place *)base)->ordinal;
}

static int describe(int ordinal, struct cuda_device *facts, struct err *err)
{
	size_t n_bytes;
	int device;

	facts->ordinal = ordinal;
	if (CUDA_CALL(driver, err, DeviceGet, &device, ordinal) ||
		CUDA_CALL(driver, err, DeviceGetName, facts->name, sizeof(facts->name), device) ||
		CUDA_CALL(driver, err, DeviceTotalMem, &n_bytes, device) ||
		CUDA_CALL(driver, err, DriverGetVersion, &facts->driver_version) ||
		CUDA_CALL(driver, err, DeviceGetAttribute, &facts->multiprocessors,
			CUDA_DEVICE_MULTIPROCESSORS, device) ||
		CUDA_CALL(driver, err, DeviceGetAttribute, &facts->capability_major,
			CUDA_DEVICE_CAPABILITY_MAJOR, device) ||
		CUDA_CALL(driver, err, DeviceGetAttribute, &facts->capability_minor,
			CUDA_DEVICE_CAPABILITY_MINOR, device))
		return -1;
	facts->memory_bytes = n_bytes;
	return 0;
}

struct cuda_device *cuda_find_devices(size_t *n_devices, struct err *err)
{
	struct cuda_device *devices;
	int n = 0;

	*n_devices = 0;
	if (CUDA_CALL(driver, err, DeviceGetCount, &n))
		return NULL;
	devices = mem_alloc(((size_t)n + 1) * sizeof(*devices));
	for (; *n_devices < (size_t)n; ++*n_devices)
		if (describe((int)*n_devices, &devices[*n_devices], err)) {
			free(devices);
			return NULL;
		}
	return devices;
}
