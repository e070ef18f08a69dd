// SPDX-License-Identifier: MIT
/* SYCL sessions: opened from a filter string, a context or a queue; waiting; the devices. */
#include "devices/sycl/sycl.h"

#include "base/memory.h"
#include "devices/runtimes.h"
#include "devices/sycl/sycl_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct sycl_api *api;

int sycl_load_from(const char *directory, struct err *err)
{
	api = sycl_api_open(directory, err);
	return api ? 0 : -1;
}

int sycl_load(struct err *err)
{
	return sycl_load_from(NULL, err);
}

static void sycl_close(struct device_session *base)
{
	struct sycl_session *session = (struct sycl_session *)base;

	if (!session)
		return;
	if (session->queue)
		api->DPCTLQueue_Delete(session->queue);
	if (session->device)
		api->DPCTLDevice_Delete(session->device);
	if (session->context)
		api->DPCTLContext_Delete(session->context);
	free(session);
}

static int sycl_wait(struct device_session *base, bool *waited, struct err *err)
{
	struct sycl_session *session = (struct sycl_session *)base;

	(void)err;
	*waited = session->queue_given;
	if (session->queue_given)
		api->DPCTLQueue_Wait(session->queue);
	return 0;
}

static int sycl_open_queue(struct sycl_session *session, const void *queue, struct err *err)
{
	session->queue = api->DPCTLQueue_Copy(queue);
	if (!session->queue)
		return err_set(err, EXIT_TARGET, "DPCTLQueue_Copy returned NULL");
	session->queue_given = session->device_given = true;
	session->context = api->DPCTLQueue_GetContext(session->queue);
	session->device = api->DPCTLQueue_GetDevice(session->queue);
	if (!session->context || !session->device)
		return err_set(err, EXIT_TARGET, "DPCTLQueue_Get%s returned NULL",
			session->context ? "Device" : "Context");
	return 0;
}

static int open_context(struct sycl_session *session, const void *context, struct err *err)
{
	void *devices;

	session->context = api->DPCTLContext_Copy(context);
	if (!session->context)
		return err_set(err, EXIT_TARGET, "DPCTLContext_Copy returned NULL");
	if (api->DPCTLContext_DeviceCount(session->context) != 1)
		return 0;
	devices = api->DPCTLContext_GetDevices(session->context);
	if (!devices)
		return err_set(err, EXIT_TARGET, "DPCTLContext_GetDevices returned NULL");
	session->device = api->DPCTLDeviceVector_GetAt(devices, 0);
	api->DPCTLDeviceVector_Delete(devices);
	return 0;
}

/* The default context of the platform of the device that the filter selects. */
static int open_filter(struct sycl_session *session, const char *filter, struct err *err)
{
	const char *quote = filter ? "'" : "";
	void *selector = filter ? api->DPCTLFilterSelector_Create(filter)
				: api->DPCTLDefaultSelector_Create();

	if (selector) {
		session->device = api->DPCTLDevice_CreateFromSelector(selector);
		api->DPCTLDeviceSelector_Delete(selector);
	}
	if (!session->device)
		return err_set(err, EXIT_UNAVAILABLE, "%s%s%s selects no device",
			filter ? "filter string '" : "the default selector", filter ? filter : "",
			quote);
	session->device_given = true;
	session->context = sycl_device_default_context(api, session->device);
	if (!session->context)
		return err_set(err, EXIT_UNAVAILABLE,
			"the platform of %s%s%s has no default context",
			filter ? "device '" : "the default device", filter ? filter : "", quote);
	return 0;
}

struct device_session *sycl_open(const struct sycl_source *source, struct err *err)
{
	struct sycl_session *session = mem_alloc(sizeof(*session));
	int status;

	session->base.runtime = &sycl_runtime;
	session->api = api;
	session->same_device = ANSWER_UNKNOWN;
	if (source->queue)
		status = sycl_open_queue(session, source->queue, err);
	else if (source->context)
		status = open_context(session, source->context, err);
	else
		status = open_filter(session, source->filter, err);
	if (status) {
		sycl_close(&session->base);
		return NULL;
	}
	return &session->base;
}

