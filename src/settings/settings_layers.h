// SPDX-License-Identifier: MIT
/* What settings.c and settings_file.c share: the places of settings, in the order they count. */
#ifndef SETTINGS_SETTINGS_LAYERS_H
#define SETTINGS_SETTINGS_LAYERS_H

#include "settings/config.h"
#include "settings/settings.h"

enum layer { FROM_NOWHERE, FROM_USERS_FILE, FROM_NEAREST_FILE, FROM_OPTS, FROM_COMMAND_LINE };

struct layering {
	const struct command *command;
	void *settings;
	struct config *config;
	enum layer *of;       /* by the index of the command's options: what gave the value last */
	const char **sources; /* by the same: the words for it; NULL: default */
	struct err *err;
};

/* Its arrays live in the config's arena. */
struct layering layering_new(
	const struct command *command, void *settings, struct config *config, struct err *err);

/* Puts a value over those of earlier layers, or adds to them where the row says so. */
int layering_store(const struct layering *layering, const struct option_given *given,
	enum layer layer, const char *source);

/* Every key of the file. */
int layering_take_file(
	const struct layering *layering, const struct config_file *file, enum layer layer);

#endif
