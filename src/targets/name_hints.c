// SPDX-License-Identifier: MIT
/* Adds the defined names, and the one probably meant, to the error of an undefined name. */
#include "targets/name_hints.h"

#include "base/error.h"
#include "base/identifier.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/read_file.h"
#include "base/text.h"
#include "base/words.h"
#include "model/usual_names.h"
#include "supervisor/find_python.h"
#include "targets/dotted_name.h"
#include "targets/script_names.h"
#include "targets/targets.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	MAX_WORDS = 256, /* that are compared */
	MAX_SHOWN = 12,
};

/* " (is 'import numpy as np' missing?)"; empty if name is not a usual one. */
static const char *usual_import(struct arena *arena, const char *name)
{
	const char *module = usual_module(name);

	if (!module)
		return "";
	return strcmp(name, module)
		       ? arena_printf(arena, " (is 'import %s as %s' missing?)", module, name)
		       : arena_printf(arena, " (is 'import %s' missing?)", module);
}

/* The names that a script binds; none if it does not check for __main__. */
static struct script_names names_of_main_script(struct arena *arena, const char *path)
{
	struct script_names names = { 0 };
	struct text text = { 0 };
	struct stat info;
	struct err ignored;
	int fd = open_regular_file(path, &info, &ignored);

	if (fd >= 0 && !read_descriptor(fd, path, &text, &ignored) && text.n_bytes &&
		memmem(text.bytes, text.n_bytes, "__main__", 8))
		script_names_find(arena, text.bytes, text.n_bytes, &names);
	text_free(&text);
	return names;
}

static bool is_name_of_main_block(struct arena *arena, const char *path, const char *name)
{
	const struct script_names names = names_of_main_script(arena, path);

	for (size_t i = 0; i < names.n_items; i++)
		if (!strcmp(names.items[i], name))
			return true;
	return false;
}

const char *name_hints_main_names(
	struct arena *arena, const struct job_module *module, const struct fact_texts *defined)
{
	const struct script_names names =
		names_of_main_script(arena, value_text_unescape(arena, module->name));
	const char *listed[MAX_SHOWN];
	size_t n_listed = 0;

	for (size_t i = 0; i < names.n_items && n_listed < MAX_SHOWN; i++)
		if (*names.items[i] != '_' && !fact_texts_have(defined, names.items[i]))
			listed[n_listed++] = names.items[i];
	return n_listed ? words_enumerate(arena, listed, n_listed) : NULL;
}

void name_hints_explain(struct arena *arena, struct fact_target *target,
	const struct job_module *module, const struct name_hint_run *run)
{
	const struct fact_texts *names = &target->names;
	const char *near, *shown = "";
	size_t n_words = names->n_items < MAX_WORDS ? names->n_items : MAX_WORDS;

	if (!names->known || !target->wanted || !target->error.present)
		return;
	for (size_t i = 0; i < n_words && i < MAX_SHOWN; i++)
		shown = arena_printf(arena, "%s%s%s", shown, i ? ", " : "", names->items[i]);
	if (n_words > MAX_SHOWN)
		shown = arena_printf(arena, "%s and %zu more", shown, names->n_items - MAX_SHOWN);
	near = option_suggest(target->wanted, names->items, n_words);
	target->error.message = arena_printf(arena, "no name '%s'%s%s; %s%s", target->wanted,
		near ? arena_printf(arena, ERR_SUGGESTION, near) : "",
		usual_import(arena, target->wanted),
		n_words ? "defined names: " : "the module defines no names", shown);
	if (!run->as_main && module->kind == JOB_MODULE_FILE &&
		is_name_of_main_block(
			arena, value_text_unescape(arena, module->name), target->wanted))
		target->error.message = arena_printf(arena,
			"%s; if the script defines it only as __main__, run it with --main",
			target->error.message);
	target->error.name = NULL; /* of explain_usual() */
}

static void explain_usual(struct arena *arena, struct fact_error *error)
{
	if (error->name)
		error->message = arena_printf(arena, "%s%s", fact_text_or(error->message, ""),
			usual_import(arena, error->name));
}

/* Whether the last frame of the traceback is one of the file. */
static bool raised_in_file(const struct fact_error *error, const char *path)
{
	static const char frame[] = "  File \"";
	const char *at = error->traceback, *last = NULL;
	char *real = mem_real_path(path);
	bool is_same;

	while (at && (at = strstr(at, frame)))
		last = at += strlen(frame);
	is_same = real && last && !strncmp(last, real, strlen(real)) && last[strlen(real)] == '"';
	free(real);
	return is_same;
}

