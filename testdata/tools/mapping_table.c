// SPDX-License-Identifier: MIT
/*
 * Copies a table of layouts from and to buffers of an OpenCL CPU device, which --engine auto maps:
 * between two buffers, within one, from and to sub-buffers, of another context, and host memory.
 * Compares every byte with a naive loop, and the report with the expected one. If the runtime
 * refuses to map, a kernel copies.
 *   mapping_table PLATFORM.DEVICE SEED
 */
#include "devices/mapping.h"
#include "devices/transfer.h"
#include "devices/opencl/opencl.h"
#include "devices/opencl/opencl_session.h"
#include "layout_table.h"

#include <dlfcn.h>
#include <time.h>

enum {
	READ_ONLY = 1 << 2,
	COPY_HOST_PTR = 1 << 5,
	HOST_WRITE_ONLY = 1 << 7,
	HOST_NO_ACCESS = 1 << 9,
	MAP_COUNT = 0x1104,
	CREATE_REGION = 0x1220,
	ROW_BYTES = 1000,
};

/* Memory that holds the bytes of source or of result, from address on. */
struct memory_of {
	struct device_session *session; /* NULL: source and result themselves */
	uint64_t handle, address;
};

struct way {
	const char *name;
	struct memory_of from, to;
};

static const struct way *way;
static enum transfer_engine engine;
static int n_layouts;

static struct opencl_session *opencl_of(struct device_session *session)
{
	return (struct opencl_session *)session;
}

static uint64_t new_buffer(
	struct device_session *session, uint64_t flags, size_t n_bytes, void *bytes)
{
	struct opencl_session *opencl = opencl_of(session);
	int status = 0;
	void *memory = opencl->api->clCreateBuffer(
		opencl->context, bytes ? flags | COPY_HOST_PTR : flags, n_bytes, bytes, &status);

	CHECK(memory, "clCreateBuffer: %s", opencl_status_name(status).text);
	return (uintptr_t)memory;
}

static uint64_t new_part(uint64_t memory, size_t offset)
{
	void *(*create)(void *, uint64_t, uint32_t, const void *, int *) = NULL;
	void *function = dlsym(dlopen("libOpenCL.so.1", RTLD_NOW), "clCreateSubBuffer");
	const size_t region[] = { offset, ARENA_BYTES };
	void *part = NULL;
	int status = 0;

	memcpy(&create, &function, sizeof(create));
	if (create)
		part = create((void *)(uintptr_t)memory, 0, CREATE_REGION, region, &status);
	CHECK(part, "clCreateSubBuffer: %s", opencl_status_name(status).text);
	return (uintptr_t)part;
}

/* PoCL decrements its count of mappings after clFinish has returned. */
static void check_given_back(const struct memory_of *memory, const char *name)
{
	const struct timespec while_it_counts = { .tv_nsec = 1000000 };
	uint32_t n_maps = memory->session ? 1 : 0;

	for (int i = 0; n_maps && i < 1000; i++) {
		if (i)
			nanosleep(&while_it_counts, NULL);
		opencl_of(memory->session)
			->api->clGetMemObjectInfo((void *)(uintptr_t)memory->handle, MAP_COUNT,
				sizeof(n_maps), &n_maps, NULL);
	}
	CHECK(!n_maps, "%s: %u mappings are left", name, n_maps);
}

static struct memory_location location_of(const struct memory_of *memory)
{
	return (struct memory_location){ .session = memory->session,
		.handle = memory->handle,
		.host_reaches = !memory->session };
}

static struct array there(
	const struct array *array, const unsigned char *bytes, const struct memory_of *memory)
{
	struct array moved = *array;

	if (memory->session)
		moved.pointer = memory->address + (array->pointer - (uintptr_t)bytes);
	return moved;
}

/* Writes or reads all bytes of the result. */
static int move_result(bool writes, struct err *err)
{
	const struct memory_of *to = &way->to;
	const struct device_pointer at = { to->handle, to->address };

	if (!to->session)
		return 0;
	return writes ? to->session->runtime->write(to->session, at, result, sizeof(result), err)
		      : to->session->runtime->read(to->session, result, at, sizeof(result), err);
}

