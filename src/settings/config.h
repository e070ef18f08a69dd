// SPDX-License-Identifier: MIT
/*
 * suai.yaml: the files that are read, and what their keys say. Keys that are options go into the
 * command's settings (settings/settings.c); this holds the others, which `validate` reads.
 */
#ifndef SETTINGS_CONFIG_H
#define SETTINGS_CONFIG_H

#include "base/error.h"
#include "base/option.h"
#include "formats/yaml/yaml_read.h"
#include "model/value.h"
#include "rules/engine/rule.h"
#include "rules/engine/run.h"

struct config_file {
	const char *path;   /* "suai.yaml", "../suai.yaml": as messages name it */
	const char *folder; /* what stands before a path relative to the file: "", "../" */
	bool is_found; /* by its name, in the working directory or above; the user named neither it
			  nor its place */
	struct value *keys; /* the whole, a map */
	struct yaml_marks marks;
};

/* One of per-target-ignores. */
struct target_ignore {
	const struct config_file *file;
	size_t line;
	const char *pattern;
	const char *reason;
	struct option_list rules; /* ids or their beginnings */
	bool *used;               /* of each, whether a finding was ignored by it */
	bool is_met;              /* a target of the run matches the pattern */
};

struct config {
	struct arena arena;
	struct config_file files[2]; /* the nearest first, then the user's */
	size_t n_files;
	struct option_list targets; /* from the working folder */
	struct target_ignore *ignores;
	size_t n_ignores;
	struct rule_severity_choice *severities;
	size_t n_severities;
	struct rule_producer *producers; /* ends with a NULL type; or NULL */
	size_t n_producers;
	const char **sources; /* of each option of the command, where its value comes from */
};

/* A file being read. */
struct config_reader {
	struct config *config;
	const struct config_file *file;
	struct err *err;
};

/* A key that is no option. */
struct config_key {
	const char *name;
	const char *form; /* "list of TARGET" */
	const char *help; /* as of an option */
	const char *more;
	const char *example; /* lines of a suai.yaml */
	int (*read)(const struct config_reader *reader, const struct value *value);
	bool merges; /* both files' values count; else the nearest's alone */
};

extern const struct config_key config_keys[]; /* ends with a NULL name */

/*
 * Finds and reads the files: path, where it is not NULL; else the nearest suai.yaml from the
 * working directory up to the root, and the user's. EXIT_USAGE, with the position, where one is not
 * a YAML map, and where the nearest belongs neither to the user nor to root. Free with config_free,
 * also after a failure.
 */
int config_load(struct config *config, const char *path, struct err *err);
void config_free(struct config *config);

/* Puts the place of value, or of its key, and the key's name in front of a message. Returns -1. */
int config_wrap_value(const struct config_reader *reader, const struct value *value,
	const char *key, struct err *err);
int config_fail_value(const struct config_reader *reader, const struct value *value,
	const char *format, ...) __attribute__((format(printf, 3, 4)));
int config_fail_key(const struct config_reader *reader, const struct value *value,
	const char *format, ...) __attribute__((format(printf, 3, 4)));

/* "a list", "a number": what value is, for messages. */
const char *config_kind(const struct value *value);

/* Adds the texts of a list, or one text, to items, each checked where check is given; key names it
 * in messages. */
int config_read_words(const struct config_reader *reader, const struct value *value,
	const char *key, int (*check)(const char *word, struct err *err),
	struct option_list *items);

/* A path that stands in a file, from the working folder. */
const char *config_path(const struct config_reader *reader, const char *path);

#endif
