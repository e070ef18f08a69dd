// SPDX-License-Identifier: MIT
#include "supervisor/worker_options.h"

#include "base/array_size.h"
#include "base/memory.h"
#include "base/program_directory.h"
#include "base/text.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The build of a free-threaded interpreter has another suffix (Makefile). */
#ifndef SUAI_MODULE_FILE
#define SUAI_MODULE_FILE "_suai.abi3.so"
#endif

struct part_search {
	const char *name; /* of the file */
	char *path;       /* NULL: not found yet */
	struct text tried;
};

static void try_path(struct part_search *search, const char *path)
{
	text_printf(&search->tried, "%s'%s'", search->tried.n_bytes ? ", " : "", path);
	if (!access(path, R_OK))
		search->path = mem_real_path(path);
}

/* Tries the path directory/place/name; place may be a pattern of glob(7). */
static void try_place(struct part_search *search, const char *directory, const char *place)
{
	struct text pattern = { 0 };
	glob_t found = { 0 };

	for (const char *at = directory; *at; at++)
		text_printf(&pattern, strchr("*?[\\", *at) ? "\\%c" : "%c", *at);
	text_printf(&pattern, "/%s/%s", place, search->name);
	if (!glob(pattern.bytes, 0, NULL, &found))
		try_path(search, found.gl_pathv[0]);
	else
		text_printf(&search->tried, "%s'%s/%s/%s'", search->tried.n_bytes ? ", " : "",
			directory, place, search->name);
	globfree(&found);
	text_free(&pattern);
}

int worker_find_part(const char *name, const char *chosen, char **path, struct err *err)
{
	/* Relative to the program: in a build tree, below an installation prefix, in an environment
	 * (wheel), and in a directory of pip install --target. */
	static const char *const places[] = { ".", "../" SUAI_MODULE_DIR,
		"../lib*/python3*/*-packages/suai-" SUAI_VERSION ".dist-info/../suai",
		"../suai-" SUAI_VERSION ".dist-info/../suai" };
	struct part_search search = { .name = name };
	char *own = program_directory();
	int status = 0;

	for (size_t i = 0; own && i < ARRAY_SIZE(places) && !search.path; i++)
		try_place(&search, own, places[i]);
	if (!search.path && chosen && *chosen)
		try_path(&search, chosen);
	if (search.path)
		*path = search.path;
	else
		status = err_set(err, EXIT_UNAVAILABLE, "cannot find suai's file '%s': tried %s",
			name, search.tried.n_bytes ? search.tried.bytes : "nothing");
	text_free(&search.tried);
	free(own);
	return status;
}

int worker_find_module(struct worker_options *options, struct err *err)
{
	struct text beside = { 0 };
	struct err why = { 0 };
	int status;

	if (worker_find_part(SUAI_MODULE_FILE, getenv("SUAI_MODULE"), &options->module, &why))
		return err_set(err, why.code, "%s; set $SUAI_MODULE to its path", why.message);
	text_printf(&beside, "%.*s/suai-bootstrap.py",
		(int)(strrchr(options->module, '/') - options->module), options->module);
	status = worker_find_part("suai-bootstrap.py", beside.bytes, &options->bootstrap, err);
	text_free(&beside);
	return status;
}
