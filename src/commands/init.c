// SPDX-License-Identifier: MIT
/* `suai init`: a suai.yaml with every setting, commented out, from the rows of suai.yaml(5). */
#include "base/read_file.h"
#include "cli/command.h"
#include "output/notice.h"
#include "output/result_file.h"
#include "protocols/protocol.h"
#include "settings/config.h"
#include "settings/settings.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_COLUMNS = 100, MAX_FILES_READ = 500, MAX_SUGGESTED = 8 };

struct init_settings {
	const char *output_path;
};

static const struct option options[] = {
	{ OUTPUT_OPTION(offsetof(struct init_settings, output_path)),
		.help = "write to FILE instead of suai.yaml; - is standard output" },
	{ 0 },
};

/* Writes a comment of filled lines. */
static void write_comment(FILE *out, const char *text)
{
	int column = fprintf(out, "#");

	while (*text) {
		int n_word = (int)strcspn(text, " ");

		if (column > 1 && column + 1 + n_word > LINE_COLUMNS)
			column = fprintf(out, "\n#") - 1;
		column += fprintf(out, " %.*s", n_word, text);
		text += n_word;
		text += *text == ' ';
	}
	fputs("\n", out);
}

/* Writes lines of YAML, each behind a # without a space, which only settings have. */
static void write_setting(FILE *out, const char *lines)
{
	while (*lines) {
		int n_chars = (int)strcspn(lines, "\n");

		fprintf(out, "#%.*s\n", n_chars, lines);
		lines += n_chars + (lines[n_chars] == '\n');
	}
}

/* --- targets of this directory --- */

/* The names of files with an interface's attribute in their text; the text is not run. */
struct suggestions {
	struct arena arena;
	const char *paths[MAX_SUGGESTED];
	size_t n_paths, n_read;
};

static bool defines_interface(const char *path)
{
	struct text text = { 0 };
	bool is_defined = false;
	struct stat info;
	struct err ignored;
	int fd = open_regular_file(path, &info, &ignored);

	if (fd >= 0 && !read_descriptor(fd, path, &text, &ignored))
		for (size_t i = 0; protocols[i] && !is_defined; i++)
			is_defined = !strncmp(protocols[i]->attribute, "__", 2) &&
				     strstr(text.bytes ? text.bytes : "", protocols[i]->attribute);
	text_free(&text);
	return is_defined;
}

/* Names that YAML and a command line read as they are. */
static int is_plain_script(const struct dirent *entry)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
	size_t n_chars = strlen(entry->d_name);

	return n_chars > 3 && !strcmp(entry->d_name + n_chars - 3, ".py") &&
	       !strchr(".-", entry->d_name[0]) && !entry->d_name[strspn(entry->d_name, plain)];
}

static void suggest_from(struct suggestions *found, const char *directory)
{
	struct dirent **entries = NULL;
	int n_entries = scandir(*directory ? directory : ".", &entries, is_plain_script, alphasort);

	for (int i = 0; i < n_entries; i++) {
		const char *path =
			arena_printf(&found->arena, "%s%s", directory, entries[i]->d_name);

		if (found->n_paths < MAX_SUGGESTED && found->n_read++ < MAX_FILES_READ &&
			defines_interface(path))
			found->paths[found->n_paths++] = path;
		free(entries[i]);
	}
	free(entries);
}

/* The key targets with files of this directory, which export arrays; NULL: there are none. */
static const char *suggest_targets(struct suggestions *found)
{
	const char *lines = "targets:\n";

	suggest_from(found, "");
	suggest_from(found, "tests/");
	for (size_t i = 0; i < found->n_paths; i++)
		lines = arena_printf(&found->arena, "%s- %s\n", lines, found->paths[i]);
	return found->n_paths ? lines : NULL;
}

/* --- the file --- */

