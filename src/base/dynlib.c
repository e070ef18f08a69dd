// SPDX-License-Identifier: MIT
/* Libraries at run time: one already in the process is preferred to one on disk. */
#include "base/dynlib.h"

#include "base/text.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

/* DT_SONAME; NULL: none. If the loader did not relocate the address of the strings (the vDSO's),
 * adds the object's. */
static const char *soname_of(const struct dl_phdr_info *info)
{
	const ElfW(Dyn) *entry = NULL;
	uintptr_t strings = 0, name = 0;

	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			entry = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (; entry && entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_STRTAB)
			strings = entry->d_un.d_ptr;
		if (entry->d_tag == DT_SONAME)
			name = entry->d_un.d_val;
	}
	if (strings && strings < info->dlpi_addr)
		strings += info->dlpi_addr;
	return strings && name ? (const char *)(strings + name) : NULL;
}

static int is_called(struct dl_phdr_info *info, size_t n_bytes, void *wanted)
{
	const char *slash = strrchr(info->dlpi_name, '/'), *soname = soname_of(info);

	(void)n_bytes;
	return !strcmp(slash ? slash + 1 : info->dlpi_name, wanted) ||
	       (soname && !strcmp(soname, wanted));
}

static void *open_first(const char *const *names, int flags, const char **opened)
{
	for (; *names; names++) {
		/* Without this, RTLD_NOLOAD searches the system's library directories first, which
		 * takes 0.2 ms. */
		bool looks = !(flags & RTLD_NOLOAD) || strchr(*names, '/') ||
			     dl_iterate_phdr(is_called, (void *)(uintptr_t)*names);
		void *handle = looks ? dlopen(*names, RTLD_NOW | RTLD_LOCAL | flags) : NULL;

		if (handle) {
			*opened = *names;
			return handle;
		}
	}
	return NULL;
}

/* Without the name that dlerror() repeats, if it is the only one. */
static const char *without_name(const char *reason, const char *const *names)
{
	size_t n_chars = names[1] ? 0 : strlen(names[0]);

	return n_chars && !strncmp(reason, names[0], n_chars) && !strncmp(reason + n_chars, ": ", 2)
		       ? reason + n_chars + 2
		       : reason;
}

static int no_library(const char *const *names, bool only_loaded, struct err *err)
{
	const char *reason = only_loaded ? NULL : dlerror();
	struct text all = { 0 };

	for (size_t i = 0; names[i]; i++)
		text_printf(&all, "%s'%s'", i ? " or " : "", names[i]);
	if (only_loaded)
		err_set(err, EXIT_UNAVAILABLE, "the process has not loaded %s", all.bytes);
	else
		err_set(err, EXIT_UNAVAILABLE, "cannot load %s: %s", all.bytes,
			reason ? without_name(reason, names) : "unknown reason");
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

static int store_n_adds(struct dl_phdr_info *info, size_t n_bytes, void *adds)
{
	(void)n_bytes;
	*(unsigned long long *)adds = info->dlpi_adds;
	return 1;
}

unsigned long long dynlib_n_loads(void)
{
	unsigned long long n = 0;

	dl_iterate_phdr(store_n_adds, &n);
	return n;
}
