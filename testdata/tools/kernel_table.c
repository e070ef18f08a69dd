// SPDX-License-Identifier: MIT
/*
 * Copies a table of layouts with the kernels of one device and compares every byte with a naive
 * loop, each with the kernel that is chosen and with all others that can copy it; reduces arrays
 * of every type there and compares with the host. Counts launches per kernel and fails if a kernel
 * of the lists never ran.
 *   kernel_table opencl PLATFORM.DEVICE buffer|usm-device|usm-shared|usm-host SEED
 *   kernel_table cuda ORDINAL device|managed|pinned SEED
 *   kernel_table sycl DPCTL-DIRECTORY FILTER usm-device|usm-shared|usm-host SEED
 */
#include "base/array_size.h"
#include "copy/compare.h"
#include "copy/kernels/kernels.h"
#include "devices/cuda/cuda.h"
#include "devices/opencl/opencl.h"
#include "devices/reduce.h"
#include "devices/sycl/sycl.h"
#include "layout_table.h"

#include <stdio.h>

enum { MAX_KERNELS = 128, REDUCED_DRAWN = 4, SMALL_BLOCK = 6000 };

static int n_launches[MAX_KERNELS], n_reduce_launches[MAX_KERNELS], n_layouts, n_reduced;
static struct device_session *session;
static struct device_pointer from_memory, to_memory;

static struct device_pointer at(struct device_pointer memory, uint64_t offset)
{
	memory.address += offset;
	return memory;
}

static void count(const struct device_launch *launch)
{
	for (int i = 0; kernels[i].name; i++)
		if (launch->kernel == kernels[i].name)
			n_launches[i] += launch->n_launches;
}

/* One kernel copies a layout, if it can; every byte is compared. */
static void copy_by(const struct kernel *kernel, const char *name, const struct array *from,
	const struct array *to, const struct copy_plan *plan)
{
	struct device_pointer source_at = at(from_memory, from->pointer - (uintptr_t)source);
	struct device_pointer result_at = at(to_memory, to->pointer - (uintptr_t)result);
	struct kernel_launch launch;
	struct err err = { 0 };

	if (!kernel_launch_with(&launch, kernel, plan, source_at.address, result_at.address,
		    KERNEL_FEW_ARGUMENTS))
		return;
	n_launches[kernel - kernels]++;
	memset(result, 0xEE, sizeof(result));
	CHECK(!session->runtime->write(session, to_memory, result, sizeof(result), &err) &&
			!session->runtime->launch(session, &launch, result_at, source_at, &err) &&
			!session->runtime->read(session, result, to_memory, sizeof(result), &err),
		"%s: %s", name, err.message);
	CHECK(!memcmp(result, expected, sizeof(result)),
		"%s, item of %lld bytes, %lld and %lld bytes off, by %s", name,
		(long long)dtype_itemsize(&from->dtype),
		(long long)(from->pointer - (uintptr_t)source),
		(long long)(to->pointer - (uintptr_t)result), kernel->name);
}

static void copy(const char *name, const struct array *from, const struct array *to)
{
	struct device_launch launch = { 0 };
	struct copy_plan plan;
	struct comparison comparison;
	struct err err = { 0 };

	n_layouts++;
	memset(result, 0xEE, sizeof(result));
	memset(expected, 0xEE, sizeof(expected));
	naive_copy(from, to);
	if (session->runtime->write(session, to_memory, result, sizeof(result), &err) ||
		plan_make(&plan, from, to, &err) ||
		session->runtime->copy_strided(session, &plan,
			at(to_memory, to->pointer - (uintptr_t)result),
			at(from_memory, from->pointer - (uintptr_t)source), &launch, &err) ||
		session->runtime->read(session, result, to_memory, sizeof(result), &err)) {
		CHECK(false, "%s: %s", name, err.message);
		return;
	}
	CHECK(!memcmp(result, expected, sizeof(result)), "%s, item of %lld bytes, by %s", name,
		(long long)dtype_itemsize(&from->dtype), launch.kernel ? launch.kernel : "none");
	compare_arrays(&comparison, from, to);
	CHECK(comparison.equal, "%s, compared", name);
	CHECK(plan.empty || launch.n_launches > 0, "%s: no launch", name);
	count(&launch);
	for (const struct kernel *kernel = kernels; kernel->name && !plan.empty; kernel++)
		copy_by(kernel, name, from, to, &plan);
}

