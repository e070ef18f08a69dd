// SPDX-License-Identifier: MIT
#include "trace/site.h"

#include "trace/installed.h"
#include "trace/instructions.h"
#include "trace/lines.h"
#include "trace/lock.h"
#include "trace/memory.h"
#include "trace/numpy_api.h"
#include "trace/prefix.h"
#include "trace/python.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FRAMES = 1 << 16, MAX_NAME_CHARS = 1 << 16 };

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
	const char *name;

	return trace_after_packages(path) || is_in_standard_library(path) ||
	       trace_has_prefix(path, "<frozen ") ||
	       trace_has_prefix(path, "<__array_function__") ||
	       trace_installed_package(path, &name);
}

/* The name below the innermost site-packages, or that of a package that is installed elsewhere. */
bool trace_site_package_of_file(const char *path, char out[TRACE_MAX_PACKAGE_CHARS + 1])
{
	const char *name = trace_after_packages(path);
	size_t n_chars;

	if (!name && !trace_installed_package(path, &name))
		return false;
	trace_lock();
	n_chars = trace_package_name(path, name, out, TRACE_MAX_PACKAGE_CHARS);
	trace_unlock();
	return n_chars > 0;
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
	return trace_has_prefix(path, "<frozen importlib");
}

static bool is_named_text(void *object, const char *wanted)
{
	const char *text = object && trace_is_exactly(object, trace_python.text_type)
				   ? trace_utf8(object, NULL)
				   : NULL;

	return text && !strcmp(text, wanted);
}

/* Code without a file, such as the <string> of a method that dataclasses generate, is that of the
 * module whose global variables it has. The code of python -c, of standard input, whose module has
 * the same name as file, of a prompt and of doctests is what the user wrote. */
static enum trace_frame_owner owner_of_code_without_file(void *frame, const char *path)
{
	void *globals = trace_python.frame_get_globals(frame);
	void *file = globals ? trace_python.dict_get(globals, "__file__") : NULL;
	const char *text = file && trace_is_exactly(file, trace_python.text_type)
				   ? trace_utf8(file, NULL)
				   : NULL;
	char package[TRACE_MAX_PACKAGE_CHARS + 1];
	enum trace_frame_owner owner = OWNER_PROMPT;

	if (text && trace_site_package_of_file(text, package))
		owner = OWNER_LIBRARY;
	else if (text ? strcmp(text, path) != 0 && !trace_has_prefix(path, "<doctest ")
		      : globals && !strcmp(path, "<string>") &&
				 !is_named_text(
					 trace_python.dict_get(globals, "__name__"), "__main__"))
		owner = OWNER_GENERATED;
	trace_python.dec_ref(globals);
	return owner;
}

static enum trace_frame_owner owner_of_frame(void *frame, const char *path)
{
	if (trace_site_is_library_file(path))
		return OWNER_LIBRARY;
	return *path == '<' ? owner_of_code_without_file(frame, path) : OWNER_PROGRAM;
}

/* Determines whose instruction a frame executes, and the site of that unless the owner is later
 * than last. False: unknown. */
static bool read_instruction(
	void *frame, void *code, enum trace_frame_owner last, struct trace_instruction *instruction)
{
	struct frame_text text = { .code = code };
	bool is_known = read_code_text(
		code, "co_filename", &file_name, &text.file, &text.file_text, &text.n_file);

	if (is_known) {
		instruction->owner = owner_of_frame(frame, text.file_text);
		instruction->is_import = is_importer(text.file_text);
	}
	if (is_known && instruction->owner <= last &&
		read_code_text(code, "co_qualname", &function_name, &text.function,
			&text.function_text, &text.n_function)) {
		text.line = trace_lines_of_frame(frame, code);
		instruction->site = record_site(&text, instruction->owner == OWNER_LIBRARY);
	}
	if (is_known)
		trace_instruction_note(frame, instruction,
			*text.file_text == '<' && !trace_site_is_library_file(text.file_text));
	trace_python.dec_ref(text.file);
	trace_python.dec_ref(text.function);
	return is_known;
}

/* The site of a frame; TRACE_NONE if its owner is later than last. Sets *owner, and *is_importing
 * if it is one of the import system. */
static uint32_t frame_site(
	void *frame, enum trace_frame_owner last, enum trace_frame_owner *owner, bool *is_importing)
{
	void *code = trace_python.frame_get_code(frame);
	struct trace_instruction instruction = { .code = code,
		.offset_bytes = trace_python.frame_get_lasti(frame),
		.site = TRACE_NONE,
		.owner = OWNER_LIBRARY };

	if (!trace_instruction_find(frame, &instruction) ||
		(instruction.owner <= last && instruction.site == TRACE_NONE))
		read_instruction(frame, code, last, &instruction);
	trace_python.dec_ref(code);
	*owner = instruction.owner;
	*is_importing |= instruction.is_import;
	return instruction.owner <= last ? instruction.site : TRACE_NONE;
}

