// SPDX-License-Identifier: MIT
/* Shared by settings.c and settings_file.c: the layers of settings, in the order they apply. */
#ifndef SETTINGS_SETTINGS_LAYERS_H
#define SETTINGS_SETTINGS_LAYERS_H

#include "settings/config.h"
#include "settings/settings.h"

enum layer { FROM_NOWHERE, FROM_USERS_FILE, FROM_NEAREST_FILE, FROM_OPTS, FROM_COMMAND_LINE };

struct layering {
	const struct command *command;
	void *settings;
	struct config *config;
	enum layer *of;       /* by index of the command's options: the last layer with a value */
	const char **sources; /* by the same index: its description; NULL: default */
	struct err *err;
};

/* The arrays live in the config's arena. */
struct layering layering_new(
	const struct command *command, void *settings, struct config *config, struct err *err);

/* Replaces the value of earlier layers, or adds to it if the row does. */
int layering_store(const struct layering *layering, const struct option_given *given,
	enum layer layer, const char *source);

/* Reads every key of the file. */
int layering_take_file(
	const struct layering *layering, const struct config_file *file, enum layer layer);

#endif
