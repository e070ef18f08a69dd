// SPDX-License-Identifier: MIT
#include "trace/site.h"

#include "trace/lock.h"
#include "trace/map.h"
#include "trace/memory.h"
#include "trace/numpy_api.h"
#include "trace/python.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

enum { MAX_FRAMES = 200, MAX_NAME_CHARS = 1 << 16, MAX_PACKAGE_CHARS = 99 };

/* A frame's file, function and line; texts are valid as long as the code object. */
struct frame_text {
	void *code, *file, *function;
	const char *file_text, *function_text;
	ptrdiff_t n_file, n_function;
	int line;
};

/* Whether a directory of the standard library is in the path: .../lib/python3.11/... */
static bool is_in_standard_library(const char *path)
{
	static const char *const starts[] = { "/lib/python3.", "/lib64/python3." };

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		const char *found = strstr(path, starts[i]);

		if (!found)
			continue;
		found += strlen(starts[i]);
		found += strspn(found, "0123456789");
		found += *found == 't';
		if (*found == '/')
			return true;
	}
	return false;
}

bool trace_site_is_library_file(const char *path)
{
	return strstr(path, "/site-packages/") || strstr(path, "/dist-packages/") ||
	       is_in_standard_library(path) || !strncmp(path, "<frozen ", 8) ||
	       !strncmp(path, "<__array_function__", 19);
}

/* The name below the innermost site-packages. */
static bool read_package(const char *path, char out[MAX_PACKAGE_CHARS + 1])
{
	static const char directory[] = "-packages/";
	const char *name = NULL;
	size_t n_chars;

	for (const char *at = path; (at = strstr(at, directory)); name = at)
		at += strlen(directory);
	n_chars = name ? strcspn(name, "/.") : 0;
	if (!n_chars || n_chars > MAX_PACKAGE_CHARS)
		return false;
	memcpy(out, name, n_chars);
	out[n_chars] = 0;
	return true;
}

/* Names of attributes, which CPython has as static objects; NULL: not used yet. */
static _Atomic(void *) file_name, function_name;

/* The bytes of a path that is not UTF-8, for which *object is exchanged; NULL: there are none. */
static const char *read_path(void **object, ptrdiff_t *n)
{
	void *bytes = trace_python.text_encode(*object);
	char *text = NULL;

	if (!bytes || trace_python.bytes_as_text(bytes, &text, n)) {
		trace_python.err_clear();
		text = NULL;
	}
	trace_python.dec_ref(*object);
	*object = bytes;
	return text;
}

static bool read_code_text(void *code, const char *name, _Atomic(void *) *name_object,
	void **object, const char **text, ptrdiff_t *n)
{
	if (!*name_object)
		*name_object = trace_python.text_intern(name);
	*object = *name_object ? trace_python.get_attribute_of(code, *name_object) : NULL;
	*text = *object ? trace_utf8(*object, n) : NULL;
	if (*object && !*text)
		*text = read_path(object, n);
	return *text && *n < MAX_NAME_CHARS;
}

static uint32_t record_site(const struct frame_text *text, bool is_library)
{
	uint32_t file, function, site;

	trace_lock();
	file = trace_string(text->file_text, (size_t)text->n_file);
	function = trace_string(text->function_text, (size_t)text->n_function);
	site = trace_memory_site(file, function, text->line, is_library);
	trace_unlock();
	return site;
}

static bool is_importer(const char *path)
{
	return !strncmp(path, "<frozen importlib", strlen("<frozen importlib"));
}

/* The site of a frame; TRACE_NONE if it is one of a library and is_last is false. Sets
 * *is_importing if it is one of the import system. */
