// SPDX-License-Identifier: MIT
/* Cuts the lists of targets of large modules. */
#include "commands/divide.h"

#include <sched.h>
#include <unistd.h>

enum { LEAST_IN_PIECE = DIVIDE_LEAST_TARGETS / 2 };

int64_t divide_jobs(int64_t jobs)
{
	cpu_set_t cores;

	if (jobs)
		return jobs;
	if (!sched_getaffinity(0, sizeof(cores), &cores))
		return CPU_COUNT(&cores);
	return sysconf(_SC_NPROCESSORS_ONLN);
}

/* The module with its targets [first, end) alone. */
static struct value *piece_of(
	struct arena *arena, const struct value *module, size_t first, size_t end)
{
	const struct value *targets = value_get(module, "targets");
	struct value *piece = value_map(arena), *some = value_list(arena);

	for (size_t i = 0; i < module->n_items; i++)
		value_add(arena, piece, module->keys[i], module->items[i]);
	for (size_t i = first; i < end; i++)
		value_append(arena, some, targets->items[i]);
	value_set(arena, piece, "targets", some);
	return piece;
}

struct value *divide_modules(struct arena *arena, struct value *modules, int64_t jobs)
{
	struct value *divided = value_list(arena);
	size_t n_pieces = modules->n_items ? (size_t)jobs / modules->n_items : 0;

	if (n_pieces < 2)
		return modules;
	for (size_t i = 0; i < modules->n_items; i++) {
		struct value *module = modules->items[i];
		const struct value *targets = value_get(module, "targets");
		size_t n = value_is_sequence(targets) ? targets->n_items : 0, n_here;

		if (n < DIVIDE_LEAST_TARGETS) {
			value_append(arena, divided, module);
			continue;
		}
		n_here = n / LEAST_IN_PIECE < n_pieces ? n / LEAST_IN_PIECE : n_pieces;
		for (size_t k = 0; k < n_here; k++)
			value_append(arena, divided,
				piece_of(arena, module, n * k / n_here, n * (k + 1) / n_here));
	}
	return divided;
}
