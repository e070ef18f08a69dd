// SPDX-License-Identifier: MIT
/*
 * Converts a plan to launches: loops that exceed 32 bits or the arguments (long loops, large
 * strides, many dimensions) are iterated here, with one launch each.
 */
#include "copy/kernels/kernels.h"

#include "base/array_size.h"
#include "copy/kernels/kernel_memo.h"
#include "copy/kernels/kernel_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The rest of a plan while its outer loops are iterated here. */
struct walk {
	struct copy_plan plan;
	uint64_t src, dst;
	struct copy_loop outer[2 * KERNEL_MAX_LOOPS];
	int n_outer;
	int max_arguments;
	int (*run)(void *context, const struct kernel_launch *launch, struct err *err);
	void *context;
};

const struct kernel *kernel_find(const char *name)
{
	for (const struct kernel *kernel = kernels; kernel->name; kernel++)
		if (!strcmp(kernel->name, name))
			return kernel;
	return NULL;
}

static void add_outer(struct walk *walk, struct copy_loop loop)
{
	walk->outer[walk->n_outer++] = loop;
}

/* Pieces of a long loop become a loop of the same launch if the plan has a free entry. */
static void kernels_add_loop(struct walk *walk, struct copy_loop loop, int at)
{
	struct copy_loop *loops = walk->plan.loops;

	if (walk->plan.n_loops == (int)(ARRAY_SIZE(walk->plan.loops))) {
		add_outer(walk, loop);
		return;
	}
	memmove(&loops[at + 1], &loops[at], (size_t)(walk->plan.n_loops++ - at) * sizeof(loops[0]));
	loops[at] = loop;
}

static void remove_loop(struct copy_loop *loops, int *n_loops, int at)
{
	memmove(&loops[at], &loops[at + 1], (size_t)(*n_loops - at - 1) * sizeof(loops[0]));
	--*n_loops;
}

static bool is_far(int64_t stride_bytes)
{
	return stride_bytes > INT32_MAX || stride_bytes < -INT32_MAX;
}

static void move_far_loops(struct walk *walk)
{
	for (int i = walk->plan.n_loops - 1; i >= 0; i--) {
		const struct copy_loop *loop = &walk->plan.loops[i];

		if (!is_far(loop->src_stride_bytes) && !is_far(loop->dst_stride_bytes))
			continue;
		add_outer(walk, *loop);
		remove_loop(walk->plan.loops, &walk->plan.n_loops, i);
	}
}

/*
 * Moves the loop that costs the fewest launches out of the launch, if that has too few arguments
 * or cannot count its work.
 */
static void move_one(struct walk *walk, struct kernel_choice *choice)
{
	int at = 0;

	if (!choice->n_rest) {
		add_outer(walk, choice->b);
		choice->b = (struct copy_loop){ 1, 0, 0 };
		return;
	}
	for (int i = 1; i < choice->n_rest; i++)
		if (choice->rest[i].n < choice->rest[at].n)
			at = i;
	add_outer(walk, choice->rest[at]);
	remove_loop(choice->rest, &choice->n_rest, at);
}

static int run_all(const struct walk *walk, struct kernel_launch *launch, struct err *err)
{
	int64_t index[2 * KERNEL_MAX_LOOPS] = { 0 };
	int64_t *src = &launch->arguments[ARG_SRC_OFFSET];
	int64_t *dst = &launch->arguments[ARG_DST_OFFSET];
	int depth;

	*src = walk->plan.src_offset_bytes;
	*dst = walk->plan.dst_offset_bytes;
	do {
		if (walk->run(walk->context, launch, err))
			return -1;
		for (depth = walk->n_outer - 1; depth >= 0; depth--) {
			const struct copy_loop *loop = &walk->outer[depth];

			*src += loop->src_stride_bytes;
			*dst += loop->dst_stride_bytes;
			if (++index[depth] < loop->n)
				break;
			index[depth] = 0;
			*src -= loop->n * loop->src_stride_bytes;
			*dst -= loop->n * loop->dst_stride_bytes;
		}
	} while (depth >= 0);
	return 0;
}

/* The address bits shared by all launches of the walk, for alignment. */
static void set_bits(const struct walk *walk, struct kernel_choice *choice)
{
	choice->src_bits = walk->src | (uint64_t)walk->plan.src_offset_bytes;
	choice->dst_bits = walk->dst | (uint64_t)walk->plan.dst_offset_bytes;
	for (int i = 0; i < walk->n_outer; i++) {
		choice->src_bits |= (uint64_t)walk->outer[i].src_stride_bytes;
		choice->dst_bits |= (uint64_t)walk->outer[i].dst_stride_bytes;
	}
}

static bool has_far_loops(const struct copy_plan *plan)
{
	for (int i = 0; i < plan->n_loops; i++)
		if (is_far(plan->loops[i].src_stride_bytes) ||
			is_far(plan->loops[i].dst_stride_bytes))
			return true;
	return false;
}

/* Fills launch with the fastest kernel without blocks; gives its cost, HUGE_VAL if none fits. */
static double arrange_unblocked(struct kernel_launch *launch, const struct walk *walk)
{
	struct kernel_choice choice;
	struct kernel_launch next;
	double least = HUGE_VAL;

	for (const struct kernel *kernel = kernels; kernel->name; kernel++) {
		double cost;

		if (!kernel_choose(&choice, &walk->plan, kernel))
			continue;
		set_bits(walk, &choice);
		if (!kernel_arrange(&next, &choice))
			continue;
		cost = kernel_choice_cost(&choice, &next, &walk->plan);
		if (cost >= least)
			continue;
		least = cost;
		*launch = next;
	}
	launch->arguments[ARG_SRC_OFFSET] = walk->plan.src_offset_bytes;
	launch->arguments[ARG_DST_OFFSET] = walk->plan.dst_offset_bytes;
	return least;
}

