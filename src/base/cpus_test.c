// SPDX-License-Identifier: MIT
#include "base/cpus.h"

#include "base/test.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

/* What the fake below reports: the bits of the kernel's mask, and the processors in it. */
static size_t mask_cpus, usable_cpus;
static int error;

/* Replaces the C library's function: this machine does not have that many processors. */
int sched_getaffinity(pid_t pid, size_t n_bytes, cpu_set_t *set)
{
	(void)pid;
	if (error || n_bytes * 8 < mask_cpus) {
		errno = error ? error : EINVAL;
		return -1;
	}
	memset(set, 0, n_bytes);
	for (size_t i = 0; i < usable_cpus; i++)
		CPU_SET_S(mask_cpus - 1 - i, n_bytes, set);
	return 0;
}

int main(void)
{
	const int n_online = (int)sysconf(_SC_NPROCESSORS_ONLN);
	const struct {
		size_t mask_cpus, usable_cpus;
		int error, expected;
	} rows[] = {
		{ 64, 1, 0, 1 },
		{ 1024, 1024, 0, 1024 },
		{ 1088, 2, 0, 2 },
		{ 8192, 1536, 0, 1536 },
		{ 1 << 20, 3, 0, 3 },
		{ (1 << 20) + 64, 3, 0, n_online }, /* more than any kernel has */
		{ 64, 2, EPERM, n_online },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int found;

		mask_cpus = rows[i].mask_cpus;
		usable_cpus = rows[i].usable_cpus;
		error = rows[i].error;
		found = cpus_count_usable();
		CHECK(found == rows[i].expected, "row %zu: %d", i, found);
	}
	return test_end();
}
