// SPDX-License-Identifier: MIT
/* Finds and reads suai.yaml, and reports errors with their position. */
#include "settings/config.h"

#include "base/memory.h"
#include "base/read_file.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_DIRECTORIES = 256, MAX_MESSAGE_CHARS = 700, MAX_FOUND_BYTES = 1 << 20 };

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool is_trusted(uid_t owner)
{
	return owner == geteuid() || !owner;
}

/*
 * Other users may be able to write to a directory above, and create a file or a symbolic link
 * there: both must be owned by the user or root, and the file must not be writable for all.
 */
static int check_owner(const char *path, const struct stat *file, struct err *err)
{
	uid_t owner = file->st_uid;
	const struct passwd *user;
	struct stat link;

	if (is_trusted(owner) && !lstat(path, &link))
		owner = link.st_uid;
	if (is_trusted(owner))
		return file->st_mode & S_IWOTH
			       ? err_set(err, EXIT_USAGE,
					 "all users can write to '%s'; remove that permission (chmod o-w), or use --config to read it",
					 path)
			       : 0;
	user = getpwuid(owner);
	if (user)
		return err_set(err, EXIT_USAGE, "'%s' is owned by %s; use --config to read it",
			path, user->pw_name);
	return err_set(err, EXIT_USAGE, "'%s' is owned by uid %u; use --config to read it", path,
		(unsigned)owner);
}

/* Checks the owner of the open file, which cannot be replaced before it is read. */
static int read_found(const char *path, struct text *text, struct err *err)
{
	struct stat file;
	int fd;

	if (!stat(path, &file) && check_owner(path, &file, err))
		return -1;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &file))
		err_set(err, EXIT_USAGE, "cannot read '%s': %s", path, strerror(errno));
	else if (!S_ISREG(file.st_mode))
		err_set(err, EXIT_USAGE, "cannot read '%s': not a regular file", path);
	else if (file.st_size > MAX_FOUND_BYTES)
		err_set(err, EXIT_USAGE, "'%s' is larger than %d MiB; use --config to read it",
			path, MAX_FOUND_BYTES >> 20);
	else if (!check_owner(path, &file, err))
		return read_descriptor(fd, path, text, err);
	if (fd >= 0)
		close(fd);
	return -1;
}

const char *config_find_nearest(struct arena *arena)
{
	struct stat here, above, file;
	struct text directory = { 0 };
	const char *found = NULL;

	text_add(&directory, "");
	for (int i = 0; i < MAX_DIRECTORIES && !found; i++) {
		const char *path = arena_printf(arena, "%s" CONFIG_FILE_NAME, directory.bytes);

		/* A dangling symbolic link exists, too: reading it reports the error. */
		if (!stat(path, &file) ? S_ISREG(file.st_mode)
				       : !lstat(path, &file) && S_ISLNK(file.st_mode))
			found = path;
		if (stat(*directory.bytes ? directory.bytes : ".", &here))
			break;
		text_add(&directory, "../");
		if (stat(directory.bytes, &above) || is_same(&here, &above))
			break;
	}
	text_free(&directory);
	return found;
}

static const char *find_users(struct arena *arena)
{
	const char *home = getenv("XDG_CONFIG_HOME"), *path;

	if (home && *home == '/')
		path = arena_printf(arena, "%s/suai/" CONFIG_FILE_NAME, home);
	else if ((home = getenv("HOME")) && *home == '/')
		path = arena_printf(arena, "%s/.config/suai/" CONFIG_FILE_NAME, home);
	else
		return NULL;
	return access(path, F_OK) ? NULL : path;
}

static int load_config_file(struct config *config, const char *path, bool is_found, struct err *err)
{
	struct config_file *file = &config->files[config->n_files++];
	struct config_reader reader = { config, file, err };
	const char *slash = strrchr(path, '/');
	struct text text = { 0 };
	int status;

	file->path = file->marks.file = path;
	file->directory = arena_copy(&config->arena, path, slash ? (size_t)(slash + 1 - path) : 0);
	file->is_found = is_found;
	status = is_found ? read_found(path, &text, err) : read_file(path, &text, err);
	if (!status) {
		file->keys = yaml_read_marked(
			&config->arena, text.bytes, text.n_bytes, &file->marks, err);
		status = file->keys ? 0 : -1;
	}
	text_free(&text);
	if (value_is_null(file->keys))
		file->keys = value_map(&config->arena);
	if (!status && !value_is(file->keys, VALUE_MAP))
		status = config_fail_value(
			&reader, file->keys, "expected a map, got %s", config_kind(file->keys));
	return status;
}

