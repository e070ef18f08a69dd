// SPDX-License-Identifier: MIT
/*
 * suai.yaml: the files that are read, and the values of their keys. Keys that are options go into
 * the command's settings (settings/settings.c); struct config has the others, which `validate`
 * and `matrix` read.
 */
#ifndef SETTINGS_CONFIG_H
#define SETTINGS_CONFIG_H

#include "base/error.h"
#include "base/option.h"
#include "formats/yaml/yaml_read.h"
#include "matrix/adapters.h"
#include "model/value.h"
#include "rules/engine/rule.h"
#include "rules/engine/run.h"

#define CONFIG_FILE_NAME "suai.yaml"

struct config_file {
	const char *path;      /* as in messages: "suai.yaml", "../suai.yaml" */
	const char *directory; /* the prefix of paths relative to the file: "", "../" */
	bool is_found; /* discovered in the working directory or above, not named by the user */
	struct value *keys; /* the document, a map */
	struct yaml_marks marks;
};

/* One of per-target-ignores. */
struct target_ignore {
	const struct config_file *file;
	size_t line;
	const char *pattern;
	const char *reason;
	struct option_list rules; /* ids or prefixes of ids */
	bool *used;               /* of each, whether a finding was ignored by it */
	bool is_met;              /* a target of the run matches the pattern */
};

struct config {
	struct arena arena;
	struct config_file files[2]; /* the nearest first, then the user's */
	size_t n_files;
	struct option_list targets; /* relative to the working directory */
	struct target_ignore *ignores;
	size_t n_ignores;
	struct rule_severity_choice *severities;
	size_t n_severities;
	struct rule_producer *producers; /* ends with a NULL type; or NULL */
	size_t n_producers;
	struct adapter *adapters; /* of `matrix`; ends with a NULL library; or NULL */
	size_t n_adapters;
	const char **sources; /* the origin of the value of each option of the command */
};

/* A file being read. */
struct config_reader {
	struct config *config;
	const struct config_file *file;
	struct err *err;
};

/* A key that is not an option. */
struct config_key {
	const char *name;
	const char *command; /* which it is for */
	const char *form;    /* "list of TARGET" */
	const char *help;    /* as of an option */
	const char *more;
	const char *example; /* lines of a suai.yaml */
	int (*read)(const struct config_reader *reader, const struct value *value);
	bool merges; /* the values of both files are used; otherwise only the nearest's */
};

extern const struct config_key config_keys[]; /* ends with a NULL name */

/* The nearest file from the working directory up to the root; NULL: none. */
const char *config_find_nearest(struct arena *arena);

/*
 * Finds and reads the files: path if it is not NULL; otherwise the nearest suai.yaml from the
 * working directory up to the root, and the user's. EXIT_USAGE, with the position, if one is not a
 * YAML map, and if the nearest is owned neither by the user nor by root. Free with config_free,
 * also after a failure.
 */
int config_load(struct config *config, const char *path, struct err *err);
void config_free(struct config *config);

/* Prefixes a message with the position of value, or of its key, and the key's name. Returns -1. */
int config_wrap_value(const struct config_reader *reader, const struct value *value,
	const char *key, struct err *err);
int config_fail_value(const struct config_reader *reader, const struct value *value,
	const char *format, ...) __attribute__((format(printf, 3, 4)));
int config_fail_key(const struct config_reader *reader, const struct value *value,
	const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Fails if map has a key that is not among the names. */
int config_check_keys(const struct config_reader *reader, const struct value *map,
	const char *const *names, size_t n_names);

/* The kind of value for messages: "a list", "a number". */
const char *config_kind(const struct value *value);

/* Adds the texts of a list, or one text, to items, each passed to check unless that is NULL; key
 * names it in messages. */
int config_read_words(const struct config_reader *reader, const struct value *value,
	const char *key, int (*check)(const char *word, struct err *err),
	struct option_list *items);

/* A path in a file, made relative to the working directory. */
const char *config_path(const struct config_reader *reader, const char *path);

#endif
