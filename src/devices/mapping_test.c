// SPDX-License-Identifier: MIT
/*
 * Mappings of a session whose memory is the test's own (fake: it checks the calls to the runtime,
 * and that nothing leaks if one fails). testdata/tools/mapping_table.c checks real runtimes.
 */
#include "base/array_size.h"
#include "devices/mapping.h"
#include "devices/transfer.h"

#include "base/test.h"

#include <string.h>

enum { N_BYTES = 64, N_PLACES = 2, HANDLE = 7 };

/* A device whose memory begins at offset 0 of its handle. */
struct fake_session {
	struct device_session base;
	unsigned char bytes[N_BYTES];
	int n_mapped, n_kernels;
};

static struct fake_session sessions[N_PLACES];
static char calls[200]; /* "map read 8+16, ..." */
static int n_left_to_map, n_left_to_unmap;

static void note(const char *text)
{
	strncat(calls, text, sizeof(calls) - strlen(calls) - 1);
}

static int fake_map(struct device_session *session, struct device_pointer pointer, size_t n_bytes,
	enum device_access access, bool waits, void **host, struct err *err)
{
	static const char *const names[] = { "read", "write", "fill" };
	char text[60];

	if (!n_left_to_map--)
		return err_set(err, EXIT_UNAVAILABLE, "not mapped");
	snprintf(text, sizeof(text), "%s %d+%d%s, ", names[access], (int)pointer.address,
		(int)n_bytes, waits ? " waits" : "");
	note(text);
	((struct fake_session *)session)->n_mapped++;
	*host = ((struct fake_session *)session)->bytes + pointer.address;
	return 0;
}

static int fake_unmap(struct device_session *session, struct device_pointer pointer, void *host,
	bool waits, struct err *err)
{
	struct fake_session *fake = (struct fake_session *)session;

	CHECK(host == fake->bytes + pointer.address, "what was mapped is unmapped");
	fake->n_mapped--;
	note(waits ? "back waits, " : "back, ");
	if (n_left_to_unmap-- > 0)
		return 0;
	return err_set(err, EXIT_TARGET, "not unmapped: %d", (int)pointer.address);
}

static int fake_copy_strided(struct device_session *session, const struct copy_plan *plan,
	struct device_pointer to, struct device_pointer from, struct device_launch *launch,
	struct err *err)
{
	(void)plan;
	(void)to;
	(void)from;
	(void)err;
	CHECK(!((struct fake_session *)session)->n_mapped, "no kernel works on what is mapped");
	((struct fake_session *)session)->n_kernels++;
	*launch = (struct device_launch){ "fake", 4, 1 };
	return 0;
}

static const struct device_runtime fake_runtime = {
	.name = "fake",
	.map = fake_map,
	.unmap = fake_unmap,
	.copy_strided = fake_copy_strided,
};

/* Every second of eight items of 4 bytes, from byte 4, to byte 8 of a session, or -1: the host. */
/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): fields in the order of a row */
static const struct {
	const char *name;
	int from, to, n_items;
	int64_t to_step;
	enum transfer_engine engine;
	int n_maps, n_unmaps; /* of successful calls */
	int rc;
	enum copy_path path;
	const char *fallback, *calls;
} rows[] = {
	{ "within a session", 0, 0, 4, 4, TRANSFER_AUTO, 9, 9, 0, PATH_HOST, "",
		"read 4+28, fill 8+16 waits, back, back waits, " },
	{ "by the host only", 0, 0, 4, 4, TRANSFER_HOST, 9, 9, 0, PATH_HOST, "",
		"read 4+28, fill 8+16 waits, back, back waits, " },
	{ "by a kernel", 0, 0, 4, 4, TRANSFER_KERNEL, 9, 9, 0, PATH_KERNEL, "", "" },
	{ "into gaps", 0, 0, 4, 8, TRANSFER_AUTO, 9, 9, 0, PATH_HOST, "",
		"read 4+28, write 8+28 waits, back, back waits, " },
	{ "to another session", 0, 1, 4, 4, TRANSFER_AUTO, 9, 9, 0, PATH_HOST, "",
		"read 4+28 waits, fill 8+16 waits, back waits, back waits, " },
	{ "to the host", 0, -1, 4, 4, TRANSFER_AUTO, 9, 9, 0, PATH_HOST, "",
		"read 4+28 waits, back waits, " },
	{ "from the host", -1, 1, 4, 4, TRANSFER_AUTO, 9, 9, 0, PATH_HOST, "",
		"fill 8+16 waits, back waits, " },
	{ "of nothing", 0, 0, 0, 4, TRANSFER_AUTO, 9, 9, 0, PATH_HOST, "", "" },
	{ "refused", 0, 0, 4, 4, TRANSFER_AUTO, 0, 9, 0, PATH_KERNEL, "not mapped", "" },
	{ "refused at its end", 0, 0, 4, 4, TRANSFER_AUTO, 1, 9, 0, PATH_KERNEL, "not mapped",
		"read 4+28, back waits, " },
	{ "unmapping fails", 0, 0, 4, 4, TRANSFER_AUTO, 9, 0, -1, PATH_HOST, "",
		"read 4+28, fill 8+16 waits, back, back waits, " },
	{ "unmapping the end fails", 0, 0, 4, 4, TRANSFER_AUTO, 9, 1, -1, PATH_HOST, "",
		"read 4+28, fill 8+16 waits, back, back waits, " },
};

