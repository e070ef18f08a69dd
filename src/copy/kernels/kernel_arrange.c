// SPDX-License-Identifier: MIT
/* The arguments and groups of a launch, as strided_copy.cl requires them for each shape. */
#include "copy/kernels/kernel_block.h"

/* The same constants as in strided_copy.cl. */
enum {
	BLOCK_BYTES = 16,
	WARP_LANES_LOG2 = 5,
	MIN_LANES_LOG2 = 2,
	MANY_BLOCKS = 32,
	MANY_LOOPS = 3,
	MAX_LANES_LOG2 = 8,
	SQUARE_PIECE_BYTES = 64,
};

/* Indices that kernels compute beyond the last one must fit in 31 bits. */
static const int64_t limit = INT32_MAX - 64 * KERNEL_GROUP_ITEMS;

/* By which the product with the reciprocal of a count is shifted. */
static int kernel_shift(int64_t n)
{
	return 31 + (n > 1 ? 64 - __builtin_clzll((uint64_t)n - 1) : 0);
}

int64_t kernel_count(int64_t n)
{
	uint64_t reciprocal = ((UINT64_C(1) << kernel_shift(n)) + (uint64_t)n - 1) / (uint64_t)n;

	return (int64_t)(reciprocal << 32 | (uint64_t)n);
}

/*
 * The number of work-items along a row of blocks: many, with few of them idle. Less than a warp
 * splits its accesses, and must gain more: half a line of memory pays off only for short rows of
 * which each position costs many divisions.
 */
static int choose_lanes_log2(int64_t n_blocks, int n_rest)
{
	int least = n_blocks < MANY_BLOCKS && n_rest >= MANY_LOOPS ? MIN_LANES_LOG2
								   : MIN_LANES_LOG2 + 1;
	int best = MAX_LANES_LOG2;

	for (int log2 = MAX_LANES_LOG2; log2 >= least; log2--) {
		int64_t cost = ceil_divide(n_blocks, 1 << log2) << log2;
		int64_t best_cost = ceil_divide(n_blocks, 1 << best) << best;

		if (cost * 10 < best_cost * (log2 < WARP_LANES_LOG2 ? 8 : 9))
			best = log2;
	}
	while (best > 0 && n_blocks <= 1 << (best - 1))
		best--;
	return best;
}

static int64_t arrange_rows(
	const struct kernel_choice *choice, int64_t n_rows, struct kernel_launch *launch)
{
	int64_t n_bytes = choice->a.n * choice->a.dst_stride_bytes;
	int64_t n_blocks = ceil_divide(n_bytes, BLOCK_BYTES) +
			   (choice->kernel->item_bytes < BLOCK_BYTES ? 1 : 0);
	int log2 = choose_lanes_log2(n_blocks, choice->n_rest), each = choice->kernel->n;
	int64_t lanes = INT64_C(1) << log2, rows = KERNEL_GROUP_ITEMS / lanes;
	bool along = n_blocks >= each * lanes || (n_rows < each && n_blocks > lanes);
	int64_t across = ceil_divide(n_blocks, along ? lanes * each : lanes);

	launch->arguments[ARG_A] = kernel_count(n_bytes);
	launch->arguments[ARG_TOTAL] = n_rows;
	launch->arguments[ARG_T0] = kernel_count(across);
	launch->arguments[ARG_T1] = log2;
	launch->arguments[ARG_FLAGS] = along ? KERNEL_FLAG_ALONG : 0;
	return across * ceil_divide(n_rows, along ? rows : rows * each);
}

static int64_t arrange_gather(
	const struct kernel_choice *choice, int64_t n_lines, struct kernel_launch *launch)
{
	int64_t n_vectors = ceil_divide(choice->a.n, choice->kernel->vector_items);
	int64_t total;

	if (__builtin_mul_overflow(n_vectors, n_lines, &total))
		return INT64_MAX;
	launch->arguments[ARG_T0] = kernel_count(n_vectors);
	launch->arguments[ARG_TOTAL] = total;
	return ceil_divide(total, (int64_t)KERNEL_GROUP_ITEMS * choice->kernel->n);
}

