// SPDX-License-Identifier: MIT
#include "trace/objects.h"

#include "trace/installed.h"
#include "trace/lock.h"
#include "trace/map.h"
#include "trace/memory.h"
#include "trace/native_caller.h"
#include "trace/python.h"

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(SUAI_CPPCHECK)
enum { SLOT_JUMP = R_X86_64_JUMP_SLOT, SLOT_DATA = R_X86_64_GLOB_DAT, SLOT_WORD = R_X86_64_64 };
#elif defined(__aarch64__)
enum {
	SLOT_JUMP = R_AARCH64_JUMP_SLOT,
	SLOT_DATA = R_AARCH64_GLOB_DAT,
	SLOT_WORD = R_AARCH64_ABS64
};
#else
#error "suai trace supports x86_64 and aarch64"
#endif

#define ARRAY_LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* The name of the interpreter and its standard library in reports. */
#define PYTHON_LIBRARY "python"

struct loaded_object {
	uintptr_t start, end;
	uint64_t name_hash; /* of its path as the loader has it */
	uint32_t library;
	bool is_seen;
	bool is_module; /* its file is named as that of a module of Python */
	char *path;     /* if its package is not known from that: it is named after its file */
};

/* What is read from PT_DYNAMIC and the program headers. */
struct object_view {
	uintptr_t base, start, end;
	const ElfW(Sym) * symbols;
	const char *strings;
	const ElfW(Rela) * tables[2];
	size_t n_relocations[2];
	size_t n_relative; /* of tables[0], at its start: they refer to no symbol */
	enum trace_object_kind kind;
};

/* The hashes of addresses, of which there are few. */
struct address_filter {
	uint64_t bits[16];
};

struct update {
	const struct trace_hook *hooks;
	struct address_filter originals;
	bool is_first_object; /* the program */
	bool must_repeat;     /* for objects that are known, too */
	bool is_incomplete;   /* an object was not ready */
};

static struct loaded_object *objects;
static size_t n_objects, objects_capacity;
static uint32_t python_library = TRACE_NONE;

struct trace_internal_pair trace_internal_pairs[TRACE_INTERNAL_PAIRS];

/* --- reading an object --- */

static void read_segments(const struct dl_phdr_info *info, struct object_view *view)
{
	*view = (struct object_view){ .base = info->dlpi_addr, .start = UINTPTR_MAX };
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + header->p_vaddr, end = start + header->p_memsz;

		if (header->p_type != PT_LOAD)
			continue;
		view->start = start < view->start ? start : view->start;
		view->end = end > view->end ? end : view->end;
	}
}

/* The loader has made the addresses of the section absolute. */
static bool read_dynamic_section(const struct dl_phdr_info *info, struct object_view *view)
{
	const ElfW(Dyn) *dynamic = NULL;

	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dynamic = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
		const void *pointer = (const void *)dynamic->d_un.d_ptr;

		switch (dynamic->d_tag) {
		case DT_SYMTAB:
			view->symbols = pointer;
			break;
		case DT_STRTAB:
			view->strings = pointer;
			break;
		case DT_RELA:
			view->tables[0] = pointer;
			break;
		case DT_RELASZ:
			view->n_relocations[0] = dynamic->d_un.d_val / sizeof(ElfW(Rela));
			break;
		case DT_RELACOUNT:
			view->n_relative = dynamic->d_un.d_val;
			break;
		case DT_JMPREL:
			view->tables[1] = pointer;
			break;
		case DT_PLTRELSZ:
			view->n_relocations[1] = dynamic->d_un.d_val / sizeof(ElfW(Rela));
			break;
		default:
			break;
		}
	}
	return view->symbols && view->strings && (uintptr_t)view->symbols >= view->start &&
	       (uintptr_t)view->symbols < view->end && (uintptr_t)view->strings >= view->start &&
	       (uintptr_t)view->strings < view->end;
}

/* --- names --- */

static bool name_contains(const char *path, const char *part)
{
	return strstr(path, part) != NULL;
}

/* The length of the name at the start of a file's name: "foo" of "foo.cpython-311.so" and of
 * "foo.libs/...", "libfoo" of "libfoo-1.2.so.3". */