/*
 * Transposes of small items at every alignment of both sides, with odd rows, by every kernel that
 * copies tiles, boxes or squares: some read and write whole words that hold items of two rows.
 */
static void copy_misaligned(void)
{
	static const struct layout odd[] = {
		{ "words of odd rows", 2, { 137, 131 }, { 1, 0 }, 1, 0, 0, 0, 0 },
		{ "words of rows of three sizes", 3, { 6, 133, 23 }, { 1, 2, 0 }, 1, 0, 0, 0, 0 },
		{ "words of rows apart", 2, { 70, 93 }, { 1, 0 }, 1, 5, 0, 0, 0 },
		{ "words of 11 planes", 3, { 2, 1100, 11 }, { 0, 2, 1 }, 1, 0, 0, 0, 0 },
		{ "words of 7 planes apart", 3, { 3, 701, 7 }, { 0, 2, 1 }, 1, 3, 0, 0, 0 },
		{ "words of 12 planes", 3, { 2, 12, 1024 }, { 0, 2, 1 }, 1, 0, 0, 0, 0 },
		{ "words of 9 planes", 3, { 2, 9, 1203 }, { 0, 2, 1 }, 1, 0, 0, 0, 0 },
		{ "words to rows of 12", 3, { 4, 101, 12 }, { 0, 2, 1 }, 1, 5, 0, 0, 0 },
		{ "words to rows of 136", 3, { 3, 23, 136 }, { 0, 2, 1 }, 1, 0, 0, 0, 0 },
		{ "words of small boxes", 4, { 3, 7, 12, 43 }, { 0, 3, 2, 1 }, 1, 0, 0, 0, 0 },
	};
	struct array from, to;
	struct copy_plan plan;
	struct err err = { 0 };

	for (int i = 0; i < (int)(sizeof(odd) / sizeof(odd[0])) * 32; i++) {
		struct layout layout = odd[i / 32];
		int64_t item_bytes = 1 + i / 16 % 2;

		layout.src_shift = i / 4 % 4;
		layout.dst_shift = i % 4;
		lay_out(&layout, item_bytes, &from, &to);
		memset(expected, 0xEE, sizeof(expected));
		naive_copy(&from, &to);
		if (plan_make(&plan, &from, &to, &err))
			CHECK(false, "%s: %s", layout.name, err.message);
		for (const struct kernel *kernel = kernels; kernel->name; kernel++)
			if (kernel->item_bytes == item_bytes &&
				(kernel_has_blocks(kernel) || kernel->shape == KERNEL_SQUARE))
				copy_by(kernel, layout.name, &from, &to, &plan);
	}
}

/*
 * Planes of neighbouring items and back, of short and long lines at every alignment of both sides:
 * those of a group are in one line or in several, and aligned blocks of memory hold items of two of
 * them.
 */
static void copy_planes(void)
{
	static const int64_t n_positions[] = { 64, 71, 150, 301, 520 };
	struct array from, to;
	struct copy_plan plan;
	struct err err = { 0 };

	for (const struct kernel *kernel = kernels; kernel->name; kernel++) {
		if (kernel->shape != KERNEL_INTERLEAVE && kernel->shape != KERNEL_DEINTERLEAVE)
			continue;
		for (int i = 0; i < 16; i++) {
			bool back = kernel->shape == KERNEL_DEINTERLEAVE;
			int64_t n = n_positions[i % ARRAY_SIZE(n_positions)];
			struct layout layout = { back ? "lines to planes" : "planes to lines", 3,
				{ 5, back ? kernel->n : n, back ? n : kernel->n }, { 0, 2, 1 }, 1,
				back ? 0 : 3 * (i % 3), i, (i + 3 * (i / 8)) % 16,
				i % 4 ? 0 : SWAPPED };

			lay_out(&layout, kernel->item_bytes, &from, &to);
			memset(expected, 0xEE, sizeof(expected));
			naive_copy(&from, &to);
			if (plan_make(&plan, &from, &to, &err))
				CHECK(false, "%s: %s", layout.name, err.message);
			copy_by(kernel, layout.name, &from, &to, &plan);
		}
	}
}

/* --- reductions --- */