static unsigned char host_bytes[N_BYTES];

static struct memory_location location_of(int session)
{
	if (session < 0)
		return (struct memory_location){ .host_reaches = true };
	return (struct memory_location){ .session = &sessions[session].base, .handle = HANDLE };
}

static unsigned char *bytes_of(int session)
{
	return session < 0 ? host_bytes : sessions[session].bytes;
}

static void check_row(size_t i)
{
	const struct memory_location from_location = location_of(rows[i].from),
				     to_location = location_of(rows[i].to);
	struct array from = { .n_dims = 1, .shape = { rows[i].n_items }, .stride_bytes = { 8 } };
	struct transfer transfer = { 0 };
	unsigned char source[N_BYTES];
	struct array to;
	struct err err = { 0 };
	int rc;

	from.dtype = (struct dtype){ .kind = DTYPE_FLOAT, .bits = 32, .lanes = 1 };
	to = from;
	to.stride_bytes[0] = rows[i].to_step;
	from.pointer = 4 + (rows[i].from < 0 ? (uintptr_t)host_bytes : 0);
	to.pointer = 8 + (rows[i].to < 0 ? (uintptr_t)host_bytes : 0);
	for (int k = 0; k < N_BYTES; k++)
		sessions[0].bytes[k] = sessions[1].bytes[k] = host_bytes[k] = (unsigned char)k;
	memcpy(source, bytes_of(rows[i].from), sizeof(source));
	calls[0] = '\0';
	n_left_to_map = rows[i].n_maps;
	n_left_to_unmap = rows[i].n_unmaps;
	sessions[0].n_kernels = 0;
	rc = transfer_run(&transfer, &(struct transfer_end){ &from, &from_location },
		&(struct transfer_end){ &to, &to_location }, rows[i].engine, &err);
	CHECK(rc == rows[i].rc, "%s: %d", rows[i].name, rc);
	CHECK(!rc || !strcmp(err.message, rows[i].n_unmaps ? "not unmapped: 8" : "not unmapped: 4"),
		"%s: the first error: %s", rows[i].name, err.message);
	CHECK(transfer.path == rows[i].path, "%s: %s", rows[i].name, copy_path_name(transfer.path));
	CHECK(!strcmp(transfer.fallback, rows[i].fallback), "%s: %s", rows[i].name,
		transfer.fallback);
	CHECK(!strcmp(calls, rows[i].calls), "%s: %s", rows[i].name, calls);
	CHECK(!sessions[0].n_mapped && !sessions[1].n_mapped, "%s: all mappings are returned",
		rows[i].name);
	CHECK(sessions[0].n_kernels == (rows[i].path == PATH_KERNEL), "%s", rows[i].name);
	for (ptrdiff_t k = 0; rows[i].from != rows[i].to && k < rows[i].n_items; k++)
		CHECK(!memcmp(bytes_of(rows[i].to) + 8 + k * 4, source + 4 + k * 8, 4),
			"%s: item %td", rows[i].name, k);
}

/* Reading: mapped once; unchanged if the runtime refuses, or a kernel is to read. */
static void test_reading(void)
{
	struct memory_location location = location_of(0);
	struct array array = { .n_dims = 1, .shape = { 4 }, .stride_bytes = { -4 }, .pointer = 20 };
	const struct transfer_end end = { &array, &location };
	struct mapping mapping;
	struct err err = { 0 };

	array.dtype = (struct dtype){ .kind = DTYPE_FLOAT, .bits = 32, .lanes = 1 };
	calls[0] = '\0';
	n_left_to_map = n_left_to_unmap = 1;
	CHECK(!mapping_open(&mapping, &end, TRANSFER_KERNEL, &err) &&
			mapping.end.location == &location,
		"a kernel is to read");
	CHECK(!mapping_open(&mapping, &end, TRANSFER_AUTO, &err), "%s", err.message);
	CHECK(mapping.end.array->pointer == (uintptr_t)sessions[0].bytes + 20, "the first element");
	CHECK(mapping.end.location->host_reaches && !mapping.end.location->session, "the host's");
	CHECK(!mapping_close(&mapping, &err) && !mapping_close(&mapping, &err), "%s", err.message);
	CHECK(!strcmp(calls, "read 8+16 waits, back waits, "), "%s", calls);
	CHECK(mapping_open(&mapping, &end, TRANSFER_AUTO, &err) &&
			mapping.end.location == &location,
		"refused");
	CHECK(!mapping_close(&mapping, &err), "nothing to close");
	CHECK(mapping_reaches(&location), "mapped, the host reaches it");
	location.handle = 0;
	CHECK(!mapping_reaches(&location), "an address is not a buffer");
	n_left_to_map = 1;
	CHECK(!mapping_open(&mapping, &end, TRANSFER_AUTO, &err) &&
			mapping.end.location == &location,
		"an address is not a buffer");
	location.handle = HANDLE;
	sessions[0].base.maps = false;
	CHECK(!mapping_reaches(&location), "no processor's");
	CHECK(!mapping_open(&mapping, &end, TRANSFER_AUTO, &err) &&
			mapping.end.location == &location,
		"no processor's");
}

int main(void)
{
	for (int i = 0; i < N_PLACES; i++)
		sessions[i].base = (struct device_session){ &fake_runtime, .maps = true };
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_row(i);
	test_reading();
	return test_end();
}