static void write_option(FILE *out, const struct option *row)
{
	struct text text = { 0 };

	text_add(&text, row->help);
	if (!option_help_has_choices(row, false)) {
		text_add(&text, ": ");
		for (const char *choice = row->choices; *choice; choice++)
			text_printf(&text, *choice == ' ' ? ", " : "%c", *choice);
	}
	if (row->chooses_program)
		text_printf(&text,
			". %s cannot be set in this file, only in the user's own, ~/.config/suai/suai.yaml",
			row->name);
	fputs("\n", out);
	write_comment(out, text.bytes);
	text_clear(&text);
	text_printf(&text, "%s: %s\n", row->name, row->setting);
	if (!row->chooses_program)
		write_setting(out, text.bytes);
	text_free(&text);
}

/* The keys that are options of a command (NULL: of all commands). */
static void write_options(FILE *out, const struct command *command)
{
	const struct command *owner;
	const struct option *row;

	for (size_t i = 0; (row = settings_key_at(i, &owner)); i++)
		if (owner == command)
			write_option(out, row);
}

/* The keys of a command that are not options; targets: the example of that key, or NULL. */
static void write_keys(FILE *out, const char *command, const char *targets)
{
	for (const struct config_key *key = config_keys; key->name; key++) {
		bool is_suggested = targets && !strcmp(key->name, "targets");

		if (strcmp(key->command, command) != 0)
			continue;
		fputs("\n", out);
		write_comment(out, key->help);
		write_setting(out, is_suggested ? targets : key->example);
	}
}

static void write_settings(FILE *out)
{
	struct suggestions found = { 0 };
	const char *targets = suggest_targets(&found);

	write_comment(out,
		"Settings of suai for this directory and those below it; suai.yaml(5) describes them. All are commented "
		"out: remove the # in front of a name, and of the lines of a list below it, and change the value, which "
		"is an example. 'suai validate --show-settings' prints the settings in effect.");
	fputs("\n# --- all commands ---\n", out);
	write_options(out, NULL);
	for (size_t i = 0; commands[i]; i++) {
		if (!settings_has_keys(commands[i]))
			continue;
		fprintf(out, "\n# --- suai %s ---\n", commands[i]->name);
		write_keys(out, commands[i]->name, targets);
		write_options(out, commands[i]);
	}
	arena_free(&found.arena);
}

static int write_file(const char *path, struct err *err)
{
	bool is_stdout = !strcmp(path, "-");
	struct result_file file;
	struct stat info;
	int status;

	if (!is_stdout && !lstat(path, &info))
		return err_set(err, EXIT_USAGE, "'%s' already exists", path);
	if (result_file_open(&file, is_stdout ? NULL : path, err))
		return -1;
	file.file.keeps_existing = true;
	write_settings(file.stream);
	status = result_file_commit(&file, err);
	result_file_close(&file);
	if (!status && !is_stdout)
		notice("wrote '%s', in which every setting is commented out", path);
	return status;
}

static int init_run(void *opaque, const struct option_list *operands, struct err *err)
{
	const struct init_settings *settings = opaque;
	struct arena arena = { 0 };
	const char *above = settings->output_path ? NULL : config_find_nearest(&arena);
	int status;

	if (operands->n_items)
		status = err_set(err, EXIT_USAGE,
			"init: unexpected argument '%s'; use -o FILE to name the output file",
			operands->items[0]);
	else
		status = write_file(
			settings->output_path ? settings->output_path : CONFIG_FILE_NAME, err);
	if (!status && above)
		notice("'%s' no longer applies to this directory", above);
	arena_free(&arena);
	return status ? -1 : EXIT_DONE;
}

const struct command init_command = {
	.name = "init",
	.summary = "write a suai.yaml in which every setting is described and commented out",
	.prose =
		"The file has no effect until a setting in it is uncommented. An existing file is never overwritten. "
		"Scripts of this directory and of tests/ whose text contains the attribute of an interface, such as "
		"__dlpack__, become the example of the key targets; nothing is imported.",
	.examples = "suai init -o -\n"
		    "  all settings, with examples\n",
	.options = options,
	.settings_bytes = sizeof(struct init_settings),
	.run = init_run,
};