static void check_told(const char *name, const struct transfer *transfer, bool empty)
{
	struct transfer none = { 0 };

	CHECK(transfer->path == PATH_HOST && !strcmp(transfer->engine, "host"), "%s, %s: %s by %s",
		way->name, name, copy_path_name(transfer->path), transfer->engine);
	CHECK(!*transfer->fallback, "%s, %s: %s", way->name, name, transfer->fallback);
	CHECK(empty || !memcmp(&transfer->launch, &none.launch, sizeof(none.launch)),
		"%s, %s: a kernel ran", way->name, name);
	CHECK(!transfer->n_brought_bytes, "%s, %s: bytes were fetched", way->name, name);
	check_given_back(&way->from, name);
	check_given_back(&way->to, name);
}

static void copy(const char *name, const struct array *from, const struct array *to)
{
	const struct memory_location from_location = location_of(&way->from),
				     to_location = location_of(&way->to);
	const struct array source_there = there(from, source, &way->from);
	const struct array result_there = there(to, result, &way->to);
	const struct transfer_end ends[] = { { &source_there, &from_location },
		{ &result_there, &to_location } };
	struct transfer transfer = { 0 }, foretold = { 0 };
	struct err err = { 0 };

	n_layouts++;
	memset(result, 0xEE, sizeof(result));
	memset(expected, 0xEE, sizeof(expected));
	naive_copy(from, to);
	if (move_result(true, &err) ||
		transfer_predict(&foretold, &ends[0], &ends[1], engine, &err) ||
		transfer_run(&transfer, &ends[0], &ends[1], engine, &err) ||
		move_result(false, &err)) {
		CHECK(false, "%s, %s: %s", way->name, name, err.message);
		return;
	}
	CHECK(!memcmp(result, expected, sizeof(result)), "%s, %s, item of %lld bytes", way->name,
		name, (long long)dtype_itemsize(&from->dtype));
	CHECK(foretold.path == transfer.path, "%s, %s: %s was foretold", way->name, name,
		copy_path_name(foretold.path));
	check_told(name, &transfer, !array_elements(from));
}

/* --- a result between the rows of its source, in one buffer --- */

static void copy_between_rows(struct device_session *session)
{
	struct memory_of memory = { session,
		new_buffer(session, CL_MEM_READ_WRITE, ARENA_BYTES, source), 0 };
	struct memory_location location = location_of(&memory);
	struct array from = { .dtype = { .kind = DTYPE_UINT, .bits = 8, .lanes = 1 },
		.n_dims = 2,
		.shape = { 2, ROW_BYTES },
		.stride_bytes = { 8 * ROW_BYTES, 1 },
		.pointer = 24 };
	struct array to = from;
	struct transfer transfer = { 0 };
	struct err err = { 0 };

	to.stride_bytes[0] = ROW_BYTES;
	to.pointer = 3 * ROW_BYTES;
	memcpy(expected, source, sizeof(expected));
	for (int i = 0; i < 2; i++)
		memcpy(expected + 3 * ROW_BYTES + i * ROW_BYTES, source + 24 + i * 8 * ROW_BYTES,
			ROW_BYTES);
	CHECK(!transfer_run(&transfer, &(struct transfer_end){ &from, &location },
		      &(struct transfer_end){ &to, &location }, TRANSFER_AUTO, &err) &&
			!session->runtime->read(session, result,
				(struct device_pointer){ memory.handle, 0 }, sizeof(result), &err),
		"between rows: %s", err.message);
	CHECK(!memcmp(result, expected, sizeof(result)), "a result between the rows of its source");
	CHECK(transfer.path == PATH_HOST, "between rows");
	check_given_back(&memory, "between rows");
	session->runtime->release(session, (struct device_pointer){ memory.handle, 0 });
}

/* --- where the runtime refuses --- */

