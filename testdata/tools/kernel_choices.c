// SPDX-License-Identifier: MIT
/*
 * Prints how layouts are copied to C order on a device. A line of standard input is
 *   NAME ITEM_BYTES N_DIMS SHAPE... STRIDES...
 * without blanks in NAME, strides in bytes; a line of the output
 *   NAME: KERNEL, N launches (N with few arguments)
 * with the kernel of the first launch on CUDA. Few arguments are those of OpenCL and SYCL.
 */
#include "copy/kernels/kernels.h"

#include <stdio.h>
#include <stdlib.h>

struct choice {
	const char *kernel; /* of the first launch */
	int n_launches;
};

static int count(void *context, const struct kernel_launch *launch, struct err *err)
{
	struct choice *choice = context;

	(void)err;
	if (!choice->n_launches++)
		choice->kernel = launch->kernel->name;
	return 0;
}

static struct choice choose(const struct copy_plan *plan, int max_arguments)
{
	struct choice choice = { "none", 0 };
	struct err err;

	if (kernel_launches(plan, 0, 0, max_arguments, count, &choice, &err)) {
		fprintf(stderr, "%s\n", err.message);
		exit(1);
	}
	return choice;
}

static int64_t number(void)
{
	long long value;

	if (scanf("%lld", &value) != 1) {
		fprintf(stderr, "expected a number\n");
		exit(2);
	}
	return value;
}

int main(void)
{
	char name[256];

	while (scanf("%255s", name) == 1) {
		int64_t item_bytes = number();
		struct array from = {
			.dtype = { .kind = DTYPE_VOID, .bits = item_bytes * 8, .lanes = 1 }
		};
		struct array to;
		struct copy_plan plan;
		struct choice many, few;
		struct err err;

		from.n_dims = (int)number();
		for (int i = 0; i < from.n_dims; i++)
			from.shape[i] = number();
		for (int i = 0; i < from.n_dims; i++)
			from.stride_bytes[i] = number();
		to = from;
		array_set_compact_strides(&to, 'C');
		if (plan_make(&plan, &from, &to, &err)) {
			fprintf(stderr, "%s: %s\n", name, err.message);
			return 1;
		}
		many = choose(&plan, KERNEL_MAX_ARGUMENTS);
		few = choose(&plan, KERNEL_FEW_ARGUMENTS);
		printf("%s: %s, %d launches (%d with few arguments)\n", name, many.kernel,
			many.n_launches, few.n_launches);
	}
	return 0;
}