static size_t plain_name_chars(const char *name)
{
	size_t n_chars = strcspn(name, "./");

	for (size_t i = 1; i + 1 < n_chars; i++)
		if (name[i] == '-' && name[i + 1] >= '0' && name[i + 1] <= '9')
			return i;
	return n_chars;
}

static bool is_standard_module(const char *path)
{
	return name_contains(path, "/lib-dynload/");
}

/* The package below the innermost site-packages, otherwise the name of the file. */
static void name_library(const char *path, bool is_python, char out[NAME_MAX + 1])
{
	const char *name = strrchr(path, '/'), *package = trace_after_packages(path);
	size_t n_chars;

	name = name ? name + 1 : path;
	if (is_python || is_standard_module(path)) {
		name = PYTHON_LIBRARY;
	} else if (package) {
		if (trace_package_name(path, package, out, NAME_MAX) && strchr(out, '.'))
			return;
		name = package;
	}
	n_chars = plain_name_chars(name);
	if (!n_chars || n_chars > NAME_MAX)
		n_chars = strnlen(name, NAME_MAX);
	memcpy(out, name, n_chars);
	out[n_chars] = 0;
}

/* --- relocations --- */

static size_t hash_of_address(const void *address)
{
	return (uint64_t)(uintptr_t)address * 0x9e3779b97f4a7c15u >> 54;
}

static void add_to_filter(struct address_filter *filter, const void *address)
{
	size_t hash = hash_of_address(address);

	filter->bits[hash / 64] |= UINT64_C(1) << hash % 64;
}

static bool may_be_in_filter(const struct address_filter *filter, const void *address)
{
	size_t hash = hash_of_address(address);

	return filter->bits[hash / 64] >> hash % 64 & 1;
}

static void set_hooks_of_update(struct update *update, const struct trace_hook *hooks)
{
	update->hooks = hooks;
	for (const struct trace_hook *hook = hooks; hook->name; hook++)
		add_to_filter(&update->originals, hook->original);
}

static bool is_in_view(const struct object_view *view, const void *address)
{
	return (uintptr_t)address >= view->start && (uintptr_t)address < view->end;
}

/* Whether the loader has not relocated a slot, which contains 0 or an address that is not absolute,
 * or the slot leads to its own object's code that binds it late. */
static bool is_unbound(const struct object_view *view, const void *value)
{
	return (uintptr_t)value < view->end - view->start || is_in_view(view, value);
}

static const struct trace_hook *find_hook_by_name(
	const struct update *update, const struct object_view *view, const ElfW(Rela) * relocation)
{
	const ElfW(Sym) *symbol = &view->symbols[ELF64_R_SYM(relocation->r_info)];
	const char *name = view->strings + symbol->st_name;

	if (symbol->st_shndx != SHN_UNDEF || !name[0] || !strchr("Pdefkps", name[0]))
		return NULL;
	for (const struct trace_hook *hook = update->hooks; hook->name; hook++)
		if ((hook->callers & view->kind) && !strcmp(hook->name, name))
			return hook;
	return NULL;
}

/* Most slots are bound to other functions, which is known without their names. */
static const struct trace_hook *find_hook(struct update *update, const struct object_view *view,
	const ElfW(Rela) * relocation, const void *value)
{
	if (!is_unbound(view, value) && !may_be_in_filter(&update->originals, value))
		return NULL;
	return find_hook_by_name(update, view, relocation);
}

static bool is_slot(const struct object_view *view, const ElfW(Rela) * relocation)
{
	uint32_t type = (uint32_t)ELF64_R_TYPE(relocation->r_info);
	uintptr_t slot = view->base + relocation->r_offset;

	return (type == SLOT_JUMP ||
		       ((type == SLOT_DATA || type == SLOT_WORD) && !relocation->r_addend)) &&
	       slot >= view->start && slot + sizeof(void *) <= view->end;
}

/* Leaves the page writable: another thread may still be relocating the object. */
static bool write_slot(uintptr_t slot, void *value)
{
	uintptr_t page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE), page = slot & ~(page_bytes - 1);

	if (mprotect((void *)page, page_bytes, PROT_READ | PROT_WRITE))
		return false;
	__atomic_store_n((void **)slot, value, __ATOMIC_RELEASE);
	return true;
}

