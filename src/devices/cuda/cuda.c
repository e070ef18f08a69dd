// SPDX-License-Identifier: MIT
/*
 * CUDA sessions and devices. A session uses the context that its memory belongs to, or the
 * primary context of the device, which the CUDA runtime shares; it creates no other context.
 */
#include "devices/cuda/cuda.h"

#include "base/memory.h"
#include "base/plural.h"
#include "devices/cuda/cuda_gate.h"
#include "devices/cuda/cuda_session.h"
#include "devices/runtimes.h"

#include <stdio.h>
#include <stdlib.h>

static void cuda_close(struct device_session *base)
{
	struct cuda_session *session = (struct cuda_session *)base;
	struct err ignored;

	if (!session)
		return;
	if ((session->stream || session->modules) && !cuda_enter(session, &ignored)) {
		cuda_unload_kernels(session);
		if (session->stream && !session->borrows_stream)
			(void)session->api->cuStreamDestroy(session->stream);
		cuda_leave(session);
	}
	cuda_release_primary(session);
	free(session);
}

struct device_session *cuda_open(const struct cuda_source *source, struct err *err)
{
	struct cuda_pointer pointer = { .ordinal = -1 };
	struct cuda_session *session;

	if (cuda_load(err) || (source->address && cuda_pointer_query(cuda_driver(), source->address,
							  &pointer, err)))
		return NULL;
	session = mem_alloc(sizeof(*session));
	session->base.runtime = &cuda_runtime;
	session->api = cuda_driver();
	session->context = pointer.context;
	session->ordinal = pointer.type ? pointer.ordinal : (int)source->device;
	session->has_producer = source->has_stream && source->stream;
	session->producer = source->stream;
	return &session->base;
}

static int cuda_use_stream(struct cuda_session *session, uint64_t stream, struct err *err)
{
	struct cuda_stream_facts facts;

	cuda_query_stream(stream, &facts);
	if (facts.valid != ANSWER_YES)
		return err_set(err, EXIT_TARGET, "cannot use 0x%llx as a CUDA stream: %s",
			(unsigned long long)stream, facts.error);
	if (facts.device >= 0)
		session->ordinal = (int)facts.device;
	session->stream = (void *)(uintptr_t)stream;
	session->borrows_stream = true;
	return 0;
}

static int cuda_create_stream(struct cuda_session *session, struct err *err)
{
	void *stream;
	int rc;

	if (cuda_enter(session, err))
		return -1;
	rc = cuda_session_stream(session, &stream, err);
	cuda_leave(session);
	return rc;
}

static struct device_session *cuda_open_stream(struct device_session *neighbour, int64_t device_id,
	const struct device_stream *stream, struct device_stream *opened, struct err *err)
{
	const struct cuda_source source = { .device = neighbour ? cuda_session_device(neighbour)
						      : device_id < 0 ? 0
								      : device_id };
	struct device_session *base = cuda_open(&source, err);
	struct cuda_session *session = (struct cuda_session *)base;

	if (!session)
		return NULL;
	if (stream ? cuda_use_stream(session, stream->number, err)
		   : cuda_create_stream(session, err)) {
		cuda_close(base);
		return NULL;
	}
	session->has_producer = true;
	session->producer = opened->number = (uint64_t)(uintptr_t)session->stream;
	return base;
}

/*
 * Opens a device by its ordinal, which is also DLPack's device_id; NULL is device 0, as in the
 * CUDA runtime.
 */
static struct device_session *open_ordinal(const struct job_device *device, struct err *err)
{
	struct cuda_source source = { .device = device ? device->id : 0 };
	int n_devices = 0;

	if (CUDA_CALL(cuda_driver(), err, cuDeviceGetCount, &n_devices))
		return NULL;
	if (source.device < 0 || source.device >= n_devices) {
		err_set(err, EXIT_UNAVAILABLE,
			"unknown device 'cuda:%lld': the CUDA driver reports %d device%s",
			(long long)source.device, n_devices, plural(n_devices));
		return NULL;
	}
	return cuda_open(&source, err);
}

static struct device_session *cuda_open_memory(const struct device_claim *claim, struct err *err)
{
	const struct cuda_source source = { .address = claim->address,
		.device = -1,
		.has_stream = true,
		.stream = CU_STREAM_LEGACY };

	return cuda_open(&source, err);
}