void sycl_describe(const struct device_session *base, struct sycl_facts *facts)
{
	const struct sycl_session *session = (const struct sycl_session *)base;
	void *context;

	*facts = (struct sycl_facts){ .default_context = ANSWER_UNKNOWN,
		.root_device = ANSWER_UNKNOWN,
		.in_order = ANSWER_UNKNOWN,
		.same_device = session->same_device };
	if (session->queue_given)
		facts->in_order =
			api->DPCTLQueue_IsInOrder(session->queue) ? ANSWER_YES : ANSWER_NO;
	if (!session->device)
		return;
	facts->has_device = true;
	sycl_device_describe(api, session->device, &facts->device);
	facts->root_device = facts->device.is_root ? ANSWER_YES : ANSWER_NO;
	context = sycl_device_default_context(api, session->device);
	if (!context)
		return;
	facts->default_context =
		api->DPCTLContext_AreEq(context, session->context) ? ANSWER_YES : ANSWER_NO;
	api->DPCTLContext_Delete(context);
}

bool sycl_find_memory(uint64_t address, enum memory_kind *kind, struct sycl_device *facts)
{
	const void *pointer = (const void *)(uintptr_t)address;
	void *devices = api->DPCTLDeviceMgr_GetDevices(SYCL_ALL_BACKENDS | SYCL_ALL_DEVICES);
	size_t n_devices = devices ? api->DPCTLDeviceVector_Size(devices) : 0;

	*kind = MEMORY_UNKNOWN;
	for (size_t i = 0; i < n_devices && *kind == MEMORY_UNKNOWN; i++) {
		void *device = api->DPCTLDeviceVector_GetAt(devices, i), *context = NULL;

		if (device && sycl_has_usm(api, device))
			context = sycl_device_default_context(api, device);
		if (context)
			*kind = sycl_usm_kind(api->DPCTLUSM_GetPointerType(pointer, context));
		if (*kind != MEMORY_UNKNOWN)
			sycl_device_describe(api, device, facts);
		if (context)
			api->DPCTLContext_Delete(context);
		if (device)
			api->DPCTLDevice_Delete(device);
	}
	if (devices)
		api->DPCTLDeviceVector_Delete(devices);
	return *kind != MEMORY_UNKNOWN;
}

struct value *sycl_device_aspects(struct arena *arena, const struct sycl_device *device)
{
	struct value *names = value_list(arena);
	struct fact_texts aspects = { 0 };

	device_features_add_types(arena, &device->features, &aspects);
	for (size_t i = 0; i < aspects.n_items; i++)
		value_append(arena, names, value_text(arena, aspects.items[i]));
	return names;
}

static struct fact_device_entry sycl_device_entry(
	struct arena *arena, const struct sycl_device *device)
{
	struct fact_device_entry entry = { .present = true,
		.id = fact_int(device->position),
		.name = arena_printf(arena, "%s", device->name),
		.filter = arena_printf(arena, "%s", device->filter),
		.backend = arena_printf(arena, "%s", device->backend),
		.driver_version = arena_printf(arena, "%s", device->driver_version),
		.cores = fact_int(device->compute_units),
		.memory_bytes = fact_uint(device->memory_bytes),
		.aspects.known = true,
		.usm_kinds.known = true };

	device_features_add(arena, &device->features, &entry);
	return entry;
}

static int sycl_list_devices(
	struct arena *arena, struct fact_device_entry_list *devices, struct err *err)
{
	size_t n_devices;
	struct sycl_device *found = sycl_device_list(api, &n_devices);

	(void)err;
	for (size_t i = 0; i < n_devices; i++)
		*FACT_LIST_ADD(arena, devices) = sycl_device_entry(arena, &found[i]);
	free(found);
	return 0;
}

static size_t count_devices(void)
{
	size_t n_devices;

	free(sycl_device_list(api, &n_devices));
	return n_devices;
}

static struct device_session *open_device_filter(const struct job_device *device, struct err *err)
{
	struct sycl_source source = { .filter = device ? device->filter : NULL };
	char number[24];

	if (device && !device->filter) {
		snprintf(number, sizeof(number), "%lld", (long long)device->id);
		source.filter = number;
	}
	return sycl_open(&source, err);
}

/* Opens the device at a position of dpctl.get_devices(), in the default context of its platform. */
static struct device_session *open_position(const struct device_claim *claim, struct err *err)
{
	struct sycl_source source = { 0 };
	struct device_session *session = NULL;
	size_t n_devices;
	struct sycl_device *devices = sycl_device_list(api, &n_devices);