static const struct dtype ordered[] = {
	{ .kind = DTYPE_BOOL, .bits = 8 },
	{ .kind = DTYPE_INT, .bits = 8 },
	{ .kind = DTYPE_UINT, .bits = 8 },
	{ .kind = DTYPE_INT, .bits = 16 },
	{ .kind = DTYPE_UINT, .bits = 16 },
	{ .kind = DTYPE_FLOAT, .bits = 16 },
	{ .kind = DTYPE_BFLOAT, .bits = 16 },
	{ .kind = DTYPE_INT, .bits = 32 },
	{ .kind = DTYPE_UINT, .bits = 32 },
	{ .kind = DTYPE_FLOAT, .bits = 32 },
	{ .kind = DTYPE_INT, .bits = 64 },
	{ .kind = DTYPE_UINT, .bits = 64 },
	{ .kind = DTYPE_FLOAT, .bits = 64 },
	{ .kind = DTYPE_FLOAT8, .bits = 8, .name = "float8_e3m4" },
	{ .kind = DTYPE_FLOAT8, .bits = 8, .name = "float8_e4m3" },
	{ .kind = DTYPE_FLOAT8, .bits = 8, .name = "float8_e5m2" },
	{ .kind = DTYPE_FLOAT8, .bits = 8, .name = "float8_e4m3fn" },
	{ .kind = DTYPE_FLOAT8, .bits = 8, .name = "float8_e4m3fnuz" },
	{ .kind = DTYPE_FLOAT8, .bits = 8, .name = "float8_e4m3b11fnuz" },
	{ .kind = DTYPE_FLOAT8, .bits = 8, .name = "float8_e5m2fnuz" },
	{ .kind = DTYPE_FLOAT8, .bits = 8, .name = "float8_e8m0fnu" },
	{ .kind = DTYPE_VOID, .bits = 24 },
	{ .kind = DTYPE_COMPLEX, .bits = 128 },
};

/* The runtime's own, which counts. */
static struct device_runtime counting;
static const struct device_runtime *counted;

static int count_launch(struct device_session *at_session, const struct kernel_launch *launch,
	struct device_pointer to, struct device_pointer from, struct err *err)
{
	n_reduce_launches[launch->kernel - reduce_kernels]++;
	return counted->launch(at_session, launch, to, from, err);
}

/* An array of source at its pointer there, on the device. */
static void reduce(const struct array *array, const struct reduction *reduction)
{
	static struct reducer reducer;
	struct memory_location location = { .session = session, .handle = from_memory.handle };
	struct array dense = *array, there = *array;
	struct reduced by_device, by_host;
	struct err err = { 0 };

	n_reduced++;
	reducer.session = session;
	if (reduction->kind != REDUCE_CRC)
		dense.dtype.foreign_order = false;
	dense.pointer = (uint64_t)(uintptr_t)result;
	array_set_compact_strides(&dense, 'C');
	naive_copy(array, &dense);
	reduce_begin(&by_host);
	reduce_bytes(&by_host, reduction, expected, array_nbytes(array), 0);
	reduce_begin(&by_device);
	there.pointer = from_memory.address + (array->pointer - (uintptr_t)source);
	CHECK(!reducer_add(&reducer, &by_device, reduction,
		      &(struct transfer_end){ &there, &location }, &err),
		"%s", err.message);
	CHECK(!memcmp(&by_device, &by_host, sizeof(by_host)),
		"kind %d of %s %lld: crc %08x %08x, sum %" PRIx64 " %" PRIx64 ", min %" PRIx64
		" %" PRIx64 ", max %" PRIx64 " %" PRIx64 ", %" PRIu64 " %" PRIu64 " NaN",
		(int)reduction->kind, array->dtype.name, (long long)array->dtype.bits,
		by_device.crc, by_host.crc, by_device.sum, by_host.sum, by_device.min, by_host.min,
		by_device.max, by_host.max, by_device.n_nan, by_host.n_nan);
	reducer_free(&reducer);
}

static void reduce_all(struct array *array)
{
	struct reduction reduction = { .kind = REDUCE_CRC };
	struct dtype native = array->dtype;

	reduce(array, &reduction);
	native.foreign_order = false;
	reduction.kind = REDUCE_STATS;
	reduction.item_bytes = (int)dtype_itemsize(&native);
	if (element_order(&reduction.order, &native))
		reduce(array, &reduction);
	reduction.kind = REDUCE_SUM;
	if (array_nbytes(array) <= reducer_block_bytes)
		reduce(array, &reduction);
}