static int cuda_name_device(struct device_session *session, enum memory_kind kind,
	struct device *device, struct err *err)
{
	(void)err;
	if (kind == MEMORY_MANAGED)
		*device = (struct device){ DEVICE_CUDA_MANAGED, 0 };
	else if (kind == MEMORY_PINNED || kind == MEMORY_REGISTERED)
		*device = (struct device){ DEVICE_CUDA_HOST, 0 };
	else
		*device = (struct device){ DEVICE_CUDA, cuda_session_device(session) };
	return 0;
}

int64_t cuda_session_device(const struct device_session *base)
{
	return ((const struct cuda_session *)base)->ordinal;
}

struct cuda_device {
	char name[128];
	int ordinal; /* DLPack's device_id; CUDA_VISIBLE_DEVICES is applied */
	int capability_major, capability_minor;
	int multiprocessors;
	uint64_t memory_bytes;
	int driver_version; /* 13000 for CUDA 13.0 */
};

static int describe(int ordinal, struct cuda_device *facts, struct err *err)
{
	const struct cuda_api *api = cuda_driver();
	size_t n_bytes;
	int device;

	facts->ordinal = ordinal;
	if (CUDA_CALL(api, err, cuDeviceGet, &device, ordinal) ||
		CUDA_CALL(api, err, cuDeviceGetName, facts->name, sizeof(facts->name), device) ||
		CUDA_CALL(api, err, cuDeviceTotalMem, &n_bytes, device) ||
		CUDA_CALL(api, err, cuDriverGetVersion, &facts->driver_version) ||
		CUDA_CALL(api, err, cuDeviceGetAttribute, &facts->multiprocessors,
			CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device) ||
		CUDA_CALL(api, err, cuDeviceGetAttribute, &facts->capability_major,
			CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) ||
		CUDA_CALL(api, err, cuDeviceGetAttribute, &facts->capability_minor,
			CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device))
		return -1;
	facts->memory_bytes = n_bytes;
	return 0;
}

/* Compute capability 5.3 introduced half-precision arithmetic, 1.3 double precision. */
static struct fact_device_entry cuda_device_entry(
	struct arena *arena, const struct cuda_device *device)
{
	struct fact_device_entry entry = { .present = true,
		.id = fact_int(device->ordinal),
		.name = arena_printf(arena, "%s", device->name),
		.backend = arena_printf(
			arena, "sm_%d%d", device->capability_major, device->capability_minor),
		.driver_version = arena_printf(arena, "CUDA %d.%d", device->driver_version / 1000,
			device->driver_version % 1000 / 10),
		.cores = fact_int(device->multiprocessors),
		.memory_bytes = fact_uint(device->memory_bytes),
		.usm_kinds.known = true };

	if (device->capability_major * 10 + device->capability_minor >= 53)
		fact_texts_add(arena, &entry.aspects, "fp16");
	fact_texts_add(arena, &entry.aspects, "fp64");
	return entry;
}

int cuda_list_devices(struct arena *arena, struct fact_device_entry_list *devices, struct err *err)
{
	struct cuda_device device;
	int n_devices = 0;

	if (CUDA_CALL(cuda_driver(), err, cuDeviceGetCount, &n_devices))
		return -1;
	for (int i = 0; i < n_devices; i++) {
		if (describe(i, &device, err))
			return -1;
		*FACT_LIST_ADD(arena, devices) = cuda_device_entry(arena, &device);
	}
	return 0;
}

/* Pinned memory belongs to the host, and its producers take no stream. */
const struct device_runtime cuda_runtime = {
	.name = "cuda",
	.title = "CUDA",
	.device_types = DEVICE_CUDA " " DEVICE_CUDA_MANAGED " " DEVICE_CUDA_HOST,
	.located_by = "cuda",
	.device_kind = MEMORY_DEVICE,
	.stream_form = STREAM_NUMBER,
	.streamless_type = DEVICE_CUDA_HOST,
	.reads_host_memory = true,
	.load = cuda_load,
	.list = cuda_list_devices,
	.open = open_ordinal,
	.open_memory = cuda_open_memory,
	.open_stream = cuda_open_stream,
	.name_device = cuda_name_device,
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
	.gate_shut = cuda_session_shut_gate,
	.gate_end = cuda_session_end_gate,
	.write_behind = cuda_session_write_behind,
	.close = cuda_close,
};
