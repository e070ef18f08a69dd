// SPDX-License-Identifier: MIT
/* The settings of `suai validate` and its options. */
#ifndef COMMANDS_VALIDATE_SETTINGS_H
#define COMMANDS_VALIDATE_SETTINGS_H

#include "cli/command.h"

struct validate_settings {
	struct shared_settings shared;
	struct option_list cases, select, extend_select, ignore, spec;
	const char *severity, *query, *only_step, *producer_stream;
	const char *baseline, *consumer, *reproduce;
	int64_t fuzz, seed;
	bool update_baseline;
	bool strict, only_static, calls, lifetime, live, all, no_skips, no_summary, no_hints,
		exit_zero;
	bool statistics, pieces;
};

extern const struct option validate_options[];

#endif