static int64_t arrange_flat(
	const struct kernel_choice *choice, int64_t n_lines, struct kernel_launch *launch)
{
	int64_t n_items, n_vectors;

	if (__builtin_mul_overflow(choice->a.n, n_lines, &n_items) || n_items > limit)
		return INT64_MAX;
	n_vectors = ceil_divide(n_items, choice->kernel->vector_items);
	launch->arguments[ARG_T0] = n_items;
	launch->arguments[ARG_TOTAL] = n_vectors;
	return ceil_divide(n_vectors, (int64_t)KERNEL_GROUP_ITEMS * choice->kernel->n);
}

/* Neighbouring work-items write a short row of the destination, or a piece of it. */
static int64_t arrange_square(
	const struct kernel_choice *choice, int64_t n_rest, struct kernel_launch *launch)
{
	int side = choice->kernel->vector_items;
	int64_t most = SQUARE_PIECE_BYTES / (side * choice->kernel->item_bytes);
	int64_t n_a = choice->a.n / side, n_b = ceil_divide(choice->b.n, side), total;
	int64_t n_parts = n_b > 1 && n_a > 2 * most ? ceil_divide(n_a, most) : 1;
	struct copy_loop along_a = choice->a, along_b = choice->b;

	along_a.n = ceil_divide(n_a, n_parts);
	along_b.n = n_b;
	kernel_set_loop(&launch->arguments[ARG_A], &along_a);
	kernel_set_loop(&launch->arguments[ARG_B], &along_b);
	if (__builtin_mul_overflow(n_rest, n_parts * along_a.n * n_b, &total))
		return INT64_MAX;
	launch->arguments[ARG_T0] = kernel_count(n_parts);
	launch->arguments[ARG_T1] = n_a;
	launch->arguments[ARG_TOTAL] = total;
	launch->arguments[ARG_FLAGS] |= (choice->b.n - (n_b - 1) * side) << 32;
	return ceil_divide(total, KERNEL_GROUP_ITEMS);
}

static int64_t arrange_interleave(
	const struct kernel_choice *choice, int64_t n_lines, struct kernel_launch *launch)
{
	bool along_a = choice->kernel->shape == KERNEL_DEINTERLEAVE;
	int64_t n_vectors =
		ceil_divide(along_a ? choice->a.n : choice->b.n, choice->kernel->vector_items);
	int log2 = choose_lanes_log2(n_vectors, choice->n_rest);
	int64_t across = ceil_divide(n_vectors, INT64_C(1) << log2);

	launch->arguments[ARG_TOTAL] = n_lines;
	launch->arguments[ARG_T0] = kernel_count(across);
	launch->arguments[ARG_T1] = log2;
	return across * ceil_divide(n_lines, KERNEL_GROUP_ITEMS >> log2);
}

/* The bytes of the source, from the source offset on. */
static void set_source(int64_t *arguments, const struct kernel_choice *choice)
{
	int64_t *begin = &arguments[ARG_SRC_BEGIN], *end = &arguments[ARG_SRC_END];

	*end = choice->kernel->item_bytes;
	plan_add_reach(&choice->a, choice->a.n, begin, end);
	plan_add_reach(&choice->b, choice->b.n, begin, end);
	for (int i = 0; i < choice->n_rest; i++)
		plan_add_reach(&choice->rest[i], choice->rest[i].n, begin, end);
}

/*
 * Whether the addresses (their low bits), strides and item step of one side permit whole vectors.
 */
static bool takes_vectors(const struct kernel *kernel, uint64_t bits, int64_t step_bytes)
{
	uint64_t vector_bytes = (uint64_t)kernel->vector_items * (uint64_t)kernel->item_bytes;

	return kernel->vector_items == 1 ||
	       (step_bytes == kernel->item_bytes && bits % vector_bytes == 0);
}

