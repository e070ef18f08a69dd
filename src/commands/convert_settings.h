// SPDX-License-Identifier: MIT
/* The options of convert, which of them exclude each other, and the job that they describe. */
#ifndef COMMANDS_CONVERT_SETTINGS_H
#define COMMANDS_CONVERT_SETTINGS_H

#include "cli/command.h"
#include "model/job.h"

struct convert_settings {
	struct shared_settings shared; /* its output_path is moved to data_path */
	const char *data_path;
	const char *to, *device, *order, *copy, *stream, *engine, *call, *query;
	int64_t interface_version; /* INT64_MIN: not given */
	bool verify, dry_run, timing;
};

extern const struct option convert_options[];

void convert_settings_default(void *settings);

/* Fills convert except output_path; keeps the texts of settings. EXIT_USAGE or EXIT_UNAVAILABLE if
 * the options contradict each other, or one is invalid. */
int convert_settings_parse(struct arena *arena, const struct convert_settings *settings,
	struct job_convert *convert, struct err *err);

#endif
