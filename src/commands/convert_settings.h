// SPDX-License-Identifier: MIT
/* The options of convert: their rows, what they may say together, and the job made of them. */
#ifndef COMMANDS_CONVERT_SETTINGS_H
#define COMMANDS_CONVERT_SETTINGS_H

#include "cli/command.h"
#include "model/value.h"

struct convert_settings {
	struct shared_settings shared; /* its output_path is moved to data_path */
	const char *data_path;
	const char *to, *device, *order, *copy, *stream, *engine, *call, *query;
	int64_t interface_version; /* -1: not given */
	bool verify, dry_run, timing;
};

extern const struct option convert_options[];

void convert_settings_default(void *settings);

/* Refuses, before anything is run, what means nothing (EXIT_USAGE). */
int convert_settings_check(const struct convert_settings *settings, struct err *err);

/* The job's map `convert` (docs/facts.md), but for fault and output.path. NULL with err set. */
struct value *convert_settings_to_job(
	struct arena *arena, const struct convert_settings *settings, struct err *err);

#endif