/* The variable assignment that makes the directory the first of sys.path; empty for the working
 * directory, from which dotted names are imported anyway. */
static const char *assign_python_path(struct arena *arena, const char *root)
{
	const char *path = getenv("PYTHONPATH");
	char directory[PATH_MAX];

	if (!getcwd(directory, sizeof(directory)))
		*directory = '\0';
	if (!strcmp(root, directory))
		return "";
	if (*directory && !strncmp(root, directory, strlen(directory)) &&
		root[strlen(directory)] == '/')
		root += strlen(directory) + 1;
	return arena_printf(arena, "PYTHONPATH=%s%s ", words_quote(arena, root),
		path && *path ? ":\"$PYTHONPATH\"" : "");
}

/* Names the command that imports a file as part of its package. */
static void explain_relative_import(struct arena *arena, struct fact_error *error,
	const struct job_module *module, const struct name_hint_run *run)
{
	const char *path = value_text_unescape(arena, module->name), *name, *root;
	const struct job_words *named = &module->expressions;

	if (!error->message || strncmp(error->message, "attempted relative import", 25) != 0 ||
		!raised_in_file(error, path) || !dotted_name_of_file(arena, path, &name, &root))
		return;
	if (named->n_items && !module->all_objects)
		name = arena_printf(arena, "%s:%s", name, named->items[0]);
	error->message =
		arena_printf(arena, "%s; name the module instead of the file: %ssuai %s%s %s",
			error->message, assign_python_path(arena, root), run->command,
			run->as_main ? " --main" : "", words_quote(arena, name));
}

/* argparse and others exit with 2 if they miss arguments or reject them. */
static void explain_usage_exit(struct arena *arena, struct fact_error *error,
	const struct job_module *module, const struct name_hint_run *run)
{
	const struct job_words *named = &module->expressions;
	const char *target = module->label;

	if (!fact_text_is(error->message, "exit status 2"))
		return;
	if (named->n_items && !module->all_objects)
		target = job_target_name(arena, module, named->items[0]);
	error->message = arena_printf(arena,
		"%s; a script's own arguments follow '--': suai %s%s %s -- ARGUMENT...",
		error->message, run->command, run->as_main ? " --main" : "",
		words_quote(arena, target));
}

/* A TARGET that cannot name a module: the number of an option, or an expression. NULL: it may. */
static const char *explain_no_module(
	struct arena *arena, const char *name, const struct name_hint_run *run)
{
	const char *first, *module;

	if (!name[dotted_name_length(name)])
		return NULL;
	if (!name[strspn(name, "0123456789")])
		return arena_printf(arena,
			"'%s' is not a module; if it is the number of an option, use '=', as in "
			"--values=%s",
			name, name);
	first = arena_copy(arena, name, identifier_length(name));
	module = usual_module(first);
	return arena_printf(arena, "'%s' is not a module; for an expression, use: suai %s -c %s %s",
		name, run->command,
		!module                 ? "CODE"
		: strcmp(first, module) ? arena_printf(arena, "'import %s as %s'", module, first)
					: arena_printf(arena, "'import %s'", module),
		words_quote(arena, name));
}

/* Whether the error is that a package was found, but not a module in it. */
static bool misses_submodule(const struct fact_error *error)
{
	static const char begin[] = "No module named '";
	const char *name = fact_text_or(error->message, "");

	if (strncmp(name, begin, strlen(begin)) != 0)
		return false;
	name += strlen(begin);
	return memchr(name, '.', strcspn(name, "'"));
}

static bool is_module_of(struct arena *arena, const char *root, const char *name)
{
	return !access(arena_printf(arena, "%s/%s.py", root, name), R_OK) ||
	       !access(arena_printf(arena, "%s/%s/__init__.py", root, name), R_OK);
}

/* The module of a project that is not installed: python FILE.py searches FILE's directory, not the
 * working directory. NULL: the missing module is not one of them. */
static const char *explain_uninstalled(
	struct arena *arena, const struct fact_error *error, const struct job_module *module)
{
	const char *name = strchr(fact_text_or(error->message, ""), '\'');
	const char *path = getenv("PYTHONPATH"), *root;

	if (!name || !module)
		return NULL;
	name = arena_copy(arena, name + 1, identifier_length(name + 1));
	if (!*name)
		return NULL;
	root = module->kind != JOB_MODULE_DOTTED && is_module_of(arena, ".", name) ? "."
	       : is_module_of(arena, "src", name)                                  ? "src"
										   : NULL;
	if (!root)
		return NULL;
	return arena_printf(arena, "%s; set PYTHONPATH=%s%s to import it from %s", error->message,
		root, path && *path ? ":\"$PYTHONPATH\"" : "",
		strcmp(root, ".") ? "the directory 'src'" : "the working directory");
}

