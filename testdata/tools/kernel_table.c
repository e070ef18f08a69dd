// SPDX-License-Identifier: MIT
/*
 * Copies a table of layouts with the kernels of one device and compares every byte with a naive
 * loop. Counts launches by kernel and fails where a kernel of the list never ran.
 *   kernel_table opencl PLATFORM.DEVICE buffer|usm-device|usm-shared|usm-host SEED
 *   kernel_table cuda ORDINAL device|managed|pinned SEED
 *   kernel_table sycl FOLDER-OF-DPCTL FILTER usm-device|usm-shared|usm-host SEED
 */
#include "copy/compare.h"
#include "copy/kernels.h"
#include "copy/layout_test.h"
#include "devices/cuda.h"
#include "devices/opencl.h"
#include "devices/sycl.h"

#include <stdio.h>

enum { MAX_KERNELS = 64, DRAWN = 3 };

static int n_launches[MAX_KERNELS], n_layouts;
static struct device_place *place;
static struct device_pointer from_memory, to_memory;

/* SPREAD: the destination has a gap behind each item. */
enum { SWAPPED = 1, SPREAD = 2 };

/* A layout in items; the destination is in C order, its first byte `shift` items off. */
struct layout {
	const char *name;
	int n_dims;
	int64_t shape[4];
	int order[4]; /* of the source's dimensions, outermost first */
	int64_t step; /* of the source's innermost: -1 and 2 are slices, 0 a broadcast */
	int64_t pad;  /* items behind each row of the source */
	int src_shift, dst_shift;
	int is;
};

