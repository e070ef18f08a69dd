// SPDX-License-Identifier: MIT
/* Queries of an interface's memory: the kernel about the host's, a runtime about its own. */
#include "devices/runtimes.h"
#include "model/array.h"
#include "os/maps.h"
#include "protocols/description.h"
#include "worker/capture/capture.h"
#include "worker/capture/cuda.h"
#include "worker/memory/devices.h"

#include <string.h>

bool capture_query_maps(
	struct capture_context *context, uint64_t low, uint64_t high, struct memory *memory)
{
	struct err ignored;
	struct maps near;

	if (maps_query(&near, low, high)) {
		maps_locate(&near, low, high, memory);
		maps_free(&near);
		return true;
	}
	if (!context->maps) {
		context->maps = arena_alloc(context->arena, sizeof(*context->maps));
		(void)maps_read(context->maps, &ignored);
	}
	maps_locate(context->maps, low, high, memory);
	return context->maps->n_entries > 0;
}

const char *capture_locate(struct capture_context *context, struct device_session *session,
	uint64_t address, uint64_t low, uint64_t high, struct fact_interface *interface)
{
	struct memory memory, host;
	struct err err;
	int rc;

	memory = (struct memory){ .present = true, .asked_low = low, .asked_high = high };
	WITHOUT_GIL(rc = session->runtime->locate(session, address, &memory, &err));
	if (rc)
		return arena_printf(context->arena, "%s", err.message);
	if (memory.kind == MEMORY_UNKNOWN) {
		(void)capture_query_maps(context, low, high, &host);
		memcpy(memory.mapping, host.mapping, sizeof(memory.mapping));
	}
	interface->memory = memory;
	return NULL;
}

const char *capture_query_runtime(struct capture_context *context,
	const struct device_runtime *runtime, struct fact_interface *interface,
	const struct device_claim *claim, uint64_t low, uint64_t high)
{
	struct arena *arena = context->arena;
	uint64_t address = claim->address;
	struct device_session *session;
	const char *reason;
	struct err err;

	if (runtime->locates_data)
		value_to_address(value_at(interface->declared, "dl_tensor.data"), &address);
	if (!address && low == high && !runtime->count)
		return CAPTURE_NO_ADDRESS;
	if (worker_load_runtime(runtime, &err))
		return arena_printf(arena, "%s", err.message);
	if (runtime->count)
		value_set(arena, (struct value *)interface->details, "n_devices",
			value_int(arena, (int64_t)runtime->count()));
	if (!address && low == high)
		return CAPTURE_NO_ADDRESS;
	WITHOUT_GIL(session = runtime->open_memory(claim, &err));
	if (!session)
		return arena_printf(arena, "%s", err.message);
	reason = capture_locate(context, session, address, low, high, interface);
	WITHOUT_GIL(session->runtime->close(session));
	return reason;
}

const char *capture_query_memory(struct capture_context *context, struct fact_interface *interface)
{
	struct arena *arena = context->arena;
	struct array array;
	const struct device_runtime *runtime;
	const struct device_type *type;
	struct device_claim claim;
	struct memory memory;
	uint64_t low, high;
	struct err err;

	if (interface->status != INTERFACE_OK)
		return "the interface could not be read";
	if (protocol_find_extent(arena, interface, &array, &low, &high, &err))
		return arena_printf(arena, "%s", err.message);
	if (!array.device.type)
		return "the device type is unknown";
	type = device_type_named(array.device.type);
	runtime = device_runtime_of_type(type->name);
	if (runtime && runtime->data_is_handle)
		return "data is a cl_mem handle, which suai passes to OpenCL only to read or convert elements: an invalid handle crashes the process";
	claim = (struct device_claim){ .device_id = array.device.id, .address = array.pointer };
	if (runtime)
		return capture_query_runtime(context, runtime, interface, &claim, low, high);
	if (strcmp(array.device.type, DEVICE_CPU) != 0)
		return arena_printf(arena, "this version of suai cannot query the %s driver",
			type->driver ? type->driver : type->name);
	if (!low && !high)
		return CAPTURE_NO_ADDRESS;
	if (!capture_query_maps(context, low, high, &memory))
		return "cannot read /proc/self/maps";
	maps_find_end_of_file(low, high, &memory);
	cuda_refine_memory(&memory);
	interface->memory = memory;
	return NULL;
}
