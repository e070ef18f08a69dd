// SPDX-License-Identifier: MIT
/*
 * A fake device runtime for bats/layers.bats: one device, which owns all memory that is queried. It
 * proves that a runtime is one directory and one line of model/runtimes.h. Memory is the host's,
 * and SUAI_DEBUG=fake logs the functions that are called.
 */
#include "base/debug.h"
#include "base/memory.h"
#include "copy/host/host_copy.h"
#include "devices/runtimes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAKE_ALIGNMENT = 64, FAKE_STREAM = 42 };

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

static struct device_session *fake_open_stream(struct device_session *neighbour, int64_t device_id,
	const struct device_stream *stream, struct device_stream *opened, struct err *err)
{
	(void)neighbour;
	(void)device_id;
	DEBUG_LOG("fake", "open_stream");
	*opened = stream ? *stream : (struct device_stream){ .number = FAKE_STREAM };
	return fake_open(NULL, err);
}

static int fake_name_device(struct device_session *session, enum memory_kind kind,
	struct device *device, struct err *err)
{
	(void)session;
	(void)kind;
	(void)err;
	*device = (struct device){ "ext_dev", 0 };
	return 0;
}

static int fake_wait(struct device_session *session, bool *waited, struct err *err)
{
	(void)session;
	(void)err;
	DEBUG_LOG("fake", "wait");
	*waited = true;
	return 0;
}

static void *fake_bytes(struct device_pointer pointer)
{
	return (void *)(uintptr_t)pointer.address;
}

static int fake_copy(
	struct device_session *session, void *to, const void *from, size_t n_bytes, struct err *err)
{
	(void)session;
	(void)err;
	DEBUG_LOG("fake", "copy");
	memcpy(to, from, n_bytes);
	return 0;
}

static int fake_allocate(struct device_session *session, enum memory_kind kind, size_t n_bytes,
	struct device_pointer *pointer, struct err *err)
{
	void *bytes = NULL;

	(void)session;
	DEBUG_LOG("fake", "allocate");
	*pointer = (struct device_pointer){ 0 };
	if (kind != MEMORY_DEVICE || posix_memalign(&bytes, FAKE_ALIGNMENT, n_bytes))
		return err_set(err, EXIT_UNAVAILABLE, "no %s memory", memory_kind_name(kind));
	pointer->address = (uintptr_t)bytes;
	return 0;
}

static void fake_release(struct device_session *session, struct device_pointer pointer)
{
	(void)session;
	DEBUG_LOG("fake", "release");
	free(fake_bytes(pointer));
}

static int fake_read(struct device_session *session, void *to, struct device_pointer from,
	size_t n_bytes, struct err *err)
{
	(void)session;
	(void)err;
	DEBUG_LOG("fake", "read");
	memcpy(to, fake_bytes(from), n_bytes);
	return 0;
}

static int fake_write(struct device_session *session, struct device_pointer to, const void *from,
	size_t n_bytes, struct err *err)
{
	(void)session;
	(void)err;
	DEBUG_LOG("fake", "write");
	memcpy(fake_bytes(to), from, n_bytes);
	return 0;
}

static int fake_move(struct device_session *session, struct device_pointer to,
	struct device_pointer from, size_t n_bytes, struct err *err)
{
	(void)session;
	(void)err;
	DEBUG_LOG("fake", "move");
	memmove(fake_bytes(to), fake_bytes(from), n_bytes);
	return 0;
}

static int fake_copy_strided(struct device_session *session, const struct copy_plan *plan,
	struct device_pointer to, struct device_pointer from, struct device_launch *launch,
	struct err *err)
{
	(void)session;
	(void)err;
	DEBUG_LOG("fake", "copy_strided");
	host_copy(plan, fake_bytes(from), fake_bytes(to));
	*launch = (struct device_launch){ .kernel = "fake", .item_bytes = 1, .n_launches = 1 };
	return 0;
}

static int fake_launch(struct device_session *session, const struct kernel_launch *launch,
	struct device_pointer to, struct device_pointer from, struct err *err)
{
	(void)session;
	(void)launch;
	(void)to;
	(void)from;
	DEBUG_LOG("fake", "launch");
	return err_set(err, EXIT_UNAVAILABLE, "the fake runtime has no kernels");
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
	.stream_form = STREAM_NUMBER,
	.load = fake_load,
	.list = fake_list_devices,
	.open = fake_open,
	.open_memory = fake_open_memory,
	.open_stream = fake_open_stream,
	.name_device = fake_name_device,
	.locate = fake_locate,
	.wait = fake_wait,
	.copy = fake_copy,
	.allocate = fake_allocate,
	.release = fake_release,
	.read = fake_read,
	.write = fake_write,
	.move = fake_move,
	.copy_strided = fake_copy_strided,
	.launch = fake_launch,
	.close = fake_close,
};
