// SPDX-License-Identifier: MIT
/* Any bytes as a suai.yaml of each command, and as a baseline: they are read, or the message has
 * the position. A baseline that is read survives being sorted and read by the same rules. */
#include "base/array_size.h"
#include "cli/command.h"
#include "findings/baseline.h"
#include "settings/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes);

static void read_as_settings(const struct command *command, char *path)
{
	char program[] = "suai", option[] = "--config";
	char *arguments[] = { program, option, path, NULL };
	void *settings = settings_new(command);
	struct option_list operands = { 0 };
	struct err err = { .message = "" };

	if (settings_parse(command, 3, arguments, settings, &operands, &err) && !err.message[0])
		abort();
	settings_free(command, settings);
	option_list_free(&operands);
}

static void read_as_baseline(const char *path)
{
	const struct rule_request request = { .fail_from = SEVERITY_ERROR };
	struct arena arena = { 0 };
	struct err err = { .message = "" };
	const struct rule_selection *selection = rules_select(&arena, &request, &err);
	struct baseline baseline;

	if (!selection)
		abort();
	if (baseline_open(&baseline, path, false, selection, &err) && !err.message[0])
		abort();
	baseline_close(&baseline);
	arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	static const char *const names[] = { "validate", "convert", "matrix", "inspect" };
	static int fd = -1;
	char path[40];

	if (fd < 0) {
		fd = memfd_create("settings", MFD_CLOEXEC);
		unsetenv("SUAI_OPTS");
	}
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, bytes, n_bytes, 0) != (ssize_t)n_bytes)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		read_as_settings(command_find(names[i]), path);
	read_as_baseline(path);
	return 0;
}
