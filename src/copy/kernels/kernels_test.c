// SPDX-License-Identifier: MIT
/* Which kernel copies which layout, and how plans are split to fit 32 bits. */
#include "base/array_size.h"
#include "copy/kernels/kernel_code.h"
#include "copy/kernels/kernel_memo.h"

#include "base/test.h"
#include "copy/kernels/kernel_parts.h"

#include <string.h>

struct layout {
	const char *kernel;
	int64_t item_bytes;
	int n_launches;
	int n_dims;
	int64_t shape[8], src_stride_bytes[8]; /* the destination is in C order */
	uint64_t src;
	int64_t swap_bits; /* positive: the elements are integers of foreign byte order */
};

static const struct layout layouts[] = {
	{ "rows16", 4, 1, 2, { 100, 1000 }, { 4096, 4 }, 0, 0 },
	{ "rows4", 4, 1, 2, { 100, 999 }, { 4096, 4 }, 4, 0 },
	{ "rows1", 1, 1, 2, { 100, 999 }, { 4096, 1 }, 1, 0 },
	{ "rows8", 8, 1, 1, { 4096 }, { 8 }, 8, 64 },
	{ "rows16", 8, 1, 1, { 4096 }, { 8 }, 0, 64 },
	{ "fill4", 4, 1, 2, { 100, 1000 }, { 4, 0 }, 0, 0 },
	{ "gather4", 4, 1, 2, { 100, 3 }, { 4, 0 }, 0, 0 },
	{ "gather4", 4, 1, 2, { 10, 3 }, { 4, 0 }, 0, 0 },
	{ "transpose1", 1, 1, 2, { 100, 300 }, { 1, 100 }, 0, 0 },
	{ "transpose4", 4, 1, 2, { 100, 300 }, { 4, 400 }, 0, 0 },
	{ "transpose4", 4, 1, 2, { 100, 300 }, { -4, 400 }, 396, 0 },
	{ "transpose2", 2, 1, 4, { 160, 128, 96, 112 }, { 2, 35840, 4587520, 320 }, 0, 0 },
	{ "transpose16", 16, 1, 2, { 100, 300 }, { 16, 1600 }, 0, 0 },
	{ "interleave3_1", 1, 1, 3, { 2, 4096, 3 }, { 12288, 1, 4096 }, 0, 0 },
	{ "interleave3_4", 4, 1, 2, { 4096, 3 }, { 4, 16384 }, 0, 0 },
	{ "deinterleave3_2", 2, 1, 2, { 3, 4096 }, { 2, 6 }, 0, 0 },
	{ "gather8", 8, 1, 1, { 1000 }, { 16 }, 0, 0 },
	{ "gather8", 8, 1, 1, { 1000 }, { -8 }, 7992, 0 },
	{ "pack1", 1, 1, 1, { 1000 }, { 2 }, 0, 0 },
	{ "reverse1", 1, 1, 1, { 1000 }, { -1 }, 999, 0 },
	{ "reverse2", 2, 1, 2, { 10, 100 }, { 200, -2 }, 198, 16 },
	{ "pack4", 4, 1, 1, { 1000 }, { 8 }, 0, 0 },
	{ "gather4", 4, 1, 1, { 3 }, { 8 }, 0, 0 },
	{ "pack2", 2, 1, 1, { 1000 }, { -4 }, 3996, 0 },
	{ "gather4", 12, 1, 2, { 10, 100 }, { 12, 120 }, 0, 0 },
	{ "block4", 12, 1, 2, { 1000, 1000 }, { 12, 12000 }, 0, 0 },
	{ "pack1", 4, 1, 1, { 100 }, { 8 }, 1, 32 },
	/* More loops than arguments; strides and loops that exceed 32 bits. */
	{ "block2", 2, 1, 7, { 2, 3, 4, 5, 6, 7, 5 }, { 4, 16, 270, 4800, 99990, 599988, 16 }, 0,
		0 },
	{ "rows16", 1, 4, 2, { 4, 4096 }, { INT64_C(1) << 33, 1 }, 0, 0 },
	{ "pack4", 4, 2, 1, { 8 * KERNEL_MAX_COUNT + 5 }, { 8 }, 0, 0 },
};

struct runs {
	const struct kernel *kernel;
	int n_launches;
	int64_t src_offset_bytes;
};

static int note(void *context, const struct kernel_launch *launch, struct err *err)
{
	struct runs *runs = context;

	(void)err;
	if (!runs->n_launches++)
		runs->kernel = launch->kernel;
	runs->src_offset_bytes = launch->arguments[ARG_SRC_OFFSET];
	CHECK(launch->n_groups > 0, "%s", launch->kernel->name);
	return 0;
}

