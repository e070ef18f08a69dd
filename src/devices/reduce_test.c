// SPDX-License-Identifier: MIT
/*
 * Reductions in a session whose memory is the host's: the calls to the runtime, and that nothing
 * leaks if one fails. testdata/tools/kernel_table.c checks the kernels.
 */
#include "base/array_size.h"
#include "devices/reduce.h"

#include "base/crc32.h"
#include "base/test.h"
#include "copy/host/host_copy.h"

#include <stdlib.h>
#include <string.h>

enum { N_BYTES = 100003 };

static const unsigned char zeroes[N_BYTES];
static int n_allocated, n_launches, n_packed, n_left_to_launch, n_left_to_allocate;
static int64_t n_read_bytes;

static void *as_pointer(struct device_pointer pointer)
{
	return (void *)(uintptr_t)pointer.address;
}

static int fake_allocate(struct device_session *session, enum memory_kind kind, size_t n_bytes,
	struct device_pointer *pointer, struct err *err)
{
	(void)session;
	(void)kind;
	if (!n_left_to_allocate--)
		return err_set(err, EXIT_TARGET, "no memory");
	*pointer = (struct device_pointer){ .address = (uintptr_t)aligned_alloc(
						    64, (n_bytes + 63) & ~63UL) };
	memset(as_pointer(*pointer), 0, n_bytes);
	n_allocated++;
	return 0;
}

static void fake_release(struct device_session *session, struct device_pointer pointer)
{
	(void)session;
	free(as_pointer(pointer));
	n_allocated--;
}

static int fake_read(struct device_session *session, void *to, struct device_pointer from,
	size_t n_bytes, struct err *err)
{
	(void)session;
	(void)err;
	n_read_bytes += (int64_t)n_bytes;
	memcpy(to, as_pointer(from), n_bytes);
	return 0;
}

static int fake_copy_strided(struct device_session *session, const struct copy_plan *plan,
	struct device_pointer to, struct device_pointer from, struct device_launch *launch,
	struct err *err)
{
	(void)session;
	(void)err;
	n_packed++;
	launch->n_launches = 1;
	host_copy(plan, as_pointer(from), as_pointer(to));
	return 0;
}

/* Leaves zeros, which add nothing to a CRC. */
static int fake_launch(struct device_session *session, const struct kernel_launch *launch,
	struct device_pointer to, struct device_pointer from, struct err *err)
{
	(void)session;
	(void)launch;
	(void)to;
	(void)from;
	if (!n_left_to_launch--)
		return err_set(err, EXIT_UNAVAILABLE, "no kernel");
	n_launches++;
	return 0;
}

static const struct device_runtime fake_runtime = {
	.name = "fake",
	.device_kind = MEMORY_DEVICE,
	.allocate = fake_allocate,
	.release = fake_release,
	.read = fake_read,
	.copy_strided = fake_copy_strided,
	.launch = fake_launch,
};

static struct device_session fake_session = { .runtime = &fake_runtime };

struct row {
	int64_t shift, stride, n; /* bytes, of bytes */
	int n_to_launch, n_to_allocate;
	bool fails;
	int n_launches, n_packed;
	int64_t n_read_bytes;
};

/* Blocks have 40000 bytes, and a group reads 32768. */
static const struct row rows[] = {
	{ 0, 1, N_BYTES, 99, 99, false, 2, 0, 4 + 3 },
	{ 0, 1, 32768, 99, 99, false, 1, 0, 4 },
	{ 0, 1, 15, 99, 99, false, 0, 0, 15 },
	{ 0, 1, 0, 99, 99, false, 0, 0, 0 },
	{ 1, 1, 99999, 99, 99, false, 5, 3, 4 + 4 + 4 + 15 },
	{ 0, 2, 50000, 99, 99, false, 3, 2, 4 + 4 },
	{ 0, 1, N_BYTES, 0, 99, true, 0, 0, 0 },
	{ 0, 1, N_BYTES, 1, 99, true, 1, 0, 0 },
	{ 0, 1, N_BYTES, 99, 0, true, 0, 0, 0 },
	{ 0, 2, 50000, 99, 1, true, 0, 1, 0 },
};

