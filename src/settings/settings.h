// SPDX-License-Identifier: MIT
/*
 * A command's settings from all layers: the user's suai.yaml, the nearest one, the environment,
 * $SUAI_OPTS, the command line; later layers override earlier ones.
 */
#ifndef SETTINGS_SETTINGS_H
#define SETTINGS_SETTINGS_H

#include "cli/command.h"

/* Gives settings with the defaults set (free with settings_free). */
void *settings_new(const struct command *command);
void settings_free(const struct command *command, void *settings);

/*
 * Parses argv[1..] by the command's option rows; if the command shares options, every layer of
 * settings is read. EXIT_USAGE if a layer has an invalid key or value. Settings may point into
 * argv.
 */
int settings_parse(const struct command *command, int argc, char **argv, void *settings,
	struct option_list *operands, struct err *err);

/* Whether --show-settings was given. */
bool settings_wanted(const struct command *command, const void *settings);

/* Prints each as a line of suai.yaml, with its source as a comment. Returns the exit code; -1 with
 * err set. */
int settings_show(const struct command *command, const void *settings, struct err *err);

/* The source of an option's value: "suai.yaml:3", "SUAI_OPTS", "command line"; NULL: the default.
 */
const char *settings_source(
	const struct command *command, const void *settings, const char *option_name);

/* The option that is the key name in suai.yaml, and the command that owns it (NULL: shared); NULL
 * if there is none. */
const struct option *settings_key(const char *name, const struct command **owner);

/* The i-th of them; NULL after the last. */
const struct option *settings_key_at(size_t i, const struct command **owner);

/* Whether keys of suai.yaml are for this command only: options that it owns, or of config_keys. */
bool settings_has_keys(const struct command *command);

#endif