static const struct layout layouts[] = {
	{ "contiguous", 1, { 5000 }, { 0 }, 1, 0, 0, 0, 0 },
	{ "swapped", 1, { 5000 }, { 0 }, 1, 0, 0, 0, SWAPPED },
	{ "swapped off by one", 1, { 4999 }, { 0 }, 1, 0, 1, 1, SWAPPED },
	{ "rows", 2, { 20, 200 }, { 0, 1 }, 1, 24, 0, 0, 0 },
	{ "rows off by one", 2, { 20, 199 }, { 0, 1 }, 1, 3, 1, 0, 0 },
	{ "rows off by one there", 2, { 20, 199 }, { 0, 1 }, 1, 3, 0, 1, 0 },
	{ "rows swapped", 2, { 20, 200 }, { 0, 1 }, 1, 24, 0, 0, SWAPPED },
	{ "three of long rows", 2, { 3, 1700 }, { 0, 1 }, 1, 5, 0, 0, 0 },
	{ "planes of rows", 3, { 5, 6, 101 }, { 1, 0, 2 }, 1, 0, 0, 0, 0 },
	{ "short rows", 2, { 800, 3 }, { 0, 1 }, 1, 2, 0, 0, 0 },
	{ "fill", 2, { 20, 200 }, { 0, 1 }, 0, 3, 0, 0, 0 },
	{ "fill off by one", 2, { 20, 199 }, { 0, 1 }, 0, 3, 1, 1, 0 },
	{ "fill swapped", 2, { 20, 200 }, { 0, 1 }, 0, 3, 0, 0, SWAPPED },
	{ "reversed", 1, { 3000 }, { 0 }, -1, 0, 0, 0, 0 },
	{ "reversed off by one", 1, { 2999 }, { 0 }, -1, 0, 1, 1, 0 },
	{ "reversed rows, swapped", 2, { 20, 199 }, { 0, 1 }, -1, 3, 0, 1, SWAPPED },
	{ "every second", 1, { 3000 }, { 0 }, 2, 0, 0, 0, 0 },
	{ "every second, swapped, off by one", 1, { 2999 }, { 0 }, 2, 0, 1, 1, SWAPPED },
	{ "transpose", 2, { 64, 80 }, { 1, 0 }, 1, 0, 0, 0, 0 },
	{ "transpose of odd sides", 2, { 67, 75 }, { 1, 0 }, 1, 0, 0, 0, 0 },
	{ "transpose of two tiles", 2, { 136, 56 }, { 1, 0 }, 1, 0, 0, 0, 0 },
	{ "transpose of two tiles the other way", 2, { 56, 136 }, { 1, 0 }, 1, 0, 0, 0, SWAPPED },
	{ "transpose of two tiles with odd rows", 2, { 137, 55 }, { 1, 0 }, 1, 7, 0, 0, 0 },
	{ "transpose to odd rows", 2, { 136, 53 }, { 1, 0 }, 1, 0, 0, 0, 0 },
	{ "transpose off by one", 2, { 64, 72 }, { 1, 0 }, 1, 0, 1, 1, 0 },
	{ "transpose swapped", 2, { 64, 80 }, { 1, 0 }, 1, 0, 0, 0, SWAPPED },
	{ "transpose reversed", 2, { 64, 80 }, { 1, 0 }, -1, 0, 0, 0, 0 },
	{ "permuted 2 1 0", 3, { 16, 18, 20 }, { 2, 1, 0 }, 1, 0, 0, 0, 0 },
	{ "permuted 3 1 0 2", 4, { 9, 8, 7, 10 }, { 3, 1, 0, 2 }, 1, 0, 0, 0, 0 },
	{ "two planes", 3, { 2, 1100, 2 }, { 0, 2, 1 }, 1, 0, 0, 0, 0 },
	{ "three planes", 3, { 2, 1000, 3 }, { 0, 2, 1 }, 1, 0, 0, 0, 0 },
	{ "three planes of odd size", 2, { 1301, 3 }, { 1, 0 }, 1, 0, 0, 0, 0 },
	{ "three planes swapped", 2, { 1300, 3 }, { 1, 0 }, 1, 0, 0, 0, SWAPPED },
	{ "four planes", 3, { 1, 1100, 4 }, { 0, 2, 1 }, 1, 0, 0, 0, 0 },
	{ "to two planes", 3, { 2, 2, 1100 }, { 0, 2, 1 }, 1, 0, 0, 0, 0 },
	{ "to three planes", 3, { 2, 3, 700 }, { 0, 2, 1 }, 1, 0, 0, 0, 0 },
	{ "to three planes of odd size", 2, { 3, 1301 }, { 1, 0 }, 1, 0, 0, 0, 0 },
	{ "to four planes, swapped", 3, { 1, 4, 1100 }, { 0, 2, 1 }, 1, 0, 0, 0, SWAPPED },
	{ "into gaps", 2, { 40, 60 }, { 0, 1 }, 1, 0, 0, 0, SPREAD },
	{ "into gaps, swapped", 2, { 60, 40 }, { 1, 0 }, 1, 0, 0, 0, SWAPPED | SPREAD },
};