static void check_row(const struct row *row, uint64_t memory)
{
	static const struct reduction crc = { .kind = REDUCE_CRC };
	const struct memory_location location = { .session = &fake_session };
	struct reducer reducer = { .session = &fake_session };
	struct array array = { .dtype = { .kind = DTYPE_UINT, .bits = 8, .lanes = 1 },
		.n_dims = 1,
		.shape = { row->n },
		.stride_bytes = { row->stride },
		.pointer = memory + (uint64_t)row->shift };
	struct reduced reduced;
	struct err err = { 0 };
	long at = row - rows;

	n_left_to_launch = row->n_to_launch;
	n_left_to_allocate = row->n_to_allocate;
	n_launches = n_packed = 0;
	n_read_bytes = 0;
	reduce_begin(&reduced);
	CHECK((reducer_add(&reducer, &reduced, &crc, &(struct transfer_end){ &array, &location },
		       &err) != 0) == row->fails,
		"row %ld: %s", at, err.message);
	CHECK(!row->fails || err.code == EXIT_UNAVAILABLE, "row %ld", at);
	CHECK(row->fails || reduced.crc == crc32_add(0, zeroes, (size_t)row->n), "row %ld: %08x",
		at, reduced.crc);
	CHECK(n_launches == row->n_launches && n_packed == row->n_packed,
		"row %ld: %d launches, %d packed", at, n_launches, n_packed);
	CHECK(n_read_bytes == row->n_read_bytes && reducer.n_brought_bytes == n_read_bytes,
		"row %ld: %lld bytes", at, (long long)n_read_bytes);
	reducer_free(&reducer);
	CHECK(n_allocated == 0, "row %ld: %d left", at, n_allocated);
}

/* Memory of a handle is packed, since its alignment is unknown. */
static void check_handle(uint64_t memory)
{
	static const struct reduction crc = { .kind = REDUCE_CRC };
	const struct memory_location location = { .session = &fake_session, .handle = 8 };
	struct reducer reducer = { .session = &fake_session };
	struct array array = { .dtype = { .kind = DTYPE_UINT, .bits = 8, .lanes = 1 },
		.n_dims = 1,
		.shape = { 32768 },
		.stride_bytes = { 1 },
		.pointer = memory };
	struct reduced reduced;
	struct err err = { 0 };

	n_left_to_launch = n_left_to_allocate = 99;
	n_packed = 0;
	reduce_begin(&reduced);
	CHECK(!reducer_add(
		      &reducer, &reduced, &crc, &(struct transfer_end){ &array, &location }, &err),
		"%s", err.message);
	CHECK(n_packed == 1, "%d packed", n_packed);
	reducer_free(&reducer);
}

/*
 * Three integers of foreign byte order, less than a vector: numbers are read in this machine's
 * order, a checksum in the stored one.
 */
static void check_foreign(unsigned char *memory)
{
	static const unsigned char items[] = { 0, 0, 0, 9, 0, 0, 1, 0, 0, 0, 0, 200 };
	const struct memory_location location = { .session = &fake_session };
	struct array array = {
		.dtype = { .kind = DTYPE_UINT, .bits = 32, .lanes = 1, .foreign_order = true },
		.n_dims = 1,
		.shape = { 3 },
		.stride_bytes = { 4 },
		.pointer = (uintptr_t)memory
	};
	struct reduction reduction = { .item_bytes = 4,
		.order = { .limit = UINT32_MAX, .nan_bits = UINT64_MAX } };
	struct err err = { 0 };

	memcpy(memory, items, sizeof(items));
	for (int kind = REDUCE_CRC; kind <= REDUCE_STATS; kind++) {
		struct reducer reducer = { .session = &fake_session };
		struct reduced reduced;

		reduction.kind = (enum reduce_kind)kind;
		n_left_to_launch = n_left_to_allocate = 99;
		n_packed = 0;
		reduce_begin(&reduced);
		CHECK(!reducer_add(&reducer, &reduced, &reduction,
			      &(struct transfer_end){ &array, &location }, &err),
			"%s", err.message);
		CHECK(n_packed == (kind != REDUCE_CRC), "kind %d: %d packed", kind, n_packed);
		CHECK(kind != REDUCE_CRC || reduced.crc == crc32_add(0, items, sizeof(items)),
			"%08x", reduced.crc);
		CHECK(kind != REDUCE_STATS || (reduced.min == 9 && reduced.max == 256), "%d to %d",
			(int)reduced.min, (int)reduced.max);
		reducer_free(&reducer);
	}
}

int main(void)
{
	unsigned char *memory = aligned_alloc(64, (N_BYTES + 127) & ~63UL);

	memset(memory, 0, N_BYTES + 16);
	reducer_block_bytes = 40000;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_row(&rows[i], (uint64_t)(uintptr_t)memory);
	check_handle((uint64_t)(uintptr_t)memory);
	check_foreign(memory);
	free(memory);
	return test_end();
}