static void make_pair(const struct layout *layout, struct array *from, struct array *to)
{
	*from = (struct array){
		.dtype = { .kind = layout->swap_bits ? DTYPE_UINT : DTYPE_VOID,
			.bits = layout->item_bytes * 8,
			.lanes = 1,
			.foreign_order = layout->swap_bits > 0 },
		.n_dims = layout->n_dims,
	};
	memcpy(from->shape, layout->shape, sizeof(layout->shape));
	memcpy(from->stride_bytes, layout->src_stride_bytes, sizeof(layout->shape));
	*to = *from;
	to->dtype.foreign_order = false;
	array_set_compact_strides(to, 'C');
}

static void test_choice(void)
{
	struct array from, to;
	struct copy_plan plan;
	struct err err = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		const struct layout *layout = &layouts[i];
		struct runs runs = { 0 };

		make_pair(layout, &from, &to);
		CHECK(!plan_make(&plan, &from, &to, &err), "%s", err.message);
		CHECK(!kernel_launches(
			      &plan, layout->src, 0, KERNEL_MAX_ARGUMENTS, note, &runs, &err),
			"layout %zu: %s", i, err.message);
		CHECK(runs.kernel && !strcmp(runs.kernel->name, layout->kernel),
			"layout %zu: %s, not %s", i, runs.kernel ? runs.kernel->name : "none",
			layout->kernel);
		CHECK(runs.n_launches == layout->n_launches, "layout %zu: %d launches", i,
			runs.n_launches);
	}
}

/* The last launch of a long loop is its remainder. */
static void test_pieces(void)
{
	const struct layout *layout = &layouts[ARRAY_SIZE(layouts) - 1];
	struct array from, to;
	struct copy_plan plan;
	struct runs runs = { 0 };
	struct err err = { 0 };

	make_pair(layout, &from, &to);
	CHECK(!plan_make(&plan, &from, &to, &err) &&
			!kernel_launches(&plan, 0, 0, KERNEL_MAX_ARGUMENTS, note, &runs, &err),
		"%s", err.message);
	CHECK(runs.src_offset_bytes == INT64_C(8) * 8 * KERNEL_MAX_COUNT, "offset %lld",
		(long long)runs.src_offset_bytes);
}

static int keep_last(void *context, const struct kernel_launch *launch, struct err *err)
{
	struct kernel_launch *last = context;

	(void)err;
	*last = *launch;
	return 0;
}

static bool is_same_launch(const struct kernel_launch *a, const struct kernel_launch *b)
{
	return a->kernel == b->kernel && a->n_groups == b->n_groups &&
	       a->n_arguments == b->n_arguments &&
	       !memcmp(a->arguments, b->arguments,
		       (size_t)a->n_arguments * sizeof(a->arguments[0]));
}

/* A launch that was kept for other addresses and offsets equals one that is planned anew. */
static void check_kept(const struct layout *layout, int64_t src_shift, int64_t dst_shift)
{
	struct array from, to;
	struct copy_plan plan, shifted;
	struct kernel_launch first, planned, kept;
	struct err err = { 0 };

	make_pair(layout, &from, &to);
	CHECK(!plan_make(&plan, &from, &to, &err), "%s", err.message);
	shifted = plan;
	shifted.src_offset_bytes += src_shift;
	shifted.dst_offset_bytes += dst_shift;
	kernel_memo_clear();
	(void)kernel_launches(
		&shifted, layout->src, 0, KERNEL_MAX_ARGUMENTS, keep_last, &planned, &err);
	kernel_memo_clear();
	(void)kernel_launches(&plan, layout->src, 0, KERNEL_MAX_ARGUMENTS, keep_last, &first, &err);
	(void)kernel_launches(
		&shifted, layout->src + 4096, 8192, KERNEL_MAX_ARGUMENTS, keep_last, &kept, &err);
	CHECK(is_same_launch(&planned, &kept), "%s: shifted by %lld and %lld bytes", layout->kernel,
		(long long)src_shift, (long long)dst_shift);
}

static void test_kept(void)
{
	static const int64_t shifts[] = { 0, 1, 4, 16, 60, 64, 4096, -64, -2 };

	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		for (size_t k = 0; k < ARRAY_SIZE(shifts); k++)
			check_kept(&layouts[i], shifts[k], shifts[ARRAY_SIZE(shifts) - 1 - k]);
}