int config_load(struct config *config, const char *path, struct err *err)
{
	const char *nearest = path ? path : config_find_nearest(&config->arena);
	const char *users = path ? NULL : find_users(&config->arena);
	struct stat a, b;
	bool is_users =
		users && nearest && !stat(nearest, &a) && !stat(users, &b) && is_same(&a, &b);

	if (nearest && load_config_file(config, nearest, !path && !is_users, err))
		return -1;
	return users && !is_users ? load_config_file(config, users, false, err) : 0;
}

void config_free(struct config *config)
{
	for (size_t i = 0; i < config->n_files; i++)
		yaml_marks_free(&config->files[i].marks);
	for (size_t i = 0; i < config->n_ignores; i++)
		option_list_free(&config->ignores[i].rules);
	option_list_free(&config->targets);
	free(config->ignores);
	free(config->severities);
	free(config->producers);
	free(config->adapters);
	arena_free(&config->arena);
}

int config_wrap_value(const struct config_reader *reader, const struct value *value,
	const char *key, struct err *err)
{
	const struct yaml_mark *mark = yaml_mark_of(&reader->file->marks, value);

	return err_wrap(err, "%s:%zu:%zu%s%s", reader->file->path, mark->line, mark->column,
		key ? ": " : "", key ? key : "");
}

int config_fail_value(
	const struct config_reader *reader, const struct value *value, const char *format, ...)
{
	char message[MAX_MESSAGE_CHARS];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	err_set(reader->err, EXIT_USAGE, "%s", message);
	return config_wrap_value(reader, value, NULL, reader->err);
}

int config_fail_key(
	const struct config_reader *reader, const struct value *value, const char *format, ...)
{
	const struct yaml_mark *mark = yaml_mark_of(&reader->file->marks, value);
	char message[MAX_MESSAGE_CHARS];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	return err_set(reader->err, EXIT_USAGE, "%s:%zu:%zu: %s", reader->file->path,
		mark->key_line, mark->key_column, message);
}

const char *config_kind(const struct value *value)
{
	switch (value->kind) {
	case VALUE_NULL:
		return "nothing";
	case VALUE_BOOL:
		return "a boolean";
	case VALUE_INT:
	case VALUE_WIDE_INT:
	case VALUE_REAL:
		return "a number";
	case VALUE_MAP:
		return "a map";
	case VALUE_LIST:
	case VALUE_TUPLE:
		return "a list";
	default:
		return "a string";
	}
}

static int read_word(const struct config_reader *reader, const struct value *value, const char *key,
	int (*check)(const char *word, struct err *err), struct option_list *items)
{
	if (!value_is(value, VALUE_TEXT))
		return config_fail_value(reader, value, "%s: expected a string, got %s%s", key,
			config_kind(value),
			value->kind == VALUE_BOOL || value_is_integer(value) ||
					value->kind == VALUE_REAL
				? "; quote it"
				: "");
	if (!value->n_bytes || strlen(value->bytes) != value->n_bytes)
		return config_fail_value(reader, value, "%s: %s", key,
			value->n_bytes ? "string contains a NUL byte" : "empty string");
	if (check && check(value->bytes, reader->err))
		return config_wrap_value(reader, value, key, reader->err);
	option_list_add(items, value->bytes);
	return 0;
}

int config_read_words(const struct config_reader *reader, const struct value *value,
	const char *key, int (*check)(const char *word, struct err *err), struct option_list *items)
{
	if (!value_is_sequence(value))
		return read_word(reader, value, key, check, items);
	for (size_t i = 0; i < value->n_items; i++)
		if (read_word(reader, value->items[i], key, check, items))
			return -1;
	return 0;
}

const char *config_path(const struct config_reader *reader, const char *path)
{
	if (*path == '/')
		return path;
	return arena_printf(&reader->config->arena, "%s%s", reader->file->directory, path);
}

int config_check_keys(const struct config_reader *reader, const struct value *map,
	const char *const *names, size_t n_names)
{
	for (size_t i = 0; i < map->n_items; i++) {
		const char *near = option_suggest(map->keys[i], names, n_names);
		bool is_known = false;

		for (size_t k = 0; k < n_names; k++)
			is_known |= !strcmp(names[k], map->keys[i]);
		if (is_known)
			continue;
		config_fail_key(reader, map->items[i], "unknown key '%s'", map->keys[i]);
		return err_suggest(reader->err, near, NULL);
	}
	return 0;
}