static void refuse(struct device_session *session, const char *name, uint64_t flags)
{
	struct memory_of memory = { session,
		new_buffer(session, CL_MEM_READ_WRITE | flags, ARENA_BYTES, source), 0 };
	struct memory_of other = { session,
		new_buffer(session, CL_MEM_READ_WRITE, ARENA_BYTES, NULL), 0 };
	struct memory_location from_location = location_of(&memory),
			       to_location = location_of(&other);
	struct array from, to;
	struct transfer transfer = { 0 };
	struct err err = { 0 };
	int64_t n_bytes;

	lay_out(&layouts[18], 4, &from, &to); /* a transpose */
	n_bytes = array_nbytes(&to);
	memset(expected, 0, sizeof(expected));
	naive_copy(&from, &to);
	from = there(&from, source, &memory);
	to = there(&to, result, &other);
	CHECK(!transfer_run(&transfer, &(struct transfer_end){ &from, &from_location },
		      &(struct transfer_end){ &to, &to_location }, TRANSFER_AUTO, &err) &&
			!session->runtime->read(session, result,
				(struct device_pointer){ other.handle, 0 }, (size_t)n_bytes, &err),
		"%s: %s", name, err.message);
	CHECK(!memcmp(result, expected, (size_t)n_bytes), "%s: by a kernel", name);
	CHECK(transfer.path == PATH_KERNEL && transfer.launch.n_launches == 1, "%s: %s", name,
		copy_path_name(transfer.path));
	CHECK(!strncmp(transfer.fallback, "clEnqueueMapBuffer: CL_INVALID_", 31), "%s: '%s'", name,
		transfer.fallback);
	printf("%s: %s, %s\n", name, copy_path_name(transfer.path), transfer.fallback);
	check_given_back(&memory, name);
	check_given_back(&other, name);
	session->runtime->release(session, (struct device_pointer){ memory.handle, 0 });
	session->runtime->release(session, (struct device_pointer){ other.handle, 0 });
}

/* --- all ways --- */

static void visit_ways(struct device_session *session, struct device_session *beside, uint64_t seed)
{
	const uint64_t from = new_buffer(session, CL_MEM_READ_WRITE, ARENA_BYTES, source),
		       to = new_buffer(session, CL_MEM_READ_WRITE, ARENA_BYTES, NULL),
		       constant = new_buffer(session, READ_ONLY, ARENA_BYTES, source),
		       far = new_buffer(beside, CL_MEM_READ_WRITE, ARENA_BYTES, NULL),
		       both = new_buffer(session, CL_MEM_READ_WRITE, 2 * ARENA_BYTES, NULL),
		       low = new_part(both, 0), high = new_part(both, ARENA_BYTES);
	const struct way ways[] = {
		{ "buffer to buffer", { session, from, 0 }, { session, to, 0 } },
		{ "read-only buffer to buffer", { session, constant, 0 }, { session, to, 0 } },
		{ "buffer to the host", { session, from, 0 }, { 0 } },
		{ "the host to a buffer", { 0 }, { session, to, 0 } },
		{ "buffer to another context's", { session, from, 0 }, { beside, far, 0 } },
		{ "within a buffer", { session, both, 0 }, { session, both, ARENA_BYTES } },
		{ "part to part", { session, low, 0 }, { session, high, 0 } },
		{ "buffer to its part", { session, both, 0 }, { session, high, 0 } },
	};
	const struct device_pointer source_there = { both, 0 };
	const uint64_t all[] = { low, high, both, from, to, constant, far };
	struct err err = { 0 };

	CHECK(!session->runtime->write(session, source_there, source, sizeof(source), &err), "%s",
		err.message);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		way = &ways[i];
		n_layouts = 0;
		engine = i % 2 ? TRANSFER_HOST : TRANSFER_AUTO;
		visit_layouts(copy);
		engine = i % 2 ? TRANSFER_AUTO : TRANSFER_HOST;
		visit_drawn(seed, copy);
		printf("%s: %d layouts\n", way->name, n_layouts);
	}
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		opencl_of(session)->api->clReleaseMemObject((void *)(uintptr_t)all[i]);
}

int main(int argc, char **argv)
{
	struct device_session *session = NULL, *beside = NULL;
	struct err err = { 0 };
	int platform = 0, device = 0;

	if (argc != 3 || sscanf(argv[1], "%d.%d", &platform, &device) != 2)
		return 2;
	random_state = strtoull(argv[2], NULL, 10) | 1;
	fill_source();
	if (!opencl_load(&err))
		session = opencl_open_device(platform, device, &err);
	if (session)
		beside = opencl_open_device(platform, device, &err);
	if (!beside || !session->maps) {
		printf("%s\n", beside ? "not a CPU device" : err.message);
		return 4;
	}
	visit_ways(session, beside, strtoull(argv[2], NULL, 10));
	copy_between_rows(session);
	refuse(session, "no access by the host", HOST_NO_ACCESS);
	refuse(session, "the host only writes", HOST_WRITE_ONLY);
	session->runtime->close(session);
	beside->runtime->close(beside);
	return test_end();
}
