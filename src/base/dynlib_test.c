// SPDX-License-Identifier: MIT
/* Libraries found, missing, not loaded, and without a function. */
#include "base/dynlib.h"

#include "base/test.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct table {
	double (*cosine)(double);
	int (*absent)(void);
};

#define ROW(NAME, FIELD, OPTIONAL)                            \
	{                                                     \
		NAME, offsetof(struct table, FIELD), OPTIONAL \
	}

static const struct dynlib_symbol wanted[] = {
	ROW("cos", cosine, false),
	ROW("suai_no_such_function", absent, true),
	{ NULL, 0, false },
};

static const struct dynlib_symbol too_much[] = {
	ROW("suai_no_such_function", absent, false),
	{ NULL, 0, false },
};

static void check_refusal(const char *const *names, bool only_loaded,
	const struct dynlib_symbol *symbols, const char *message)
{
	struct table table = { 0 };
	void *handle = &table;
	struct err err = { 0 };

	CHECK(dynlib_open(names, only_loaded, symbols, &table, &handle, &err) == -1, "%s opened",
		names[0]);
	CHECK(err.code == EXIT_UNAVAILABLE, "%d", err.code);
	CHECK(!strncmp(err.message, message, strlen(message)), "%s", err.message);
	CHECK(!handle, "a handle is left");
}

static void check_count(void)
{
	unsigned long long n = dynlib_n_loads();

	CHECK(n > 0 && dynlib_n_loads() == n, "the count changes");
	CHECK(dlopen("libresolv.so.2", RTLD_NOW), "%s", dlerror());
	CHECK(dynlib_n_loads() > n, "a library was loaded and not counted");
}

/* A library is known by its own name too, whatever its file is called. */
static void check_soname(void)
{
	static const char *const names[] = { "libanl.so.1", NULL };
	static const struct dynlib_symbol nothing[] = { { NULL, 0, false } };
	char link_path[] = "/tmp/suai-dynlib-XXXXXX", path[4096] = "";
	void *handle = dlopen(names[0], RTLD_NOW);
	struct link_map *map;
	struct err err;

	if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, &map) || !mkdtemp(link_path))
		return;
	snprintf(path, sizeof(path), "%s", map->l_name);
	dlclose(handle);
	CHECK(dynlib_open(names, true, nothing, NULL, &handle, &err), "it is still loaded");
	CHECK(!rmdir(link_path) && !symlink(path, link_path), "no link to '%s'", path);
	CHECK(dlopen(link_path, RTLD_NOW), "%s", dlerror());
	CHECK(!dynlib_open(names, true, nothing, NULL, &handle, &err), "%s", err.message);
	unlink(link_path);
}

int main(void)
{
	static const char *const math[] = { "libsuai-none.so.1", "libm.so.6", NULL };
	static const char *const none[] = { "libsuai-none.so.1", "libsuai-none.so", NULL };
	struct table table = { 0 };
	void *handle = NULL;
	struct err err = { 0 };

	CHECK(!dynlib_open(math, false, wanted, &table, &handle, &err), "%s", err.message);
	CHECK(handle && table.cosine && table.cosine(0) == 1, "cos was not resolved");
	CHECK(!table.absent, "an optional function was resolved");
	CHECK(!dynlib_open(math, true, wanted, &table, &handle, &err), "%s", err.message);
	check_refusal(none, false, wanted,
		"cannot load 'libsuai-none.so.1' or 'libsuai-none.so': libsuai-none.so: ");
	check_refusal(&none[1], false, wanted,
		"cannot load 'libsuai-none.so': cannot open shared object file: ");
	check_refusal(none, true, wanted,
		"the process has not loaded 'libsuai-none.so.1' or 'libsuai-none.so'");
	check_refusal(
		math, false, too_much, "'libm.so.6' lacks the function 'suai_no_such_function'");
	check_count();
	check_soname();
	return test_end();
}
