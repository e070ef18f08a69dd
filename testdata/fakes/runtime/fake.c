// SPDX-License-Identifier: MIT
/*
 * A fake device runtime for bats/layers.bats: one device, which owns all memory that is queried.
 * It proves that a runtime is one directory and one line of model/runtimes.h.
 */
#include "base/memory.h"
#include "devices/runtimes.h"

#include <stdio.h>
#include <stdlib.h>

int fake_load(struct err *err);
int fake_list_devices(struct arena *arena, struct fact_device_entry_list *devices, struct err *err);

int fake_load(struct err *err)
{
	(void)err;
	return 0;
}

int fake_list_devices(struct arena *arena, struct fact_device_entry_list *devices, struct err *err)
{
	(void)err;
	devices->items = arena_alloc(arena, sizeof(*devices->items));
	devices->items[devices->n_items++] = (struct fact_device_entry){
		.present = true, .id = fact_int(0), .name = "Fake Device"
	};
	return 0;
}

static struct device_session *fake_open(const struct job_device *device, struct err *err)
{
	struct device_session *session = mem_alloc(sizeof(*session));

	(void)device;
	(void)err;
	session->runtime = &fake_runtime;
	return session;
}

static struct device_session *fake_open_memory(const struct device_claim *claim, struct err *err)
{
	(void)claim;
	return fake_open(NULL, err);
}

static int fake_locate(
	struct device_session *session, uint64_t address, struct memory *memory, struct err *err)
{
	(void)session;
	(void)err;
	memory->by = "fake";
	memory->how = "exact";
	memory->kind = MEMORY_DEVICE;
	memory->device_id = fact_int(0);
	memory->device_pointer = memory->base = address;
	memory->size = memory->asked_high - memory->asked_low;
	memory->low_inside = memory->high_inside = ANSWER_YES;
	memory->host_accessible = ANSWER_NO;
	snprintf(memory->device_name, sizeof(memory->device_name), "Fake Device");
	return 0;
}

static void fake_close(struct device_session *session)
{
	free(session);
}

const struct device_runtime fake_runtime = {
	.name = "fake",
	.title = "Fake",
	.device_types = "ext_dev",
	.located_by = "fake",
	.device_kind = MEMORY_DEVICE,
	.load = fake_load,
	.list = fake_list_devices,
	.open = fake_open,
	.open_memory = fake_open_memory,
	.locate = fake_locate,
	.close = fake_close,
};