static void lay_out(const struct layout *layout, int64_t item, struct array *from, struct array *to)
{
	int64_t stride = item;

	*from = (struct array){ .dtype = { .kind = layout->is & SWAPPED ? DTYPE_UINT : DTYPE_VOID,
					.bits = 8 * item,
					.lanes = 1,
					.foreign_order = layout->is & SWAPPED },
		.n_dims = layout->n_dims };
	memcpy(from->shape, layout->shape, sizeof(layout->shape));
	*to = *from;
	to->dtype.foreign_order = false;
	array_set_compact_strides(to, 'C');
	for (int i = 0; layout->is & SPREAD && i < to->n_dims; i++)
		to->stride_bytes[i] *= 2;
	for (int i = layout->n_dims - 1; i >= 0; i--) {
		int dim = layout->order[i];
		bool is_inner = i == layout->n_dims - 1;

		from->stride_bytes[dim] = is_inner ? layout->step * item : stride;
		stride *= from->shape[dim];
		if (is_inner)
			stride = stride * (layout->step == 2 ? 2 : 1) + layout->pad * item;
	}
	from->pointer = (uint64_t)(uintptr_t)source +
			(uint64_t)(first_byte(from) + layout->src_shift * item);
	to->pointer = (uint64_t)(uintptr_t)result + (uint64_t)(layout->dst_shift * item);
}

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
	if (place->runtime->write(place, to_memory, result, sizeof(result), &err) ||
		plan_make(&plan, from, to, &err) ||
		place->runtime->copy_strided(place, &plan,
			at(to_memory, to->pointer - (uintptr_t)result),
			at(from_memory, from->pointer - (uintptr_t)source), &launch, &err) ||
		place->runtime->read(place, result, to_memory, sizeof(result), &err)) {
		CHECK(false, "%s: %s", name, err.message);
		return;
	}
	CHECK(!memcmp(result, expected, sizeof(result)), "%s, item of %lld bytes, by %s", name,
		(long long)dtype_itemsize(&from->dtype), launch.kernel ? launch.kernel : "none");
	compare_arrays(&comparison, from, to);
	CHECK(comparison.equal, "%s, compared", name);
	CHECK(plan.empty || launch.n_launches > 0, "%s: no launch", name);
	count(&launch);
}

static void copy_table(void)
{
	static const int64_t items[] = { 1, 2, 3, 4, 8, 12, 16 };
	struct array from, to;

	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
		for (size_t j = 0; j < sizeof(layouts) / sizeof(layouts[0]); j++) {
			if (layouts[j].is & SWAPPED && (items[i] == 3 || items[i] == 12))
				continue;
			lay_out(&layouts[j], items[i], &from, &to);
			CHECK(last_byte(&from) + 64 <= ARENA_BYTES &&
					last_byte(&to) + 64 <= ARENA_BYTES,
				"%s is too large", layouts[j].name);
			copy(layouts[j].name, &from, &to);
		}
	}
}

static void copy_drawn(uint64_t seed)
{
	struct array from, to;
	char name[64];

	printf("seed %" PRIu64 "\n", seed);
	for (int i = 0; i < DRAWN; i++) {
		snprintf(name, sizeof(name), "layout %d of seed %" PRIu64, i, seed);
		pick_pair(&from, &to);
		copy(name, &from, &to);
	}
}

static void tell_launches(void)
{
	for (int i = 0; kernels[i].name; i++) {
		printf("kernel %s, width %d: %d launches\n", kernels[i].name, kernels[i].item_bytes,
			n_launches[i]);
		CHECK(n_launches[i] > 0, "kernel %s was never launched", kernels[i].name);
	}
	printf("%d layouts\n", n_layouts);
}

static struct device_place *open_place(char **argv, struct err *err)
{
	struct sycl_source sycl = { 0 };
	struct cuda_source cuda = { 0 };
	int platform = 0, device = 0;

	if (!strcmp(argv[1], "sycl")) {
		sycl.filter = argv[3];
		return sycl_load(argv[2], err) ? NULL : sycl_open(&sycl, err);
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
	kind = strcmp(argv[argc - 2], "buffer") != 0 ? memory_kind_from_name(argv[argc - 2])
						     : MEMORY_OPENCL_BUFFER;
	place = open_place(argv, &err);
	random_state = strtoull(argv[argc - 1], NULL, 10) | 1;
	fill_source();
	if (!place || place->runtime->allocate(place, kind, ARENA_BYTES, &from_memory, &err) ||
		place->runtime->allocate(place, kind, ARENA_BYTES, &to_memory, &err) ||
		place->runtime->write(place, from_memory, source, sizeof(source), &err)) {
		printf("%s\n", err.message);
		return 4;
	}
	copy_table();
	copy_drawn(strtoull(argv[argc - 1], NULL, 10));
	tell_launches();
	place->runtime->release(place, from_memory);
	place->runtime->release(place, to_memory);
	place->runtime->close(place);
	return test_end();
}