/* Whether the loader has relocated a slot: it contains the function, or its own object's code that
 * binds it late. */
static bool is_slot_ready(
	const struct object_view *view, const void *value, const struct trace_hook *hook)
{
	return value == hook->original || value == hook->replacement || is_in_view(view, value);
}

/* False: another thread is loading the object. */
static bool redirect_relocations(struct update *update, const struct object_view *view)
{
	bool is_ready = true;

	for (size_t t = 0; t < ARRAY_LENGTH(view->tables); t++)
		for (size_t i = t ? 0 : view->n_relative;
			view->tables[t] && i < view->n_relocations[t]; i++) {
			const ElfW(Rela) *relocation = &view->tables[t][i];
			const struct trace_hook *hook;
			uintptr_t slot = view->base + relocation->r_offset;
			void *value;

			if (!is_slot(view, relocation))
				continue;
			value = __atomic_load_n((void **)slot, __ATOMIC_ACQUIRE);
			hook = find_hook(update, view, relocation, value);
			if (!hook || value == hook->replacement)
				continue;
			if (!is_slot_ready(view, value, hook))
				is_ready = false;
			else if (write_slot(slot, hook->replacement) && trace_memory.segment)
				trace_memory.segment->n_patched++;
		}
	return is_ready;
}

/* --- the table --- */

static struct loaded_object *find_loaded_object(uintptr_t address)
{
	size_t low = 0, high = n_objects;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (address < objects[middle].start)
			high = middle;
		else if (address >= objects[middle].end)
			low = middle + 1;
		else
			return &objects[middle];
	}
	return NULL;
}

enum { N_KNOWN_ADDRESSES = 64 };

/* Libraries that were found in the table, whose search reads several lines of the processor's
 * cache. */
static struct known_address {
	uintptr_t address; /* 0: none */
	uint32_t library;
} known_addresses[N_KNOWN_ADDRESSES];

static void forget_known_addresses(void)
{
	memset(known_addresses, 0, sizeof(known_addresses));
}

static void remove_loaded_object(size_t i)
{
	free(objects[i].path);
	memmove(&objects[i], &objects[i + 1], (n_objects - i - 1) * sizeof(*objects));
	n_objects--;
}

static struct loaded_object *insert_loaded_object(const struct loaded_object *object)
{
	size_t i = 0;

	if (n_objects == objects_capacity) {
		size_t capacity = objects_capacity ? 2 * objects_capacity : 128;
		struct loaded_object *grown = realloc(objects, capacity * sizeof(*objects));

		if (!grown)
			return NULL;
		objects = grown;
		objects_capacity = capacity;
	}
	while (i < n_objects && objects[i].start < object->start)
		i++;
	memmove(&objects[i + 1], &objects[i], (n_objects - i) * sizeof(*objects));
	objects[i] = *object;
	n_objects++;
	return &objects[i];
}

/* Other tools that are preloaded may define functions of buffers and capsules in its place. */
static bool is_interpreter(const struct object_view *view)
{
	return is_in_view(view, (void *)trace_python.interpreter_main);
}

static enum trace_object_kind kind_of_object(const struct object_view *view, const char *path)
{
	return is_interpreter(view)       ? TRACE_INTERPRETER
	       : is_standard_module(path) ? TRACE_STANDARD_MODULE
					  : TRACE_OTHER_OBJECT;
}

/* The path of an object; that of the program, which the loader leaves empty, is read into own. */
static const char *object_path(
	const struct update *update, const struct dl_phdr_info *info, char own[PATH_MAX])
{
	ssize_t n_chars;

	if (*info->dlpi_name || !update->is_first_object)
		return info->dlpi_name;
	n_chars = readlink("/proc/self/exe", own, PATH_MAX - 1);
	own[n_chars > 0 ? n_chars : 0] = 0;
	return own;
}