bool trace_site_is_program_frame(void *frame)
{
	struct frame_text text = { .code = trace_python.frame_get_code(frame) };
	bool is = text.code &&
		  read_code_text(text.code, "co_filename", &file_name, &text.file, &text.file_text,
			  &text.n_file) &&
		  owner_of_frame(frame, text.file_text) != OWNER_LIBRARY;

	trace_python.dec_ref(text.file);
	trace_python.dec_ref(text.code);
	return is;
}

/* The innermost frame of the program, otherwise one of code that it generates, otherwise the
 * innermost one. What a library calls from code that starts a process, such as that of
 * multiprocessing, is not called by that. */
static uint32_t walk_frames(void *innermost, bool *is_importing)
{
	enum trace_frame_owner owner, last = OWNER_PROMPT;
	uint32_t site = frame_site(innermost, last, &owner, is_importing);
	void *generated = owner == OWNER_GENERATED ? innermost : NULL, *frame;

	if (site != TRACE_NONE)
		return site;
	trace_python.inc_ref(generated);
	frame = trace_python.frame_get_back(innermost);
	for (int n = 0; frame && site == TRACE_NONE && n < MAX_FRAMES; n++) {
		void *back;

		site = frame_site(frame, last, &owner, is_importing);
		if (owner == OWNER_LIBRARY && generated)
			last = OWNER_PROGRAM;
		if (owner == OWNER_GENERATED && !generated) {
			generated = frame;
			trace_python.inc_ref(generated);
		}
		back = site == TRACE_NONE ? trace_python.frame_get_back(frame) : NULL;
		trace_python.dec_ref(frame);
		frame = back;
	}
	trace_python.dec_ref(frame);
	if (site == TRACE_NONE)
		site = frame_site(
			generated ? generated : innermost, OWNER_LIBRARY, &owner, is_importing);
	trace_python.dec_ref(generated);
	return site;
}

/* Whether this thread has the interpreter, also while that ends and runs __del__ of objects. */
static bool can_read_frames(void)
{
	return trace_python.thread_state_current() && !trace_python.err_occurred();
}

uint32_t trace_site_find_importing(bool *is_importing)
{
	uint32_t site;
	void *frame;

	*is_importing = false;
	if (!can_read_frames())
		return TRACE_NONE;
	frame = trace_python.eval_get_frame();
	site = frame ? walk_frames(frame, is_importing) : TRACE_NONE;
	if (trace_python.err_occurred())
		trace_python.err_clear();
	return trace_memory.layers & TRACE_LAYER_LINES ? site : TRACE_NONE;
}

uint32_t trace_site_of_call(struct trace_call_line *line, bool *is_importing)
{
	if (!line)
		return trace_site_find_importing(is_importing);
	if (!line->is_known)
		line->site = trace_site_find_importing(&line->is_importing);
	line->is_known = true;
	*is_importing = line->is_importing;
	return line->site;
}

uint32_t trace_site_find(void)
{
	bool is_importing;

	return trace_memory.layers & TRACE_LAYER_LINES ? trace_site_find_importing(&is_importing)
						       : TRACE_NONE;
}

uint32_t trace_site_package_of_frame(void *frame)
{
	struct frame_text text = { .code = trace_python.frame_get_code(frame) };
	uint32_t library = TRACE_NONE;
	char name[TRACE_MAX_PACKAGE_CHARS + 1];

	if (text.code &&
		read_code_text(text.code, "co_filename", &file_name, &text.file, &text.file_text,
			&text.n_file) &&
		trace_site_package_of_file(text.file_text, name)) {
		trace_lock();
		library = trace_memory_library(name, "");
		trace_unlock();
	}
	trace_python.dec_ref(text.file);
	trace_python.dec_ref(text.code);
	return library;
}

/* --- modules whose owner is known --- */

_Atomic(const struct trace_known_module *) trace_known_modules[TRACE_N_KNOWN_MODULES];

enum { MAX_NOTED_MODULES = 4096 }; /* what is known of a module is never freed */

/* Dictionaries of global variables that belong to no module, by address, such as those of exec()
 * and of functions that another process sent. If one is freed, a module may get its address later;
 * its code is then looked up each time, which is slower but correct. */
static _Atomic(const void *) other_globals[TRACE_N_KNOWN_MODULES];

/* Whether all code with the global variables of a frame, whose file they state, belongs to a
 * library: what is generated for a module of a package is not that of the package. __main__ has no
 * file for python -c. */