static uint32_t frame_site(void *frame, bool is_last, bool *is_importing)
{
	struct frame_text text = { .code = trace_python.frame_get_code(frame) };
	uint32_t site = TRACE_NONE;

	if (text.code && read_code_text(text.code, "co_filename", &file_name, &text.file,
				 &text.file_text, &text.n_file)) {
		bool is_library = trace_site_is_library_file(text.file_text);

		*is_importing |= is_importer(text.file_text);
		if ((is_last || !is_library) &&
			read_code_text(text.code, "co_qualname", &function_name, &text.function,
				&text.function_text, &text.n_function)) {
			text.line = trace_python.frame_get_line(frame);
			site = record_site(&text, is_library);
		}
	}
	trace_python.dec_ref(text.file);
	trace_python.dec_ref(text.function);
	trace_python.dec_ref(text.code);
	return site;
}

static uint32_t walk_frames(void *innermost, bool *is_importing)
{
	uint32_t site = frame_site(innermost, false, is_importing);
	void *frame = site == TRACE_NONE ? trace_python.frame_get_back(innermost) : NULL;

	for (int n = 0; frame && site == TRACE_NONE && n < MAX_FRAMES; n++) {
		void *back;

		site = frame_site(frame, false, is_importing);
		back = site == TRACE_NONE ? trace_python.frame_get_back(frame) : NULL;
		trace_python.dec_ref(frame);
		frame = back;
	}
	trace_python.dec_ref(frame);
	return site == TRACE_NONE ? frame_site(innermost, true, is_importing) : site;
}

uint32_t trace_site_find_importing(bool *is_importing)
{
	uint32_t site;
	void *frame;

	*is_importing = false;
	if (trace_python.is_finalizing() || trace_python.err_occurred())
		return TRACE_NONE;
	frame = trace_python.eval_get_frame();
	site = frame ? walk_frames(frame, is_importing) : TRACE_NONE;
	if (trace_python.err_occurred())
		trace_python.err_clear();
	return trace_memory.layers & TRACE_LAYER_LINES ? site : TRACE_NONE;
}

uint32_t trace_site_find(void)
{
	bool is_importing;

	return trace_memory.layers & TRACE_LAYER_LINES ? trace_site_find_importing(&is_importing)
						       : TRACE_NONE;
}

/* The package of a frame below site-packages; TRACE_NONE: another frame. */
static uint32_t frame_library(void *frame)
{
	struct frame_text text = { .code = trace_python.frame_get_code(frame) };
	uint32_t library = TRACE_NONE;
	char name[MAX_PACKAGE_CHARS + 1];

	if (text.code &&
		read_code_text(text.code, "co_filename", &file_name, &text.file, &text.file_text,
			&text.n_file) &&
		read_package(text.file_text, name)) {
		trace_lock();
		library = trace_memory_library(name, "");
		trace_unlock();
	}
	trace_python.dec_ref(text.file);
	trace_python.dec_ref(text.code);
	return library;
}

/* Global variables of code that is the program's or NumPy's, most of what calls NumPy, and the name
 * of its file, or "__main__" if there is none, as for python -c. Others may have the same address
 * later, but not with the same string, which is never freed. Python creates an object for each
 * frame that is asked for, and the package needs more time than a small copy. */
struct known_globals {
	void *globals, *key, *text;
	ptrdiff_t position; /* of the key, for PyDict_Next() */
	uint32_t library;
};

enum { N_KNOWN_GLOBALS = 4, MAX_KEPT_TEXTS = 4096 };

/* Written with the GIL only; interpreters that have one each may mix up their entries, which are
 * copied before they are compared. */
static struct known_globals known_globals[N_KNOWN_GLOBALS];

static struct known_globals *known_globals_entry(const void *globals)
{
	return &known_globals[((uintptr_t)globals >> 6) % N_KNOWN_GLOBALS];
}

/* Whether a dictionary has the text at a position, which it usually keeps. Without a GIL, another
 * thread may resize it. */
static bool has_text_at(const struct known_globals *known)
{
	ptrdiff_t position = known->position;
	void *key, *value;

	return trace_python.dict_next(known->globals, &position, &key, &value) &&
	       key == known->key && value == known->text;
}