static bool arrange_new(struct kernel_launch *launch, const struct walk *walk)
{
	double cost = HUGE_VAL;

	if (!has_far_loops(&walk->plan))
		cost = arrange_unblocked(launch, walk);
	return kernel_blocks(launch, &walk->plan, walk->src, walk->dst, walk->max_arguments, NULL,
		       cost) ||
	       cost < HUGE_VAL;
}

bool kernel_launch_with(struct kernel_launch *launch, const struct kernel *kernel,
	const struct copy_plan *plan, uint64_t src, uint64_t dst, int max_arguments)
{
	struct walk walk = {
		.plan = *plan, .src = src, .dst = dst, .max_arguments = max_arguments
	};
	struct kernel_choice choice;

	if (plan->empty)
		return false;
	plan_widen(&walk.plan, src, dst);
	for (int i = 0; i < walk.plan.n_loops; i++)
		if (walk.plan.loops[i].n > KERNEL_MAX_COUNT)
			return false;
	if (kernel_blocks(launch, &walk.plan, src, dst, max_arguments, kernel, HUGE_VAL))
		return true;
	if (has_far_loops(&walk.plan) || !kernel_choose(&choice, &walk.plan, kernel))
		return false;
	set_bits(&walk, &choice);
	if (!kernel_arrange(launch, &choice))
		return false;
	launch->arguments[ARG_SRC_OFFSET] = walk.plan.src_offset_bytes;
	launch->arguments[ARG_DST_OFFSET] = walk.plan.dst_offset_bytes;
	return true;
}

void kernel_each_launch(const struct copy_plan *plan, uint64_t src, uint64_t dst,
	kernel_found *found, void *context)
{
	struct walk walk = { .plan = *plan, .src = src, .dst = dst };
	struct kernel_choice choice;
	struct kernel_launch launch;

	plan_widen(&walk.plan, src, dst);
	for (const struct kernel *kernel = kernels; kernel->name; kernel++) {
		if (has_far_loops(&walk.plan) || !kernel_choose(&choice, &walk.plan, kernel))
			continue;
		set_bits(&walk, &choice);
		if (!kernel_arrange(&launch, &choice))
			continue;
		launch.arguments[ARG_SRC_OFFSET] = walk.plan.src_offset_bytes;
		launch.arguments[ARG_DST_OFFSET] = walk.plan.dst_offset_bytes;
		found(context, &launch, kernel_choice_cost(&choice, &launch, &walk.plan));
	}
	kernel_each_block(&walk.plan, src, dst, found, context);
}

/* One launch for the whole plan, if there is one. */
static bool arrange_whole(struct kernel_launch *launch, struct walk *walk)
{
	const struct kernel_memo_key key = { &walk->plan, walk->src, walk->dst,
		walk->max_arguments };

	if (kernel_memo_find(launch, &key))
		return true;
	if (!arrange_new(launch, walk))
		return false;
	kernel_memo_keep(&key, launch);
	return true;
}

static int run_plan(struct walk *walk, struct err *err)
{
	const struct kernel *kernel = kernels;
	struct kernel_choice choice;
	struct kernel_launch launch;

	if (arrange_whole(&launch, walk))
		return walk->run(walk->context, &launch, err);
	move_far_loops(walk);
	while (kernel->name && !kernel_choose(&choice, &walk->plan, kernel))
		kernel++;
	if (!kernel->name)
		return err_set(err, EXIT_UNAVAILABLE, "this build has no device kernels");
	set_bits(walk, &choice);
	while (!kernel_arrange(&launch, &choice)) {
		move_one(walk, &choice);
		set_bits(walk, &choice);
	}
	return run_all(walk, &launch, err);
}

/* Loops that are too long are split into pieces, with separate launches for the remainders. */
static int run_pieces(struct walk *walk, struct err *err)
{
	struct walk piece = *walk;
	int at = 0;

	while (at < walk->plan.n_loops && walk->plan.loops[at].n <= KERNEL_MAX_COUNT)
		at++;
	if (at == walk->plan.n_loops)
		return run_plan(walk, err);
	struct copy_loop long_loop = walk->plan.loops[at];
	struct copy_loop outer = { long_loop.n / KERNEL_MAX_COUNT,
		long_loop.src_stride_bytes * KERNEL_MAX_COUNT,
		long_loop.dst_stride_bytes * KERNEL_MAX_COUNT };

	piece.plan.loops[at].n = KERNEL_MAX_COUNT;
	if (outer.n > 1)
		kernels_add_loop(&piece, outer, at);
	if (run_pieces(&piece, err))
		return -1;
	walk->plan.loops[at].n = long_loop.n % KERNEL_MAX_COUNT;
	walk->plan.src_offset_bytes += outer.n * outer.src_stride_bytes;
	walk->plan.dst_offset_bytes += outer.n * outer.dst_stride_bytes;
	return walk->plan.loops[at].n ? run_pieces(walk, err) : 0;
}

int kernel_launches(const struct copy_plan *plan, uint64_t src, uint64_t dst, int max_arguments,
	int (*run)(void *context, const struct kernel_launch *launch, struct err *err),
	void *context, struct err *err)
{
	struct walk walk = { .plan = *plan,
		.src = src,
		.dst = dst,
		.max_arguments = max_arguments,
		.run = run,
		.context = context };

	if (plan->empty)
		return 0;
	plan_widen(&walk.plan, src, dst);
	return run_pieces(&walk, err);
}