static int64_t vector_flags(const struct kernel_choice *choice)
{
	const struct kernel *kernel = choice->kernel;
	const struct copy_loop *a = &choice->a, *b = &choice->b;
	uint64_t src = choice->src_bits, dst = choice->dst_bits;
	int64_t src_step = a->src_stride_bytes, dst_step = a->dst_stride_bytes;

	if (kernel->shape == KERNEL_FLAT)
		return takes_vectors(kernel, dst, dst_step) ? KERNEL_FLAG_DST_VECTORS : 0;
	for (int i = 0; i < choice->n_rest; i++) {
		src |= (uint64_t)choice->rest[i].src_stride_bytes;
		dst |= (uint64_t)choice->rest[i].dst_stride_bytes;
	}
	switch (kernel->shape) {
	case KERNEL_INTERLEAVE:
		src |= (uint64_t)a->src_stride_bytes;
		src_step = b->src_stride_bytes;
		break;
	case KERNEL_SQUARE:
		src |= (uint64_t)a->src_stride_bytes;
		dst |= (uint64_t)b->dst_stride_bytes;
		if (b->n % kernel->vector_items == 0) /* no vector lacks items */
			src_step = b->src_stride_bytes;
		break;
	case KERNEL_DEINTERLEAVE:
		dst |= (uint64_t)b->dst_stride_bytes;
		src_step = b->src_stride_bytes;
		break;
	default:
		src |= (uint64_t)b->src_stride_bytes;
		dst |= (uint64_t)b->dst_stride_bytes;
	}
	return (takes_vectors(kernel, src, src_step) ? KERNEL_FLAG_SRC_VECTORS : 0) |
	       (takes_vectors(kernel, dst, dst_step) ? KERNEL_FLAG_DST_VECTORS : 0);
}

void kernel_set_loop(int64_t *arguments, const struct copy_loop *loop)
{
	arguments[0] = kernel_count(loop->n);
	arguments[1] = (int64_t)(uint32_t)loop->src_stride_bytes | (int64_t)kernel_shift(loop->n)
									   << 32;
	arguments[2] = loop->dst_stride_bytes;
}

static int64_t arrange_shape(
	struct kernel_launch *launch, const struct kernel_choice *choice, int64_t n_rest)
{
	enum kernel_shape shape = choice->kernel->shape;
	int64_t n_lines;

	if (shape == KERNEL_INTERLEAVE || shape == KERNEL_DEINTERLEAVE)
		return arrange_interleave(choice, n_rest, launch);
	if (shape == KERNEL_SQUARE)
		return arrange_square(choice, n_rest, launch);
	if (__builtin_mul_overflow(n_rest, choice->b.n, &n_lines) || n_lines > limit)
		return INT64_MAX;
	switch (shape) {
	case KERNEL_GATHER:
		return arrange_gather(choice, n_lines, launch);
	case KERNEL_FLAT:
		return arrange_flat(choice, n_lines, launch);
	default:
		return arrange_rows(choice, n_lines, launch);
	}
}

/* Whether a SQUARE writes whole vectors, and reads them or words. */
static bool takes_squares(const struct kernel_launch *launch, const struct kernel_choice *choice)
{
	const struct kernel *kernel = choice->kernel;
	int64_t flags = launch->arguments[ARG_FLAGS];

	return flags & KERNEL_FLAG_DST_VECTORS &&
	       (flags & KERNEL_FLAG_SRC_VECTORS || kernel_knows_words(kernel));
}

bool kernel_arrange(struct kernel_launch *launch, const struct kernel_choice *choice)
{
	static const struct copy_loop once = { 1, 0, 0 };
	int64_t n_rest = 1, n_groups;

	if (choice->n_rest > KERNEL_N_REST)
		return false;
	*launch = (struct kernel_launch){ .kernel = choice->kernel,
		.n_arguments = KERNEL_N_ARGUMENTS };
	kernel_set_loop(&launch->arguments[ARG_A], &choice->a);
	kernel_set_loop(&launch->arguments[ARG_B], &choice->b);
	for (int i = 0; i < KERNEL_N_REST; i++) {
		const struct copy_loop *loop = i < choice->n_rest ? &choice->rest[i] : &once;

		kernel_set_loop(&launch->arguments[ARG_REST + 3 * i], loop);
		if (__builtin_mul_overflow(n_rest, loop->n, &n_rest) || n_rest > limit)
			return false;
	}
	launch->arguments[ARG_SWAP] = choice->swap_bytes;
	launch->arguments[ARG_FLAGS] = vector_flags(choice);
	if (choice->kernel->shape == KERNEL_SQUARE && !takes_squares(launch, choice))
		return false;
	set_source(launch->arguments, choice);
	n_groups = arrange_shape(launch, choice, n_rest);
	launch->n_groups = (uint32_t)n_groups;
	return n_groups <= limit && launch->arguments[ARG_TOTAL] <= limit;
}
