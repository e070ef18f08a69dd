// SPDX-License-Identifier: MIT
#include "trace/installed.h"

#include "trace/lock.h"
#include "trace/map.h"
#include "trace/prefix.h"
#include "trace/python.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_DIRECTORIES = 1000, MAX_RECORD_BYTES = 64 << 20, MAX_PATHS = 1 << 16 };

/* With the lock: directories that were read; the top-level names that their packages consist of, by
 * the hashes of their paths; and for each path that was asked for, where the name is in it, plus
 * one. */
static struct trace_map directories, names, known_paths;

/* With the lock: directories of packages, by the hashes of their paths. */
static struct trace_map namespaces;

const char *trace_after_packages(const char *path)
{
	static const char *const package_directories[] = { "/site-packages/", "/dist-packages/" };
	const char *after = NULL;

	for (size_t i = 0; i < sizeof(package_directories) / sizeof(package_directories[0]); i++)
		for (const char *at = path; (at = strstr(at, package_directories[i]));) {
			at += strlen(package_directories[i]) - 1; /* the next one may begin here */
			after = after && after > at ? after : at + 1;
		}
	return after;
}

/* Does not wait, as for a FIFO. */
static FILE *open_record(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat info;
	FILE *file = NULL;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &info) && S_ISREG(info.st_mode) && info.st_size <= MAX_RECORD_BYTES)
		file = fdopen(fd, "r");
	if (!file)
		close(fd);
	return file;
}

/* The names of a package, which are the beginnings of the lines. */
static void add_installed_names(const char *directory, const char *record)
{
	FILE *file = open_record(record);
	char *line = NULL;
	size_t capacity = 0;
	char path[PATH_MAX];

	while (file && getline(&line, &capacity, file) > 0) {
		size_t n_name = strcspn(line, "/,\n");
		int n_path = snprintf(path, sizeof(path), "%s/%.*s", directory, (int)n_name, line);

		if (!n_name || line[0] == '.' || n_path < 0 || (size_t)n_path >= sizeof(path))
			continue;
		trace_lock();
		trace_map_set(&names, trace_hash(path, (size_t)n_path), 1);
		trace_unlock();
	}
	free(line);
	if (file)
		fclose(file);
}

static void read_installed_lists(const char *path)
{
	static const char suffix[] = ".dist-info";
	DIR *directory = opendir(path);
	const struct dirent *entry;
	char record[PATH_MAX];

	for (int n = 0; directory && n < MAX_DIRECTORIES && (entry = readdir(directory));) {
		size_t n_name = strlen(entry->d_name);
		int n_record;

		if (n_name < sizeof(suffix) ||
			strcmp(entry->d_name + n_name - strlen(suffix), suffix) != 0)
			continue;
		n++;
		n_record = snprintf(record, sizeof(record), "%s/%s/RECORD", path, entry->d_name);
		if (n_record > 0 && (size_t)n_record < sizeof(record))
			add_installed_names(path, record);
	}
	if (directory)
		closedir(directory);
}

/* The length of the directory of sys.path that contains the file; 0: another one. */
static size_t directory_chars(const char *directory, const char *path)
{
	size_t n = strlen(directory);

	while (n > 1 && directory[n - 1] == '/')
		n--;
	return n > 1 && !strncmp(path, directory, n) && path[n] == '/' ? n : 0;
}

/* Where the name of the package is in the path, plus one; 0: it is in none. */
static size_t find_installed_name(const char *path, const char *directory)
{
	size_t n_directory = directory_chars(directory, path), n_path;
	uint64_t key;
	char text[PATH_MAX];
	bool is_new, is_package;

	if (!n_directory || n_directory >= sizeof(text))
		return 0;
	memcpy(text, directory, n_directory);
	text[n_directory] = 0;
	key = trace_hash(text, n_directory);
	trace_lock();
	is_new = !trace_map_find(&directories, key);
	trace_unlock();
	if (is_new) {
		read_installed_lists(text);
		/* Only now: another thread may ask meanwhile, and the answer is kept. */
		trace_lock();
		trace_map_set(&directories, key, 1);
		trace_unlock();
	}
	n_path = n_directory + 1 + strcspn(path + n_directory + 1, "/");
	trace_lock();
	is_package = trace_map_find(&names, trace_hash(path, n_path)) != NULL;
	trace_unlock();
	return is_package ? n_directory + 2 : 0;
}

