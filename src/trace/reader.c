// SPDX-License-Identifier: MIT
#include "trace/reader.h"

#include "trace/lock.h"
#include "trace/map.h"
#include "trace/memory.h"
#include "trace/objects.h"
#include "trace/prefix.h"
#include "trace/python.h"
#include "trace/site.h"
#include "trace/stack.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

enum code_kind { IS_EVALUATION = 1, IS_CHECK, IS_OTHER_CODE };

/* The kinds of return addresses in the interpreter, of which there are few. Cached, since dladdr()
 * takes microseconds. */
static struct trace_map kinds_of_code;

/* The function of hasattr(), which has no symbol; NULL: not looked for yet. */
static _Atomic(void *) hasattr_function;

static void find_hasattr(void)
{
	void *module, *object, *function = NULL;

	if (hasattr_function)
		return;
	module = trace_python_module("builtins");
	object = trace_module_attribute(module, "hasattr");
	if (object)
		function = trace_python.function_get_function(object);
	if (trace_python.err_occurred())
		trace_python.err_clear();
	hasattr_function = function ? function : (void *)find_hasattr;
	trace_python.dec_ref(object);
	trace_python.dec_ref(module);
}

static enum code_kind find_code_kind(const void *address)
{
	Dl_info info;

	if (trace_stack_function(address) == hasattr_function)
		return IS_CHECK;
	if (!dladdr(address, &info) || !info.dli_sname)
		return IS_OTHER_CODE;
	if (trace_has_prefix(info.dli_sname, "_PyEval_") ||
		trace_has_prefix(info.dli_sname, "PyEval_Eval"))
		return IS_EVALUATION;
	return trace_has_prefix(info.dli_sname, "PyObject_HasAttr") ? IS_CHECK : IS_OTHER_CODE;
}

/* Whether an address of the interpreter is in a function that runs Python code, or in one that only
 * checks whether an attribute exists. */
static enum code_kind kind_of_code(const void *address)
{
	uint64_t key = (uint64_t)(uintptr_t)address, *known;
	uint64_t kind = 0;

	trace_lock();
	known = trace_map_find(&kinds_of_code, key);
	if (known)
		kind = *known;
	trace_unlock();
	if (kind)
		return (enum code_kind)kind;
	kind = find_code_kind(address);
	trace_lock();
	if (hasattr_function)
		trace_map_set(&kinds_of_code, key, kind);
	trace_unlock();
	return (enum code_kind)kind;
}

static uint32_t library_at(const void *address, bool *is_python)
{
	uint32_t library;

	trace_lock();
	library = trace_objects_library(address);
	*is_python = trace_objects_is_python(library);
	trace_unlock();
	return library;
}

struct reader_search {
	uint32_t own;
	struct trace_reader reader;
};

static bool visit_reader_frame(const struct trace_visited_frame *frame, void *opaque)
{
	struct reader_search *search = opaque;
	enum code_kind kind = IS_OTHER_CODE;
	bool is_python;
	uint32_t library;

	if (frame->is_evaluation)
		return true;
	library = library_at(frame->address, &is_python);
	if (is_python)
		kind = kind_of_code(frame->address);
	search->reader.is_check |= kind == IS_CHECK;
	if (is_python ? kind != IS_EVALUATION : library == search->own)
		return false;
	if (!is_python) {
		search->reader.address = frame->address;
		search->reader.library = library;
	}
	return true;
}

/* Ends two frames after that of a library, which have the two calls under way. */
static bool visit_reader_and_calls(const struct trace_visited_frame *frame, void *opaque)
{
	struct reader_search *search = opaque;
	struct trace_reader *reader = &search->reader;

	if (!frame->depth)
		*reader = (struct trace_reader){ .library = TRACE_NONE };
	if (reader->library == TRACE_NONE)
		return visit_reader_frame(frame, opaque) && reader->library == TRACE_NONE;
	if (!reader->call) {
		reader->call = frame->call;
		return !frame->call;
	}
	reader->outer_call = frame->call;
	return true;
}

/* What is found where Python code cannot be recognized on the native stack of a thread: the
 * function that starts the thread, or main(). */
static bool is_c_library(uint32_t library)
{
	bool is;

	trace_lock();
	is = trace_memory_is_library(library, "libc");
	trace_unlock();
	return is;
}

struct trace_reader trace_reader_find(void)
{
	struct reader_search search = { .reader.library = TRACE_NONE };
	bool is_python;

	find_hasattr();
	search.own = library_at((const void *)trace_reader_find, &is_python);
	trace_stack_walk(visit_reader_and_calls, &search, true);
	if (search.reader.library == TRACE_NONE || is_c_library(search.reader.library))
		search.reader.library = trace_site_package();
	return search.reader;
}

uint32_t trace_reader_native(void)
{
	struct reader_search search = { .reader.library = TRACE_NONE };
	bool is_python;

	search.own = library_at((const void *)trace_reader_native, &is_python);
	trace_stack_walk(visit_reader_frame, &search, true);
	return search.reader.library;
}

uint32_t trace_reader_from(
	const char *first, struct trace_stack_frame *frames, int max_frames, int *n_frames)
{
	struct reader_search search = { .reader.library = TRACE_NONE };
	bool is_python;

	search.own = library_at((const void *)trace_reader_from, &is_python);
	*n_frames = trace_stack_frames(first, visit_reader_frame, &search, frames, max_frames);
	return search.reader.library;
}

static bool visit_library_frame(const struct trace_visited_frame *frame, void *opaque)
{
	struct reader_search *search = opaque;
	bool is_python;
	uint32_t library = library_at(frame->address, &is_python);

	if (library == TRACE_NONE || library == search->own)
		return false;
	if (!is_python)
		search->reader.library = library;
	return true;
}

uint32_t trace_reader_of_generated_code(void)
{
	struct reader_search search = { .reader.library = TRACE_NONE };
	bool is_python;

	search.own = library_at((const void *)trace_reader_find, &is_python);
	trace_stack_walk(visit_library_frame, &search, false);
	return search.reader.library;
}
