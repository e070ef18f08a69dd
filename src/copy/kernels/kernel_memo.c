// SPDX-License-Identifier: MIT
#include "copy/kernels/kernel_memo.h"

#include <pthread.h>
#include <string.h>

/* No kernel loads or stores more bytes at once, so that no choice depends on further bits. */
enum { N_ENTRIES = 8, ALIGNMENT_BYTES = 64 };

struct entry {
	struct copy_plan plan; /* loops beyond n_loops are not set */
	uint64_t src_bits, dst_bits;
	int max_arguments; /* 0: the entry is free */
	struct kernel_launch launch;
};

static struct entry entries[N_ENTRIES];
static unsigned int n_kept;

/* Only tried: a fork may leave it locked in the child, which then plans each copy. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t low_bits(uint64_t address)
{
	return address % ALIGNMENT_BYTES;
}

static bool is_alike(const struct copy_plan *a, const struct copy_plan *b)
{
	return a->item_bytes == b->item_bytes && a->swap_bytes == b->swap_bytes &&
	       a->n_loops == b->n_loops &&
	       low_bits((uint64_t)a->src_offset_bytes) == low_bits((uint64_t)b->src_offset_bytes) &&
	       low_bits((uint64_t)a->dst_offset_bytes) == low_bits((uint64_t)b->dst_offset_bytes) &&
	       !memcmp(a->loops, b->loops, (size_t)a->n_loops * sizeof(a->loops[0]));
}

/* The launch of the entry for a plan whose offsets differ. */
static void take_launch(
	struct kernel_launch *launch, const struct entry *entry, const struct copy_plan *plan)
{
	launch->kernel = entry->launch.kernel;
	launch->n_groups = entry->launch.n_groups;
	launch->n_arguments = entry->launch.n_arguments;
	memcpy(launch->arguments, entry->launch.arguments,
		(size_t)launch->n_arguments * sizeof(launch->arguments[0]));
	launch->arguments[ARG_SRC_OFFSET] += plan->src_offset_bytes - entry->plan.src_offset_bytes;
	launch->arguments[ARG_DST_OFFSET] += plan->dst_offset_bytes - entry->plan.dst_offset_bytes;
}

bool kernel_memo_find(struct kernel_launch *launch, const struct kernel_memo_key *key)
{
	bool is_found = false;

	if (pthread_mutex_trylock(&lock) != 0)
		return false;
	for (int i = 0; i < N_ENTRIES && !is_found; i++) {
		const struct entry *entry = &entries[i];

		is_found = entry->max_arguments == key->max_arguments &&
			   entry->src_bits == low_bits(key->src) &&
			   entry->dst_bits == low_bits(key->dst) &&
			   is_alike(&entry->plan, key->plan);
		if (is_found)
			take_launch(launch, entry, key->plan);
	}
	pthread_mutex_unlock(&lock);
	return is_found;
}

void kernel_memo_keep(const struct kernel_memo_key *key, const struct kernel_launch *launch)
{
	struct entry *entry;

	if (pthread_mutex_trylock(&lock) != 0)
		return;
	entry = &entries[n_kept++ % N_ENTRIES];
	entry->plan = *key->plan;
	entry->src_bits = low_bits(key->src);
	entry->dst_bits = low_bits(key->dst);
	entry->max_arguments = key->max_arguments;
	entry->launch = *launch;
	pthread_mutex_unlock(&lock);
}

void kernel_memo_clear(void)
{
	pthread_mutex_lock(&lock);
	memset(entries, 0, sizeof(entries));
	pthread_mutex_unlock(&lock);
}