/* The interpreter is the object that defines what the others import. */
static void add_loaded_object(const struct update *update, const struct dl_phdr_info *info,
	const struct object_view *view)
{
	const bool is_python = is_interpreter(view);
	char own_path[PATH_MAX], name[NAME_MAX + 1];
	const char *path = object_path(update, info, own_path);
	struct loaded_object *added;

	name_library(path, is_python, name);
	added = insert_loaded_object(&(struct loaded_object){ .start = view->start,
		.end = view->end,
		.name_hash = trace_hash(info->dlpi_name, strlen(info->dlpi_name)),
		.library = trace_memory_library(name, path),
		.is_seen = true });
	if (is_python)
		python_library = trace_memory_library(name, path);
	if (!added || added->library == python_library || trace_after_packages(path))
		return;
	added->is_module = name_contains(path, ".cpython-") || name_contains(path, ".abi3.so");
	added->path = strdup(path);
}

/* Another file may have been loaded where one was that has the same size. */
static bool is_known_object(const struct update *update, const struct loaded_object *known,
	const struct dl_phdr_info *info, const struct object_view *view)
{
	return known && known->start == view->start && known->end == view->end &&
	       (!update->must_repeat ||
		       known->name_hash == trace_hash(info->dlpi_name, strlen(info->dlpi_name)));
}

static int visit_object(struct dl_phdr_info *info, size_t size, void *opaque)
{
	struct update *update = opaque;
	struct loaded_object *known;
	struct object_view view;
	bool is_known;

	(void)size;
	read_segments(info, &view);
	if (view.start >= view.end)
		return 0;
	known = find_loaded_object(view.start);
	is_known = is_known_object(update, known, info, &view);
	if (is_known)
		known->is_seen = true;
	else
		add_loaded_object(update, info, &view);
	update->is_first_object = false;
	view.kind = kind_of_object(&view, info->dlpi_name);
	if ((!is_known || update->must_repeat) && read_dynamic_section(info, &view) &&
		!is_in_view(&view, (void *)trace_objects_update) &&
		!redirect_relocations(update, &view))
		update->is_incomplete = true;
	return 0;
}

static int read_loader_counts(struct dl_phdr_info *info, size_t size, void *opaque)
{
	unsigned long long *counts = opaque;

	(void)size;
	counts[0] = info->dlpi_adds;
	counts[1] = info->dlpi_subs;
	return 1;
}

bool trace_objects_update(const struct trace_hook *hooks)
{
	static unsigned long long seen[2];
	static bool is_incomplete;
	struct update update = { .is_first_object = true };
	unsigned long long counts[2] = { 0 };
	bool is_changed;

	dl_iterate_phdr(read_loader_counts, counts);
	trace_lock();
	/* Another object may have been loaded where an earlier one was. */
	update.must_repeat = counts[1] != seen[1] || is_incomplete;
	is_changed = counts[0] != seen[0] || update.must_repeat;
	if (is_changed) {
		for (size_t i = 0; i < n_objects; i++)
			objects[i].is_seen = false;
		set_hooks_of_update(&update, hooks);
		dl_iterate_phdr(visit_object, &update);
		for (size_t i = n_objects; i-- > 0;)
			if (!objects[i].is_seen)
				remove_loaded_object(i);
		for (size_t i = 0; i < TRACE_INTERNAL_PAIRS; i++)
			trace_internal_pairs[i].type = 0;
		forget_known_addresses();
		if (counts[1] != seen[1])
			trace_native_callers_forget();
		memcpy(seen, counts, sizeof(seen));
		is_incomplete = update.is_incomplete;
	}
	trace_unlock();
	return is_changed;
}

bool trace_objects_have_unnamed_modules(void)
{
	for (size_t i = 0; i < n_objects; i++)
		if (objects[i].is_module && objects[i].path)
			return true;
	return false;
}

/* The length of the path of the directory of the outermost package, with its slash: a module is as
 * many directories below it as its name has dots; 0: it is not in a package. */
static size_t package_directory_chars(const char *file, const char *module)
{
	const char *dot = strchr(module, '.'), *end = file + strlen(file);

	for (; dot; dot = strchr(dot + 1, '.'))
		do
			if (end == file)
				return 0;
		while (*--end != '/');
	return *end ? (size_t)(end - file) + 1 : 0;
}

