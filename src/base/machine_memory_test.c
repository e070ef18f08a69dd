// SPDX-License-Identifier: MIT
/* Limits of control groups of both versions, in directories like those of /sys/fs/cgroup. */
#include "base/machine_memory.h"

#include "base/array_size.h"
#include "base/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_FILES = 4 };

static const struct {
	const char *groups; /* /proc/self/cgroup */
	struct {
		const char *path, *text;
	} files[MAX_FILES];
	uint64_t swap_bytes, limit;
} cases[] = {
	/* The root has no files. */
	{ "0::/\n", { { NULL, NULL } }, 0, UINT64_MAX },
	/* A container with a namespace of its own, and one without. */
	{ "0::/\n", { { "memory.max", "1000\n" } }, 0, 1000 },
	{ "0::/docker/c\n", { { "memory.max", "1000\n" } }, 0, 1000 },
	{ "4:memory:/docker/c\n0::/\n", { { "memory/memory.limit_in_bytes", "1000\n" } }, 0, 1000 },
	/* A unit of systemd, and the slice that contains it. */
	{ "0::/user.slice/run.scope\n",
		{ { "user.slice/run.scope/memory.max", "3000\n" },
			{ "user.slice/memory.max", "max\n" } },
		0, 3000 },
	{ "0::/user.slice/run.scope\n",
		{ { "user.slice/run.scope/memory.max", "max\n" },
			{ "user.slice/memory.max", "2000\n" } },
		0, 2000 },
	{ "3:cpu,memory:/a\n", { { "memory/a/memory.limit_in_bytes", "500\n" } }, 0, 500 },
	/* Another controller, and another group. */
	{ "3:cpuset:/a\n", { { "memory/a/memory.limit_in_bytes", "500\n" } }, 0, UINT64_MAX },
	{ "0::/a\n", { { "b/memory.max", "500\n" } }, 0, UINT64_MAX },
	/* Swap adds to memory, as far as the group may use it. */
	{ "0::/a\n", { { "a/memory.max", "1000\n" } }, 50, 1050 },
	{ "0::/a\n", { { "a/memory.max", "1000\n" }, { "a/memory.swap.max", "0\n" } }, 50, 1000 },
	{ "0::/a\n", { { "a/memory.max", "1000\n" }, { "a/memory.swap.max", "max\n" } }, 50, 1050 },
	{ "0::/a/b\n", { { "a/memory.max", "1000\n" }, { "a/b/memory.swap.max", "0\n" } }, 50,
		1000 },
	{ "1:memory:/a\n",
		{ { "memory/a/memory.limit_in_bytes", "1000\n" },
			{ "memory/a/memory.memsw.limit_in_bytes", "1010\n" } },
		50, 1010 },
	/* No limit of version 1, and what is not a number. */
	{ "1:memory:/a\n", { { "memory/a/memory.limit_in_bytes", "9223372036854771712\n" } }, 0,
		9223372036854771712U },
	{ "0::/a\n", { { "a/memory.max", "" } }, 50, UINT64_MAX },
	{ "memory\n", { { "memory.max", "1000\n" } }, 0, UINT64_MAX },
};

/* Writes the file and its directories. */
static void write_text(const char *directory, const char *path, const char *text)
{
	char full[256];
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", directory, path);
	for (char *slash = full + strlen(directory) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = 0;
		mkdir(full, 0700);
		*slash = '/';
	}
	file = fopen(full, "we");
	CHECK(file && fputs(text, file) >= 0 && !fclose(file), "%s", full);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char root[] = "/tmp/machine_memory_test.XXXXXX", command[64];
		char groups[sizeof(root) + sizeof("/groups")];
		uint64_t limit;

		CHECK(mkdtemp(root), "%s", root);
		snprintf(groups, sizeof(groups), "%s/groups", root);
		write_text(root, "groups", cases[i].groups);
		for (size_t k = 0; k < MAX_FILES && cases[i].files[k].path; k++)
			write_text(root, cases[i].files[k].path, cases[i].files[k].text);
		limit = machine_memory_limit(groups, root, cases[i].swap_bytes);
		CHECK(limit == cases[i].limit, "case %zu: %llu", i, (unsigned long long)limit);
		snprintf(command, sizeof(command), "rm -r %s", root);
		CHECK(!system(command), "%s", command);
	}
	CHECK(machine_memory_limit("/nonexistent", "/nonexistent", 0) == UINT64_MAX, "no list");
	CHECK(machine_memory_bytes() > 1 << 20, "%llu", (unsigned long long)machine_memory_bytes());
	return test_end();
}