static void draw_array(struct array *array, const struct dtype *dtype)
{
	do {
		*array = (struct array){ .dtype = *dtype, .n_dims = (int)pick(5) };
		array->dtype.lanes = 1;
		array->dtype.foreign_order = dtype->bits > 8 && pick(3) == 0;
		for (int i = 0; i < array->n_dims; i++)
			array->shape[i] = pick(40) ? 1 + pick(array->n_dims > 2 ? 12 : 90) : 0;
		pick_strides(array, true);
	} while (last_byte(array) > ARENA_BYTES - 64 || array_nbytes(array) > ARENA_BYTES - 64);
	array->pointer = pick_address(source, array);
}

/* Dense memory from its second item, and layouts of all kinds in one block and many. */
static void reduce_table(void)
{
	int64_t whole_block = reducer_block_bytes;
	struct array array;

	counted = session->runtime;
	counting = *counted;
	counting.launch = count_launch;
	session->runtime = &counting;
	for (size_t i = 0; i < sizeof(ordered) / sizeof(ordered[0]); i++) {
		int64_t item_bytes = ordered[i].bits / 8;

		for (int64_t shift = 0; shift < 2; shift++) {
			array = (struct array){ .dtype = ordered[i], .n_dims = 1 };
			array.dtype.lanes = 1;
			array.shape[0] = ARENA_BYTES / item_bytes - 2 * shift;
			array.stride_bytes[0] = item_bytes;
			array.pointer =
				(uint64_t)(uintptr_t)source + (uint64_t)(shift * item_bytes);
			reduce_all(&array);
		}
		for (int j = 0; j < REDUCED_DRAWN; j++) {
			draw_array(&array, &ordered[i]);
			reducer_block_bytes = j % 2 ? SMALL_BLOCK : whole_block;
			reduce_all(&array);
		}
		reducer_block_bytes = whole_block;
	}
	session->runtime = counted;
}

static void tell_list(const struct kernel *list, const int *launches)
{
	int n = 0;

	while (list[n].name)
		n++;
	CHECK(n <= MAX_KERNELS, "%d kernels", n);
	for (int i = 0; i < n && n <= MAX_KERNELS; i++) {
		printf("kernel %s, width %d: %d launches\n", list[i].name, list[i].item_bytes,
			launches[i]);
		CHECK(launches[i] > 0, "kernel %s was never launched", list[i].name);
	}
}

static void tell_launches(void)
{
	tell_list(kernels, n_launches);
	tell_list(reduce_kernels, n_reduce_launches);
	printf("%d layouts, %d reductions\n", n_layouts, n_reduced);
}

static struct device_session *open_session(char **argv, struct err *err)
{
	struct sycl_source sycl = { 0 };
	struct cuda_source cuda = { 0 };
	int platform = 0, device = 0;

	if (!strcmp(argv[1], "sycl")) {
		sycl.filter = argv[3];
		return sycl_load_from(argv[2], err) ? NULL : sycl_open(&sycl, err);
	}
	cuda.device = strtoll(argv[2], NULL, 10);
	if (!strcmp(argv[1], "cuda"))
		return cuda_open(&cuda, err);
	sscanf(argv[2], "%d.%d", &platform, &device);
	return opencl_load(err) ? NULL : opencl_open_device(platform, device, err);
}

int main(int argc, char **argv)
{
	bool is_sycl = argc == 6 && !strcmp(argv[1], "sycl");
	enum memory_kind kind;
	struct err err = { 0 };

	if (!is_sycl &&
		(argc != 5 || (strcmp(argv[1], "opencl") != 0 && strcmp(argv[1], "cuda") != 0)))
		return 2;
	if (!strcmp(argv[argc - 2], "buffer"))
		kind = MEMORY_OPENCL_BUFFER;
	else if (!memory_kind_from_name(argv[argc - 2], &kind))
		return 2;
	session = open_session(argv, &err);
	random_state = strtoull(argv[argc - 1], NULL, 10) | 1;
	fill_source();
	if (!session ||
		session->runtime->allocate(session, kind, ARENA_BYTES, &from_memory, &err) ||
		session->runtime->allocate(session, kind, ARENA_BYTES, &to_memory, &err) ||
		session->runtime->write(session, from_memory, source, sizeof(source), &err)) {
		printf("%s\n", err.message);
		return 4;
	}
	visit_layouts(copy);
	visit_drawn(strtoull(argv[argc - 1], NULL, 10), copy);
	copy_misaligned();
	copy_planes();
	reduce_table();
	tell_launches();
	session->runtime->release(session, from_memory);
	session->runtime->release(session, to_memory);
	session->runtime->close(session);
	return test_end();
}
