// SPDX-License-Identifier: MIT
/*
 * The calls by which OpenCL buffers are mapped and unmapped, and which of them block (fake: no
 * device is used; testdata/tools/mapping_table.c uses one).
 */
#include "base/array_size.h"
#include "devices/opencl/opencl_session.h"

#include "base/test.h"

#include <string.h>

static int queue, memory; /* their addresses are the handles */
static unsigned char bytes[64];
static char calls[200];
static int map_status, unmap_status, finish_status;

static void note(const char *text)
{
	strncat(calls, text, sizeof(calls) - strlen(calls) - 1);
}

static void *fake_map(void *on, void *buffer, uint32_t blocking, uint64_t flags, size_t offset,
	size_t n_bytes, uint32_t n_events, void *const *events, void **event, int *status)
{
	static const char *const names[] = { "", "read", "write", "read write", "invalidate" };
	char text[80];

	CHECK(on == &queue && buffer == &memory && !n_events && !events && !event, "handles");
	snprintf(text, sizeof(text), "map %s %d+%d%s, ", flags < 5 ? names[flags] : "other",
		(int)offset, (int)n_bytes, blocking ? " blocking" : "");
	note(text);
	*status = map_status;
	return map_status ? NULL : bytes + offset;
}

static int fake_unmap(
	void *on, void *buffer, void *mapped, uint32_t n_events, void *const *events, void **event)
{
	CHECK(on == &queue && buffer == &memory && !n_events && !events && !event, "handles");
	CHECK(mapped == bytes + 8, "what was mapped is unmapped");
	note("unmap, ");
	return unmap_status;
}

static int fake_finish(void *on)
{
	CHECK(on == &queue, "the queue");
	note("finish, ");
	return finish_status;
}

static const struct {
	const char *name;
	enum device_access access;
	bool waits;
	int map_status, unmap_status, finish_status;
	const char *calls, *message;
} rows[] = {
	{ "read", DEVICE_READ, true, 0, 0, 0, "map read 8+16 blocking, unmap, finish, ", "" },
	{ "another follows", DEVICE_READ, false, 0, 0, 0, "map read 8+16, unmap, ", "" },
	{ "into gaps", DEVICE_WRITE, true, 0, 0, 0, "map read write 8+16 blocking, unmap, finish, ",
		"" },
	{ "overwritten", DEVICE_FILL, true, 0, 0, 0,
		"map invalidate 8+16 blocking, unmap, finish, ", "" },
	{ "refused", DEVICE_READ, true, -30, 0, 0, "map read 8+16 blocking, ",
		"clEnqueueMapBuffer: CL_INVALID_VALUE" },
	{ "unmapping fails", DEVICE_FILL, true, 0, -30, 0, "map invalidate 8+16 blocking, unmap, ",
		"clEnqueueUnmapMemObject: CL_INVALID_VALUE" },
	{ "not finished", DEVICE_FILL, true, 0, 0, -30,
		"map invalidate 8+16 blocking, unmap, finish, ", "clFinish: CL_INVALID_VALUE" },
};

static void check_row(size_t i, struct device_session *session)
{
	const struct device_pointer at = { (uintptr_t)&memory, 8 };
	struct err err = { 0 };
	void *host = NULL;
	int rc;

	calls[0] = '\0';
	map_status = rows[i].map_status;
	unmap_status = rows[i].unmap_status;
	finish_status = rows[i].finish_status;
	rc = opencl_map(session, at, 16, rows[i].access, rows[i].waits, &host, &err);
	if (!rc) {
		CHECK(host == bytes + 8, "%s: address of the mapping", rows[i].name);
		rc = opencl_unmap(session, at, host, rows[i].waits, &err);
	}
	CHECK(rc == (*rows[i].message ? -1 : 0), "%s: %d", rows[i].name, rc);
	CHECK(!rc || !strcmp(err.message, rows[i].message), "%s: %s", rows[i].name, err.message);
	CHECK(!strcmp(calls, rows[i].calls), "%s: %s", rows[i].name, calls);
}

int main(void)
{
	static const struct opencl_api api = {
		.clEnqueueMapBuffer = fake_map,
		.clEnqueueUnmapMemObject = fake_unmap,
		.clFinish = fake_finish,
	};
	struct opencl_session session = { .api = &api, .queue = &queue };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_row(i, &session.base);
	return test_end();
}