/* Finds a key, which is an interned string, as those of global variables are. */
static bool find_global(struct known_globals *known, const char *name)
{
	ptrdiff_t next = 0;
	void *key, *value;

	known->key = trace_python.text_intern(name);
	trace_python.dec_ref(known->key); /* only compared */
	for (known->position = 0; trace_python.dict_next(known->globals, &next, &key, &value);
		known->position = next)
		if (key == known->key) {
			known->text = value;
			return true;
		}
	return false;
}

/* Whether a string is kept until the end. */
static bool keep_globals_text(void *text)
{
	static struct trace_map kept;
	const uint64_t key = (uint64_t)(uintptr_t)text;
	bool is_kept, is_new = false;

	trace_lock();
	is_kept = trace_map_find(&kept, key) != NULL;
	if (!is_kept && kept.n_items < MAX_KEPT_TEXTS)
		is_kept = is_new = trace_map_set(&kept, key, 1);
	trace_unlock();
	if (is_new)
		trace_python.inc_ref(text);
	return is_kept;
}

/* Whether the code of a frame is in the file of its global variables: code that was generated for a
 * module is not that of its package. */
static bool is_code_of_file(void *frame, void *file)
{
	struct frame_text text = { .code = trace_python.frame_get_code(frame) };
	const char *globals_text = trace_utf8(file, NULL);
	bool is = globals_text &&
		  read_code_text(text.code, "co_filename", &file_name, &text.file, &text.file_text,
			  &text.n_file) &&
		  !strcmp(text.file_text, globals_text);

	trace_python.dec_ref(text.file);
	trace_python.dec_ref(text.code);
	return is;
}

static bool is_main(void *name)
{
	const char *text = trace_utf8(name, NULL);

	return text && !strcmp(text, "__main__");
}

static void note_globals(void *frame, uint32_t library)
{
	struct known_globals known = { .globals = trace_python.eval_get_globals(),
		.library = library };
	bool is_numpy, is_known;

	trace_lock();
	is_numpy = trace_memory_is_library(library, "numpy");
	trace_unlock();
	if (!known.globals || (library != TRACE_NONE && !is_numpy) ||
		trace_numpy_api_head_bytes() != GIL_HEAD_BYTES)
		return;
	if (find_global(&known, "__file__"))
		is_known = is_code_of_file(frame, known.text);
	else
		is_known = !is_numpy && find_global(&known, "__name__") && is_main(known.text);
	if (is_known && keep_globals_text(known.text))
		*known_globals_entry(known.globals) = known;
}

uint32_t trace_site_package(void)
{
	void *globals = trace_python.eval_get_globals(), *frame;
	const struct known_globals known = *known_globals_entry(globals);
	uint32_t library;

	if (globals && known.globals == globals && has_text_at(&known))
		return known.library;
	frame = trace_python.is_finalizing() || trace_python.err_occurred()
			? NULL
			: trace_python.eval_get_frame();
	if (!frame)
		return TRACE_NONE;
	library = frame_library(frame);
	note_globals(frame, library);
	if (trace_python.err_occurred())
		trace_python.err_clear();
	return library;
}

uint32_t trace_site_library(uint32_t otherwise)
{
	void *frame = trace_python.is_finalizing() || trace_python.err_occurred()
			      ? NULL
			      : trace_python.eval_get_frame();
	uint32_t library = frame ? frame_library(frame) : TRACE_NONE;

	frame = frame && library == TRACE_NONE ? trace_python.frame_get_back(frame) : NULL;
	for (int n = 0; frame && library == TRACE_NONE && n < MAX_FRAMES; n++) {
		void *back;

		library = frame_library(frame);
		back = library == TRACE_NONE ? trace_python.frame_get_back(frame) : NULL;
		trace_python.dec_ref(frame);
		frame = back;
	}
	trace_python.dec_ref(frame);
	return library == TRACE_NONE ? otherwise : library;
}