static bool is_code_of_library(void *frame, void *globals, uint32_t library)
{
	struct frame_text text = { .code = trace_python.frame_get_code(frame) };
	void *file = trace_python.dict_get(globals, "__file__"), *name;
	const char *wanted = file ? trace_utf8(file, NULL) : NULL;
	char package[TRACE_MAX_PACKAGE_CHARS + 1];
	bool is = false;

	if (wanted && library == TRACE_NONE) {
		is = !trace_site_package_of_file(wanted, package);
	} else if (wanted) {
		is = read_code_text(text.code, "co_filename", &file_name, &text.file,
			     &text.file_text, &text.n_file) &&
		     !strcmp(text.file_text, wanted);
	} else if (!file && library == TRACE_NONE) {
		name = trace_python.dict_get(globals, "__name__");
		wanted = name ? trace_utf8(name, NULL) : NULL;
		is = wanted && !strcmp(wanted, "__main__");
	}
	trace_python.dec_ref(text.file);
	trace_python.dec_ref(text.code);
	return is;
}

/* Takes the reference to a weak reference. */
static __attribute__((cold)) void note_module(
	void *module, const void *globals, void *reference, uint32_t library, bool is_own)
{
	static _Atomic unsigned int n_noted;
	struct trace_known_module *known =
		n_noted++ < MAX_NOTED_MODULES ? malloc(sizeof(*known)) : NULL;

	if (!known) {
		trace_python.dec_ref(reference);
		return;
	}
	*known = (struct trace_known_module){ globals, module, trace_weak_field(reference), library,
		is_own };
	trace_known_modules[trace_known_module_hash(globals)] = known;
}

/* A weak reference of another interpreter may be freed with that. */
static void note_running_module(void *frame, uint32_t library)
{
	void *globals = trace_python.eval_get_globals(), *module, *reference = NULL;
	_Atomic(const void *) *other = &other_globals[trace_known_module_hash(globals)];
	bool is_own;

	if (!globals || *other == globals || !trace_head_bytes || !trace_is_main_interpreter())
		return;
	trace_lock();
	is_own = library == TRACE_NONE || trace_memory_is_library(library, "numpy");
	trace_unlock();
	module = trace_module_of_globals(globals);
	if (module && is_code_of_library(frame, globals, library))
		reference = trace_python.new_weak_reference(module, NULL);
	if (reference)
		note_module(module, globals, reference, library, is_own);
	else
		*other = globals;
	trace_python.dec_ref(module);
}

uint32_t trace_site_package(void)
{
	const struct trace_known_module *known = trace_site_known_module();
	uint32_t library;
	void *frame;

	if (known)
		return known->library;
	frame = can_read_frames() ? trace_python.eval_get_frame() : NULL;
	if (!frame)
		return TRACE_NONE;
	library = trace_site_package_of_frame(frame);
	note_running_module(frame, library);
	if (trace_python.err_occurred())
		trace_python.err_clear();
	return library;
}

uint32_t trace_site_library(uint32_t otherwise)
{
	void *frame = can_read_frames() ? trace_python.eval_get_frame() : NULL;
	uint32_t library = frame ? trace_site_package_of_frame(frame) : TRACE_NONE;

	frame = frame && library == TRACE_NONE ? trace_python.frame_get_back(frame) : NULL;
	for (int n = 0; frame && library == TRACE_NONE && n < MAX_FRAMES; n++) {
		void *back;

		library = trace_site_package_of_frame(frame);
		back = library == TRACE_NONE ? trace_python.frame_get_back(frame) : NULL;
		trace_python.dec_ref(frame);
		frame = back;
	}
	trace_python.dec_ref(frame);
	return library == TRACE_NONE ? otherwise : library;
}

/* Whether a frame runs code of a module whose name begins with the prefix. */
static bool is_frame_of_module(void *frame, const char *prefix)
{
	void *globals = trace_python.frame_get_globals(frame);
	void *name = globals ? trace_python.dict_get(globals, "__name__") : NULL;
	const char *text = name && trace_is_exactly(name, trace_python.text_type)
				   ? trace_utf8(name, NULL)
				   : NULL;
	bool is = text && trace_has_prefix(text, prefix);

	trace_python.dec_ref(globals);
	return is;
}

uint32_t trace_site_package_above(const char *prefix)
{
	void *frame = can_read_frames() ? trace_python.eval_get_frame() : NULL, *back;
	uint32_t library = TRACE_NONE;
	bool is_of_module = frame && is_frame_of_module(frame, prefix);

	if (!is_of_module)
		return trace_site_package();
	trace_python.inc_ref(frame);
	for (int n = 0; is_of_module && n < MAX_FRAMES; n++) {
		back = trace_python.frame_get_back(frame);
		trace_python.dec_ref(frame);
		frame = back;
		is_of_module = frame && is_frame_of_module(frame, prefix);
	}
	if (frame)
		library = trace_site_package_of_frame(frame);
	trace_python.dec_ref(frame);
	if (trace_python.err_occurred())
		trace_python.err_clear();
	return library;
}
