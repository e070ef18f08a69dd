// SPDX-License-Identifier: MIT
/* Compares files by device and inode, so that hard and symbolic links are found. */
#include "run/run_inputs.h"

#include "base/array_size.h"
#include "settings/config.h"
#include "targets/targets.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file to be written, which inputs are compared with. */
struct output_check {
	const struct run *run;
	const char *option, *path;
	struct stat file;
	struct err *err;
};

static bool find_output(struct output_check *check)
{
	return check->path && strcmp(check->path, "-") != 0 && !stat(check->path, &check->file) &&
	       S_ISREG(check->file.st_mode);
}

/* "-" is standard input. */
static int check_input_file(const struct output_check *check, const char *input)
{
	struct stat file;
	bool is_stdin = !strcmp(input, "-");

	if ((is_stdin ? fstat(STDIN_FILENO, &file) : stat(input, &file)) ||
		!S_ISREG(file.st_mode) || file.st_dev != check->file.st_dev ||
		file.st_ino != check->file.st_ino)
		return 0;
	return err_set(check->err, EXIT_USAGE, "%s '%s' would replace an input of this run: %s%s%s",
		check->option, check->path, is_stdin ? "standard input" : "'",
		is_stdin ? "" : input, is_stdin ? "" : "'");
}

/* package.module in a directory, "" being the working directory. */
static int check_module_in(const struct output_check *check, const char *directory,
	size_t n_directory, const char *name)
{
	static const char *const ends[] = { ".py", "/__init__.py", "/__main__.py" };
	struct text path = { 0 };
	int status = 0;

	for (size_t i = 0; !status && i < ARRAY_SIZE(ends); i++) {
		text_clear(&path);
		text_add_bytes(&path, directory, n_directory);
		text_add(&path, n_directory ? "/" : "");
		for (const char *at = name; *at; at++)
			text_add_bytes(&path, *at == '.' ? "/" : at, 1);
		text_add(&path, ends[i]);
		status = check_input_file(check, path.bytes);
	}
	text_free(&path);
	return status;
}

static int check_module(const struct output_check *check, const char *name)
{
	const char *path = getenv("PYTHONPATH");

	if (check_module_in(check, "", 0, name))
		return -1;
	for (size_t n_chars; path && *path; path += n_chars + (path[n_chars] == ':')) {
		n_chars = strcspn(path, ":");
		if (n_chars && check_module_in(check, path, n_chars, name))
			return -1;
	}
	return 0;
}

static int check_source(const struct output_check *check, const struct source *source)
{
	struct arena arena = { 0 };
	int status = source->path ? check_input_file(check, source->path) : 0;

	for (size_t i = 0; !status && i < source->modules.n_items; i++) {
		const struct job_module *module = source->modules.items[i];
		const char *name = value_text_unescape(&arena, module->name);

		if (module->kind == JOB_MODULE_FILE || module->kind == JOB_MODULE_NOTEBOOK)
			status = check_input_file(check, name);
		else if (module->kind == JOB_MODULE_DOTTED)
			status = check_module(check, name);
	}
	arena_free(&arena);
	return status;
}

int run_check_output(const struct run *run, const char *option, const char *path, struct err *err)
{
	struct output_check check = { .run = run, .option = option, .path = path, .err = err };
	const struct shared_settings *settings = run->settings;
	const struct config *config = settings->config;
	int status = 0;

	if (!find_output(&check))
		return 0;
	for (size_t i = 0; !status && run->sources && i < run->sources->n_items; i++)
		status = check_source(&check, &run->sources->items[i]);
	for (size_t i = 0; !status && i < settings->target_files.n_items; i++)
		status = check_input_file(&check, settings->target_files.items[i]);
	for (size_t i = 0; !status && config && i < config->n_files; i++)
		status = check_input_file(&check, config->files[i].path);
	if (!status && run->baseline_path && run->baseline_path != path)
		status = check_input_file(&check, run->baseline_path);
	return status;
}

int run_check_input(const char *option, const char *path, const char *input, struct err *err)
{
	struct output_check check = { .option = option, .path = path, .err = err };

	return find_output(&check) ? check_input_file(&check, input) : 0;
}
