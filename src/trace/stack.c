// SPDX-License-Identifier: MIT
#include "trace/stack.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <unwind.h>

enum { MAX_NATIVE_FRAMES = 64 };

struct walk {
	bool (*visit)(const void *address, void *opaque);
	void *opaque;
	int n_frames;
};

/* Not linked: most programs need no unwinder. glibc's backtrace() loads the same library. */
static struct {
	_Unwind_Reason_Code (*walk_frames)(_Unwind_Trace_Fn visit, void *opaque);
	_Unwind_Ptr (*get_address)(struct _Unwind_Context *context);
} unwinder;
static pthread_once_t is_found = PTHREAD_ONCE_INIT;

static void find_unwinder(void)
{
	void *library = dlopen("libgcc_s.so.1", RTLD_NOW);
	void *walk_frames = library ? dlsym(library, "_Unwind_Backtrace") : NULL;
	void *get_address = library ? dlsym(library, "_Unwind_GetIP") : NULL;

	if (!walk_frames || !get_address)
		return;
	memcpy(&unwinder.get_address, &get_address, sizeof(get_address));
	memcpy(&unwinder.walk_frames, &walk_frames, sizeof(walk_frames));
}

static _Unwind_Reason_Code visit_frame(struct _Unwind_Context *context, void *opaque)
{
	struct walk *walk = opaque;
	const void *address = (const void *)unwinder.get_address(context);

	if (walk->visit(address, walk->opaque) || ++walk->n_frames == MAX_NATIVE_FRAMES)
		return _URC_NORMAL_STOP;
	return _URC_NO_REASON;
}

void trace_stack_walk(bool (*visit)(const void *address, void *opaque), void *opaque)
{
	struct walk walk = { visit, opaque, 0 };

	pthread_once(&is_found, find_unwinder);
	if (unwinder.walk_frames)
		unwinder.walk_frames(visit_frame, &walk);
}