	if (claim->device_id >= 0 && (uint64_t)claim->device_id < n_devices) {
		source.filter = devices[claim->device_id].filter;
		session = sycl_open(&source, err);
	} else {
		err_set(err, EXIT_UNAVAILABLE, "dpctl reports no device %lld",
			(long long)claim->device_id);
	}
	free(devices);
	return session;
}

void *sycl_queue_give(struct device_session *base, struct err *err)
{
	struct sycl_session *session = (struct sycl_session *)base;
	void *queue = sycl_queue_for(session, NULL, NULL, err), *copy;

	if (!queue)
		return NULL;
	copy = api->DPCTLQueue_Copy(queue);
	if (!copy)
		err_set(err, EXIT_TARGET, "DPCTLQueue_Copy returned NULL");
	return copy;
}

void sycl_queue_delete(void *queue)
{
	if (queue)
		api->DPCTLQueue_Delete(queue);
}

/* A session with a new queue on the device and in the context of another. */
static struct device_session *sycl_open_new_queue(struct device_session *base, struct err *err)
{
	struct sycl_session *session = (struct sycl_session *)base;
	struct sycl_source source = { 0 };
	struct device_session *opened;
	void *queue;

	if (!sycl_queue_for(session, NULL, NULL, err))
		return NULL;
	queue = api->DPCTLQueue_Create(session->context, session->device, NULL, 0);
	if (!queue) {
		err_set(err, EXIT_UNAVAILABLE, "DPCTLQueue_Create returned NULL");
		return NULL;
	}
	source.queue = queue;
	opened = sycl_open(&source, err);
	api->DPCTLQueue_Delete(queue);
	return opened;
}

static struct device_session *sycl_open_stream(struct device_session *neighbour, int64_t device_id,
	const struct device_stream *stream, struct device_stream *opened, struct err *err)
{
	const struct sycl_source source = { .queue = stream ? stream->queue : NULL };

	(void)device_id;
	opened->queue = source.queue;
	return source.queue ? sycl_open(&source, err) : sycl_open_new_queue(neighbour, err);
}

static int sycl_name_device(struct device_session *session, enum memory_kind kind,
	struct device *device, struct err *err)
{
	struct sycl_facts facts;

	(void)kind;
	sycl_describe(session, &facts);
	if (!facts.has_device)
		return err_set(err, EXIT_TARGET, "the SYCL device of the memory is unknown");
	if (facts.root_device != ANSWER_YES)
		return err_set(err, EXIT_TARGET,
			"DLPack can identify only root devices of oneAPI, but the memory is on a sub-device");
	if (facts.default_context != ANSWER_YES)
		return err_set(err, EXIT_TARGET,
			"DLPack consumers expect oneAPI memory in the default context of the platform, but this memory is in another context");
	*device = (struct device){ DEVICE_ONEAPI, facts.device.position };
	return 0;
}

static bool sycl_is_cpu(struct device_session *session)
{
	struct sycl_facts facts;

	sycl_describe(session, &facts);
	return !facts.has_device || facts.device.is_cpu;
}

static const struct device_package dpctl = {
	.name = "dpctl",
	.queue_class = "SyclQueue",
	.queue_capsule = QUEUE_CAPSULE,
	.load_from = sycl_load_from,
};

const struct device_runtime sycl_runtime = {
	.name = "sycl",
	.title = "oneAPI",
	.device_types = DEVICE_ONEAPI,
	.located_by = "usm",
	.device_kind = MEMORY_USM_DEVICE,
	.stream_form = STREAM_QUEUE,
	.locates_data = true,
	.package = &dpctl,
	.load = sycl_load,
	.list = sycl_list_devices,
	.count = count_devices,
	.open = open_device_filter,
	.open_memory = open_position,
	.open_stream = sycl_open_stream,
	.name_device = sycl_name_device,
	.is_cpu = sycl_is_cpu,
	.locate = sycl_locate,
	.wait = sycl_wait,
	.copy = sycl_copy,
	.allocate = sycl_allocate,
	.release = sycl_release,
	.read = sycl_read,
	.write = sycl_write,
	.move = sycl_move,
	.copy_strided = sycl_copy_strided,
	.launch = sycl_run_launch,
	.gate_shut = sycl_gate_shut,
	.gate_end = sycl_gate_end,
	.close = sycl_close,
};