/* The file NAME.py of the script's directory, or the working directory, or of PYTHONPATH. NULL:
 * there is none. */
static const char *find_hiding_file(
	struct arena *arena, const struct job_module *module, const char *name)
{
	const char *script =
		module->kind == JOB_MODULE_FILE ? value_text_unescape(arena, module->name) : "";
	const char *path = getenv("PYTHONPATH"), *slash = strrchr(script, '/'), *file;

	file = arena_printf(
		arena, "%.*s%s.py", slash ? (int)(slash - script) + 1 : 0, script, name);
	if (!access(file, R_OK))
		return file;
	for (; path && *path; path += strcspn(path, ":"), path += *path == ':') {
		int n_bytes = (int)strcspn(path, ":");

		file = arena_printf(arena, "%.*s%s%s.py", n_bytes, path, n_bytes ? "/" : "", name);
		if (!access(file, R_OK))
			return file;
	}
	return NULL;
}

/* A file that hides a package, such as collections.py: Python does not name it. */
static void explain_hidden_package(
	struct arena *arena, struct fact_error *error, const struct job_module *module)
{
	const char *message = fact_text_or(error->message, ""), *name = NULL, *file;
	const char *stop = strstr(message, "' is not a package");

	if (!stop || strcmp(stop, "' is not a package") != 0 || !module)
		return;
	for (const char *at = message; at < stop; at++)
		name = *at == '\'' ? at + 1 : name;
	name = name ? arena_copy(arena, name, (size_t)(stop - name)) : "";
	if (!*name || name[identifier_length(name)])
		return;
	file = find_hiding_file(arena, module, name);
	if (file)
		error->message = arena_printf(arena,
			"%s, but the file '%s'; rename it if another module '%s' is meant", message,
			file, name);
}

/* A FIFO without a writer blocks open(). */
static void explain_fifo(
	struct arena *arena, struct fact_error *error, const struct job_module *module)
{
	struct stat info;

	if (!stat(value_text_unescape(arena, module->name), &info) && S_ISFIFO(info.st_mode))
		error->message = arena_printf(arena,
			"%s; the file is a FIFO, which a process has to open for writing, and close",
			fact_text_or(error->message, ""));
}

void name_hints_explain_module(struct arena *arena, enum target_status status, const char *step,
	struct fact_error *error, const struct job_module *module, const struct name_hint_run *run)
{
	const char *kind = NULL;
	struct python found;
	struct err ignored;

	explain_usual(arena, error);
	if (status == STATUS_HUNG && fact_text_is(step, "import") && module)
		explain_fifo(arena, error, module);
	/* Users of -c may still name files. */
	if (fact_text_is(error->type, "SyntaxError") && fact_text_is(step, "evaluate") && module &&
		module->kind == JOB_MODULE_CODE)
		error->message =
			arena_printf(arena, "%s; with -c each TARGET is an expression, not a file",
				error->message ? error->message : "invalid syntax");
	if (fact_text_is(error->type, "ImportError") && fact_text_is(step, "import") && module &&
		module->kind == JOB_MODULE_FILE)
		explain_relative_import(arena, error, module, run);
	if (fact_text_is(error->type, "SystemExit") && fact_text_is(step, "import") && module &&
		module->kind != JOB_MODULE_CODE)
		explain_usage_exit(arena, error, module, run);
	if (!fact_text_is(error->type, "ModuleNotFoundError"))
		return;
	if (module && status == STATUS_MISSING)
		kind = target_file_problem(arena, module->name);
	if (kind) /* the name was not meant as that of a module */
		error->type = NULL;
	if (!kind && module && module->kind == JOB_MODULE_DOTTED && status == STATUS_MISSING)
		kind = explain_no_module(arena, module->name, run);
	if (kind)
		error->message = kind;
	else
		explain_hidden_package(arena, error, module);
	if (kind || misses_submodule(error))
		return;
	kind = explain_uninstalled(arena, error, module);
	if (kind) {
		error->message = kind;
		return;
	}
	if (!python_find(run->python, &found, &ignored))
		error->message = arena_printf(arena,
			"%s in %s; use --python or $SUAI_PYTHON to choose another interpreter",
			error->message ? error->message : "no module", found.executable);
	python_free(&found);
}