/* The launches of other limits and byte orders, and of evicted plans, are planned anew. */
static void test_not_kept(void)
{
	struct array from, to;
	struct copy_plan plan;
	struct kernel_launch launch, again;
	struct err err = { 0 };

	kernel_memo_clear();
	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
			struct kernel_memo_key key = { &plan, layouts[i].src, 0,
				KERNEL_FEW_ARGUMENTS };

			make_pair(&layouts[i], &from, &to);
			CHECK(!plan_make(&plan, &from, &to, &err), "%s", err.message);
			CHECK(!kernel_launches(&plan, layouts[i].src, 0, KERNEL_MAX_ARGUMENTS,
				      keep_last, &launch, &err),
				"%s", err.message);
			plan_widen(&plan, layouts[i].src, 0);
			CHECK(!kernel_memo_find(&again, &key), "%s with fewer arguments",
				layouts[i].kernel);
			key.max_arguments = KERNEL_MAX_ARGUMENTS;
			plan.swap_bytes ^= 2;
			CHECK(!kernel_memo_find(&again, &key), "%s with another byte order",
				layouts[i].kernel);
			plan.swap_bytes ^= 2;
			CHECK(kernel_memo_find(&again, &key) == (layouts[i].n_launches == 1),
				"%s is kept", layouts[i].kernel);
		}
}

/* divide() of strided_copy.cl. */
static uint32_t divide(uint32_t value, int64_t count)
{
	uint32_t n = (uint32_t)count;
	int zeros = n == 1 ? 32 : __builtin_clz(n - 1);

	return (uint32_t)(((uint64_t)value * (uint32_t)(count >> 32)) >> (63 - zeros));
}

static void test_count(void)
{
	static const uint32_t values[] = { 0, 1, 2, 3, 5, 7, 255, 256, 257, 65535, 65536, 1000003,
		0x3fffffff, 0x40000000, 0x7ffffffe, 0x7fffffff };
	enum { N = ARRAY_SIZE(values) };

	for (int i = 0; i < N; i++) {
		for (int j = 1; j < N; j++) {
			uint64_t multiple = (uint64_t)values[i] * values[j];
			int64_t count = kernel_count(values[j]);

			CHECK(divide(values[i], count) == values[i] / values[j], "%u / %u",
				values[i], values[j]);
			if (!multiple || multiple > INT32_MAX)
				continue;
			CHECK(divide((uint32_t)multiple - 1, count) == values[i] - 1, "%llu / %u",
				(unsigned long long)multiple - 1, values[j]);
		}
	}
}

/* The code of a kernel begins as its form prescribes. */
static void check_code(const struct kernel *kernel, const struct kernel_form *form)
{
	struct err err;
	size_t n_bytes;
	const char *code = kernel_code(kernel, form, &n_bytes, &err);

	CHECK(code && n_bytes > 100 && !code[n_bytes], "%s, %s", kernel->name, form->name);
	if (!code)
		return;
	if (!strcmp(form->name, "spv"))
		CHECK(!memcmp(code, "\x03\x02\x23\x07", 4), "%s", kernel->name);
	else if (!strcmp(form->name, "ptx"))
		CHECK(strlen(code) == n_bytes && strstr(code, kernel->name) &&
				strstr(code, ".version 6.0") && strstr(code, ".target sm_52"),
			"%s", kernel->name);
	else
		CHECK(form->sm >= 80 && !memcmp(code, "\177ELF", 4), "%s, %s", kernel->name,
			form->name);
}

/* A cubin runs on devices of its major version, from its minor version on. */
static void test_native(void)
{
	for (const struct kernel_form *form = kernel_forms; form->name; form++) {
		int major = form->sm / 10, minor = form->sm % 10;

		CHECK(kernel_form_find(form->name) == form, "%s", form->name);
		if (!form->sm)
			continue;
		CHECK(kernel_form_native(major, minor) == form, "%s", form->name);
		CHECK(kernel_form_native(major, 9)->sm / 10 == major, "%s", form->name);
		CHECK(minor == 0 || kernel_form_native(major, minor - 1) != form, "%s", form->name);
	}
	CHECK(!kernel_form_native(5, 2), "native code for capability 5.2");
	CHECK(!kernel_form_find("none"), "none");
}

/* Every row of the list has the parameters of its shape, and can be found. */
static void test_list(void)
{
	int n = 0;

	for (const struct kernel *kernel = kernels; kernel->name; kernel++, n++) {
		CHECK(kernel_find(kernel->name) == kernel, "%s", kernel->name);
		CHECK(strstr(kernel->options, kernel->name), "%s", kernel->name);
		CHECK(strstr(kernel->source, "KERNEL"), "%s", kernel->name);
		for (const struct kernel_form *form = kernel_forms; form->name; form++)
			check_code(kernel, form);
	}
	CHECK(n > 30, "%d kernels", n);
	CHECK(!kernel_find("none"), "none");
}

int main(void)
{
	test_count();
	test_list();
	test_native();
	test_choice();
	test_pieces();
	test_kept();
	test_not_kept();
	return test_end();
}
