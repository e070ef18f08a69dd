// SPDX-License-Identifier: MIT
/*
 * Looks up addresses in the context of a SYCL session. An invalid pointer terminates the process
 * inside DPCTLUSM_GetPointerDevice (an uncaught C++ exception), so the type of the pointer is
 * always queried first.
 */
#include "devices/sycl/sycl_session.h"

#include <stdio.h>

enum memory_kind sycl_usm_kind(int usm_type)
{
	switch (usm_type) {
	case SYCL_USM_DEVICE:
		return MEMORY_USM_DEVICE;
	case SYCL_USM_SHARED:
		return MEMORY_USM_SHARED;
	case SYCL_USM_HOST:
		return MEMORY_USM_HOST;
	default:
		return MEMORY_UNKNOWN;
	}
}

bool sycl_has_usm(const struct sycl_api *api, const void *device)
{
	return api->DPCTLDevice_HasAspect(device, SYCL_ASPECT_USM_DEVICE) ||
	       api->DPCTLDevice_HasAspect(device, SYCL_ASPECT_USM_SHARED) ||
	       api->DPCTLDevice_HasAspect(device, SYCL_ASPECT_USM_HOST);
}

void *sycl_device_at(const struct sycl_session *session, uint64_t address, enum memory_kind *kind)
{
	const void *pointer = (const void *)(uintptr_t)address;

	*kind = MEMORY_UNKNOWN;
	if (!session->device || sycl_has_usm(session->api, session->device))
		*kind = sycl_usm_kind(
			session->api->DPCTLUSM_GetPointerType(pointer, session->context));
	if (*kind == MEMORY_UNKNOWN)
		return NULL;
	return session->api->DPCTLUSM_GetPointerDevice(pointer, session->context);
}

/* Whether address is of the same kind and device: the best answer without the extent. */
static enum answer sycl_is_alike(const struct sycl_session *session, uint64_t address,
	enum memory_kind kind, const void *device)
{
	enum memory_kind found;
	void *other = sycl_device_at(session, address, &found);
	bool alike =
		found == kind && other && device && session->api->DPCTLDevice_AreEq(other, device);

	if (other)
		session->api->DPCTLDevice_Delete(other);
	return alike ? ANSWER_YES : ANSWER_NO;
}

static enum answer sycl_is_within(const struct memory *memory, uint64_t address)
{
	return address >= memory->base && address - memory->base < memory->size ? ANSWER_YES
										: ANSWER_NO;
}

static void find_extent(const struct sycl_session *session, uint64_t address, const void *device,
	struct memory *memory)
{
	uint64_t low = memory->asked_low, high = memory->asked_high;
	bool exact = sycl_extent_find(
		session->api, session->context, address, &memory->base, &memory->size);

	memory->how = exact ? "exact" : "ends";
	if (low >= high)
		return;
	if (exact) {
		memory->low_inside = sycl_is_within(memory, low);
		memory->high_inside = sycl_is_within(memory, high - 1);
	} else {
		memory->low_inside = sycl_is_alike(session, low, memory->kind, device);
		memory->high_inside = sycl_is_alike(session, high - 1, memory->kind, device);
	}
}

/* Whether device is whole or a sub-device of it. */
static bool is_part_of(const struct sycl_api *api, const void *device, const void *whole)
{
	void *parent;
	bool is_part;

	if (api->DPCTLDevice_AreEq(device, whole))
		return true;
	parent = api->DPCTLDevice_GetParentDevice(device);
	is_part = parent && is_part_of(api, parent, whole);
	if (parent)
		api->DPCTLDevice_Delete(parent);
	return is_part;
}

static void compare_device(
	struct sycl_session *session, const void *device, const struct memory *memory)
{
	session->same_device = ANSWER_UNKNOWN;
	if (session->device_given && memory->kind != MEMORY_USM_HOST)
		session->same_device =
			is_part_of(session->api, session->device, device) ||
					is_part_of(session->api, device, session->device)
				? ANSWER_YES
				: ANSWER_NO;
}

static void fill_device(const struct sycl_api *api, const void *device, struct memory *memory)
{
	struct sycl_device facts;

	sycl_device_describe(api, device, &facts);
	snprintf(memory->device_name, sizeof(memory->device_name), "%s", facts.name);
	if (facts.position >= 0)
		memory->device_id = fact_int(facts.position);
	if (memory->kind == MEMORY_USM_DEVICE)
		memory->host_accessible = api->DPCTLDevice_IsCPU(device) ? ANSWER_YES : ANSWER_NO;
}

int sycl_locate(
	struct device_session *base, uint64_t address, struct memory *memory, struct err *err)
{
	struct sycl_session *session = (struct sycl_session *)base;
	void *device = sycl_device_at(session, address, &memory->kind);

	(void)err;
	memory->by = "usm";
	snprintf(memory->context, sizeof(memory->context), "0x%zx",
		session->api->DPCTLContext_Hash(session->context));
	if (memory->kind == MEMORY_UNKNOWN)
		return 0;
	memory->device_pointer = address;
	memory->managed = memory->kind == MEMORY_USM_SHARED ? ANSWER_YES : ANSWER_NO;
	memory->host_accessible = memory->kind == MEMORY_USM_DEVICE ? ANSWER_UNKNOWN : ANSWER_YES;
	find_extent(session, address, device, memory);
	if (!device)
		return 0;
	fill_device(session->api, device, memory);
	compare_device(session, device, memory);
	if (!session->queue_given && !session->queue) {
		if (session->device)
			session->api->DPCTLDevice_Delete(session->device);
		session->device = device;
	} else {
		session->api->DPCTLDevice_Delete(device);
	}
	return 0;
}