static size_t search_import_path(const char *path)
{
	void *sys = trace_python_module("sys");
	void *list = trace_module_attribute(sys, "path");
	ptrdiff_t n = list && trace_is_exactly(list, trace_python.list_type)
			      ? trace_python.list_size(list)
			      : 0;
	size_t found = 0;

	for (ptrdiff_t i = 0; i < n && !found; i++) {
		void *directory = trace_python.list_get(list, i);
		const char *text = directory && trace_is_exactly(directory, trace_python.text_type)
					   ? trace_utf8(directory, NULL)
					   : NULL;

		if (text)
			found = find_installed_name(path, text);
	}
	trace_python.dec_ref(list);
	trace_python.dec_ref(sys);
	if (trace_python.err_occurred())
		trace_python.err_clear();
	return found;
}

/* Whether a directory has no __init__.py, nor a compiled one, so that packages in it are of
 * different origin. */
static bool is_namespace(const char *path, size_t n_path)
{
	static const char start[] = "__init__.";
	char text[PATH_MAX];
	DIR *directory;
	const struct dirent *entry;
	bool is;

	if (n_path >= sizeof(text))
		return false;
	memcpy(text, path, n_path);
	text[n_path] = 0;
	directory = opendir(text);
	is = directory != NULL;
	while (is && (entry = readdir(directory)))
		is = !trace_has_prefix(entry->d_name, start);
	if (directory)
		closedir(directory);
	return is;
}

enum { KNOWN_PACKAGE = 1, KNOWN_NAMESPACE = 2 };

static bool is_known_namespace(const char *path, size_t n_path)
{
	const uint64_t key = trace_hash(path, n_path);
	const uint64_t *known = trace_map_find(&namespaces, key);
	const int saved = errno;
	bool is;

	if (known)
		return *known == KNOWN_NAMESPACE;
	is = is_namespace(path, n_path);
	errno = saved;
	if (namespaces.n_items < MAX_PATHS)
		trace_map_set(&namespaces, key, is ? KNOWN_NAMESPACE : KNOWN_PACKAGE);
	return is;
}

size_t trace_package_name(const char *path, const char *name, char *out, size_t max_chars)
{
	size_t n = strcspn(name, "/."), n_next = 0;

	if (!n || n > max_chars)
		return 0;
	if (name[n] == '/')
		n_next = strcspn(name + n + 1, "/.");
	if (n_next && name[n + 1 + n_next] == '/' && n + 1 + n_next <= max_chars &&
		is_known_namespace(path, (size_t)(name - path) + n)) {
		n += 1 + n_next;
	}
	for (size_t i = 0; i < n; i++)
		out[i] = name[i] == '/' ? '.' : name[i];
	out[n] = 0;
	return n;
}

size_t trace_installed_package(const char *path, const char **name)
{
	const uint64_t key = trace_hash(path, strlen(path));
	const int saved = errno;
	const uint64_t *known;
	size_t at;

	if (*path != '/')
		return 0;
	trace_lock();
	known = trace_map_find(&known_paths, key);
	at = known ? (size_t)*known : 0;
	trace_unlock();
	if (!known) {
		at = search_import_path(path);
		trace_lock();
		if (known_paths.n_items < MAX_PATHS)
			trace_map_set(&known_paths, key, at);
		trace_unlock();
	}
	errno = saved;
	if (!at)
		return 0;
	*name = path + at - 1;
	return strcspn(*name, "/.");
}
