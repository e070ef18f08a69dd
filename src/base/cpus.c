// SPDX-License-Identifier: MIT
#include "base/cpus.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <unistd.h>

/* Returns the number of processors, 0 if the mask has more bits than n_cpus, or -1 if it cannot be
 * read. */
static int count_within(size_t n_cpus)
{
	const size_t n_bytes = CPU_ALLOC_SIZE(n_cpus);
	cpu_set_t *set = CPU_ALLOC(n_cpus);
	int n = -1;

	if (!set)
		return -1;
	if (!sched_getaffinity(0, n_bytes, set))
		n = CPU_COUNT_S(n_bytes, set);
	else if (errno == EINVAL)
		n = 0;
	CPU_FREE(set);
	return n;
}

/* Linux does not report how many bits its mask has, and rejects smaller sets. */
int cpus_count_usable(void)
{
	enum { MOST_CPUS = 1 << 20 };
	long n_online;
	int n = 0;

	for (size_t n_cpus = CPU_SETSIZE; n == 0 && n_cpus <= MOST_CPUS; n_cpus *= 2)
		n = count_within(n_cpus);
	if (n > 0)
		return n;
	n_online = sysconf(_SC_NPROCESSORS_ONLN);
	return n_online > 0 ? (int)n_online : 1;
}