static struct loaded_object *find_unnamed_module(const char *file)
{
	for (size_t i = 0; i < n_objects; i++)
		if (objects[i].is_module && objects[i].path && !strcmp(objects[i].path, file))
			return &objects[i];
	return NULL;
}

void trace_objects_name_package(const char *file, const char *module)
{
	struct loaded_object *found = find_unnamed_module(file);
	size_t n_directory = package_directory_chars(file, module), n_name = strcspn(module, ".");
	char name[NAME_MAX + 1];

	if (!found)
		return;
	if (!n_directory || n_name > NAME_MAX) {
		free(found->path);
		found->path = NULL;
		return;
	}
	memcpy(name, module, n_name);
	name[n_name] = 0;
	forget_known_addresses();
	for (size_t i = 0; i < n_objects; i++)
		if (objects[i].path && !strncmp(objects[i].path, file, n_directory)) {
			objects[i].library = trace_memory_library(name, objects[i].path);
			free(objects[i].path);
			objects[i].path = NULL;
		}
}

/* A search of objects that are listed in the order in which they were loaded. */
struct redirection {
	struct update update;
	size_t n_known, n_visited;
};

static int redirect_object(struct dl_phdr_info *info, size_t size, void *opaque)
{
	struct redirection *redirection = opaque;
	struct object_view view;

	(void)size;
	if (redirection->n_visited++ < redirection->n_known)
		return 0;
	read_segments(info, &view);
	view.kind = TRACE_OTHER_OBJECT;
	if (view.start < view.end && read_dynamic_section(info, &view) &&
		!is_in_view(&view, (void *)redirect_object) &&
		!redirect_relocations(&redirection->update, &view))
		redirection->update.is_incomplete = true;
	return 0;
}

void trace_objects_redirect(const struct trace_hook *hooks)
{
	static _Atomic unsigned long long n_unloaded;
	static _Atomic size_t n_redirected;
	struct redirection redirection = { 0 };
	unsigned long long counts[2] = { 0 };

	set_hooks_of_update(&redirection.update, hooks);
	dl_iterate_phdr(read_loader_counts, counts);
	if (counts[1] == n_unloaded)
		redirection.n_known = n_redirected;
	dl_iterate_phdr(redirect_object, &redirection);
	if (redirection.update.is_incomplete)
		return;
	n_unloaded = counts[1];
	n_redirected = redirection.n_visited;
}

unsigned long long trace_objects_count_loaded(void)
{
	unsigned long long counts[2] = { 0 };

	dl_iterate_phdr(read_loader_counts, counts);
	return counts[0];
}

uint32_t trace_objects_library(const void *address)
{
	const uint64_t mixed = (uint64_t)(uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15);
	struct known_address *known = &known_addresses[mixed >> 32 & (N_KNOWN_ADDRESSES - 1)];
	const struct loaded_object *object;

	if (address && known->address == (uintptr_t)address)
		return known->library;
	object = find_loaded_object((uintptr_t)address);
	known->address = (uintptr_t)address;
	known->library = object ? object->library : TRACE_NONE;
	return known->library;
}

uint32_t trace_objects_caller(const void *address, const void *other)
{
	uint32_t library = trace_objects_library(address);
	uint32_t second = library == python_library ? trace_objects_library(other) : TRACE_NONE;

	return second == TRACE_NONE ? library : second;
}

bool trace_objects_is_interpreter(const void *address)
{
	const struct loaded_object *object = find_loaded_object((uintptr_t)address);

	return object && object == find_loaded_object((uintptr_t)trace_python.interpreter_main);
}

void trace_objects_note_internal(const void *caller, const void *type)
{
	struct trace_internal_pair *pair = trace_internal_pair(caller, type);

	if (!find_loaded_object((uintptr_t)type))
		return;
	pair->mixed = (uintptr_t)caller ^ (uintptr_t)type;
	pair->type = (uintptr_t)type;
}

bool trace_objects_write(void **slot, void *value)
{
	return write_slot((uintptr_t)slot, value);
}

bool trace_objects_contain(const void *address)
{
	return find_loaded_object((uintptr_t)address) != NULL;
}

bool trace_objects_is_python(uint32_t library)
{
	return library == python_library;
}
