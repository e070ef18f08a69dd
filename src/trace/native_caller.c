// SPDX-License-Identifier: MIT
#include "trace/native_caller.h"

#include "trace/evaluation.h"
#include "trace/lock.h"
#include "trace/memory.h"
#include "trace/reader.h"

#include <stdlib.h>

/* None is freed: another thread may read it. */
enum { MAX_PATHS = 32, MAX_PATHS_CREATED = 4096 };

_Atomic(const struct trace_call_path *) trace_last_call_path;
static _Atomic(const struct trace_call_path *) paths[MAX_PATHS];
static unsigned int n_created;

/* With the lock. */
static void keep_path(const struct trace_call_path *found)
{
	struct trace_call_path *path = n_created < MAX_PATHS_CREATED ? malloc(sizeof(*path)) : NULL;

	if (!path)
		return;
	*path = *found;
	paths[n_created++ % MAX_PATHS] = path;
	trace_last_call_path = path;
}

static uint32_t unwind_native_caller(const char *first)
{
	struct trace_call_path path = { .n_frames = 0 };

	if (!trace_evaluation_is_known())
		return TRACE_NONE;
	path.library =
		first ? trace_reader_from(first, path.frames, TRACE_MAX_PATH_FRAMES, &path.n_frames)
		      : trace_reader_native();
	trace_lock();
	if (trace_memory_is_library(path.library, "numpy"))
		path.library = TRACE_NONE;
	if (path.n_frames)
		keep_path(&path);
	trace_unlock();
	return path.library;
}

uint32_t trace_native_caller_find(const char *first)
{
	for (int i = 0; first && i < MAX_PATHS; i++) {
		const struct trace_call_path *path = paths[i];

		if (path && trace_call_path_is(path, first)) {
			trace_last_call_path = path;
			return path->library;
		}
	}
	return unwind_native_caller(first);
}

void trace_native_callers_forget(void)
{
	for (int i = 0; i < MAX_PATHS; i++)
		paths[i] = NULL;
	trace_last_call_path = NULL;
}
