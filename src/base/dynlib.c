// SPDX-License-Identifier: MIT
/* Libraries at run time: one already in the process is preferred to one on disk. */
#include "base/dynlib.h"

#include "base/text.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

static void *open_first(const char *const *names, int flags, const char **opened)
{
	for (; *names; names++) {
		void *handle = dlopen(*names, RTLD_NOW | RTLD_LOCAL | flags);

		if (handle) {
			*opened = *names;
			return handle;
		}
	}
	return NULL;
}

static int no_library(const char *const *names, bool only_loaded, struct err *err)
{
	const char *reason = only_loaded ? NULL : dlerror();
	struct text all = { 0 };

	for (size_t i = 0; names[i]; i++)
		text_printf(&all, "%s'%s'", i ? " or " : "", names[i]);
	if (only_loaded)
		err_set(err, EXIT_UNAVAILABLE, "%s is not loaded", all.bytes);
	else
		err_set(err, EXIT_UNAVAILABLE, "cannot load %s: %s", all.bytes,
			reason ? reason : "unknown reason");
	text_free(&all);
	return -1;
}

static int fill(void *library, const char *name, const struct dynlib_symbol *symbols, void *table,
	struct err *err)
{
	for (; symbols->name; symbols++) {
		void *address = dlsym(library, symbols->name);

		if (!address && !symbols->optional)
			return err_set(err, EXIT_UNAVAILABLE, "'%s' lacks the function '%s'", name,
				symbols->name);
		memcpy((char *)table + symbols->offset, &address, sizeof(address));
	}
	return 0;
}

int dynlib_open(const char *const *names, bool only_loaded, const struct dynlib_symbol *symbols,
	void *table, void **handle, struct err *err)
{
	const char *opened = NULL;

	*handle = open_first(names, RTLD_NOLOAD, &opened);
	if (!*handle && !only_loaded)
		*handle = open_first(names, 0, &opened);
	if (!*handle)
		return no_library(names, only_loaded, err);
	if (!fill(*handle, opened, symbols, table, err))
		return 0;
	dlclose(*handle);
	*handle = NULL;
	return -1;
}

static int take_adds(struct dl_phdr_info *info, size_t n_bytes, void *adds)
{
	(void)n_bytes;
	*(unsigned long long *)adds = info->dlpi_adds;
	return 1;
}

unsigned long long dynlib_n_loads(void)
{
	unsigned long long n = 0;

	dl_iterate_phdr(take_adds, &n);
	return n;
}
