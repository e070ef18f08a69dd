// SPDX-License-Identifier: MIT
#include "trace/stack.h"

#include "trace/evaluation.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

enum { MAX_NATIVE_FRAMES = 64, MAX_CHAIN_FRAMES = 16, N_CHAINS = 8 };

/* Frames that were visited up to the one that ended a walk. */
struct chain {
	struct trace_stack_frame frames[MAX_CHAIN_FRAMES]; /* places: from own_frame */
	int n_frames;
	bool is_until_python; /* the walk ends at Python code */
	bool is_evaluation;   /* it did */
};

struct walk {
	trace_visit_frame visit;
	void *opaque;
	const char *own_frame;
	const char *evaluation;   /* trace_evaluation_place(); NULL: the walk does not end there */
	const char *called_frame; /* of the function that the frame being visited called */
	struct chain chain;
	int n_frames;
	bool is_found;
	bool is_complete; /* the chain contains each frame that was visited */
};

/* Unwinding a frame takes 100 to 200 ns. The code at a return address decides how far its caller's
 * return address is, unless it uses alloca(): where the stack contains the return addresses of an
 * earlier walk at the same places, the frames are those of that walk. */
struct kept_chains {
	struct chain chains[N_CHAINS];
	unsigned int n_kept;
};

/* Allocated: a library that dlopen() loads gets a few hundred bytes of static thread-local storage
 * only, and suai.trace() loads this one so. */
static _Thread_local struct kept_chains *kept __attribute__((tls_model("initial-exec")));
static pthread_key_t key;
static bool has_key;

/* Not linked: most programs need no unwinder. glibc's backtrace() loads the same library. */
static struct {
	_Unwind_Reason_Code (*walk_frames)(_Unwind_Trace_Fn visit, void *opaque);
	_Unwind_Ptr (*get_address)(struct _Unwind_Context *context);
	_Unwind_Word (*get_stack)(struct _Unwind_Context *context);
	_Unwind_Word (*get_register)(struct _Unwind_Context *context, int number);
	void *(*find_function)(void *address);
} unwinder;
static pthread_once_t is_prepared = PTHREAD_ONCE_INIT;

static void find_unwinder(void)
{
	void *library = dlopen("libgcc_s.so.1", RTLD_NOW);
	void *walk_frames = library ? dlsym(library, "_Unwind_Backtrace") : NULL;
	void *get_address = library ? dlsym(library, "_Unwind_GetIP") : NULL;
	void *get_stack = library ? dlsym(library, "_Unwind_GetCFA") : NULL;
	void *get_register = library ? dlsym(library, "_Unwind_GetGR") : NULL;
	void *find_function = library ? dlsym(library, "_Unwind_FindEnclosingFunction") : NULL;

	if (!walk_frames || !get_address || !get_stack || !get_register || !find_function)
		return;
	memcpy(&unwinder.find_function, &find_function, sizeof(find_function));
	memcpy(&unwinder.get_register, &get_register, sizeof(get_register));
	memcpy(&unwinder.get_stack, &get_stack, sizeof(get_stack));
	memcpy(&unwinder.get_address, &get_address, sizeof(get_address));
	memcpy(&unwinder.walk_frames, &walk_frames, sizeof(walk_frames));
}

static void release_chains(void *chains)
{
	kept = NULL;
	free(chains);
}

static void prepare(void)
{
	find_unwinder();
	has_key = pthread_key_create(&key, release_chains) == 0;
}

/* Does nothing without memory: the next walk unwinds again. */
static void keep_chain(const struct chain *chain)
{
	if (!kept && has_key) {
		struct kept_chains *chains = calloc(1, sizeof(*chains));

		if (!chains || pthread_setspecific(key, chains) != 0) {
			free(chains);
			return;
		}
		kept = chains;
	}
	if (kept)
		kept->chains[kept->n_kept++ % N_CHAINS] = *chain;
}

/* Where the address is stored to which a function returns, in the frame that is visited. x86-64
 * pushes it right above the stack of the function; on AArch64, the function stores it after the
 * frame pointer. */
#if defined(__aarch64__)
enum { FRAME_POINTER_REGISTER = 29 };

static const char *find_return_address(const struct walk *walk, const char *stack)
{
	return walk->called_frame && walk->called_frame < stack
		       ? walk->called_frame + sizeof(void *)
		       : NULL;
}

static void set_called_frame(struct walk *walk, struct _Unwind_Context *context)
{
	walk->called_frame = (const char *)unwinder.get_register(context, FRAME_POINTER_REGISTER);
}
#else
static const char *find_return_address(const struct walk *walk, const char *stack)
{
	(void)walk;
	return stack - sizeof(void *);
}

static void set_called_frame(struct walk *walk, struct _Unwind_Context *context)
{
	(void)walk;
	(void)context;
}
#endif

/* What is stored may be signed, as by the pointer authentication of AArch64, which has the same
 * result for the same frame. */
static bool is_stored_address(const void *stored, const void *address)
{
	enum { ADDRESS_BITS = 48 };
	uintptr_t difference = (uintptr_t)stored ^ (uintptr_t)address;

	return !(difference & ((UINT64_C(1) << ADDRESS_BITS) - 1));
}

/* A call is where its return address is, as long as that is there. */
static uintptr_t identify_call(const char *place, const void *stored)
{
	return (uintptr_t)place ^ (uintptr_t)stored;
}

/* The chain is incomplete where a return address is elsewhere. Gives the call that the frame has
 * under way; 0: unknown. */
static uintptr_t add_to_chain(struct walk *walk, const void *address, const char *place)
{
	struct chain *chain = &walk->chain;
	const void *stored = NULL;

	if (place && place >= walk->own_frame)
		memcpy(&stored, place, sizeof(stored));
	if (chain->n_frames == MAX_CHAIN_FRAMES || !is_stored_address(stored, address)) {
		walk->is_complete = false;
		return 0;
	}
	chain->frames[chain->n_frames++] =
		(struct trace_stack_frame){ address, stored, place - walk->own_frame };
	return identify_call(place, stored);
}

static _Unwind_Reason_Code visit_frame(struct _Unwind_Context *context, void *opaque)
{
	struct walk *walk = opaque;
	const void *address = (const void *)unwinder.get_address(context);
	const char *stack = (const char *)unwinder.get_stack(context);
	const char *place = find_return_address(walk, stack);
	struct trace_visited_frame frame = { .address = address,
		.depth = walk->n_frames,
		.is_evaluation = walk->evaluation && stack > walk->evaluation };

	set_called_frame(walk, context);
	if (stack - sizeof(address) < walk->own_frame)
		return _URC_NO_REASON;
	if (walk->is_complete)
		frame.call = add_to_chain(walk, address, place);
	walk->chain.is_evaluation = frame.is_evaluation;
	walk->is_found = walk->visit(&frame, walk->opaque) || frame.is_evaluation;
	if (walk->is_found || ++walk->n_frames == MAX_NATIVE_FRAMES)
		return _URC_NORMAL_STOP;
	return _URC_NO_REASON;
}

/* Stops at the first difference: what is above it belongs to other frames. */
static bool is_on_stack(const struct chain *chain, const char *own_frame)
{
	for (int i = 0; i < chain->n_frames; i++)
		if (memcmp(own_frame + chain->frames[i].place, &chain->frames[i].stored,
			    sizeof(chain->frames[i].stored)) != 0)
			return false;
	return chain->n_frames > 0;
}

/* Whether the frames are those of an earlier walk, and one of them ends this one. */
static bool walk_again(const struct walk *walk)
{
	for (int i = 0; kept && i < N_CHAINS; i++) {
		const struct chain *chain = &kept->chains[i];

		if (chain->is_until_python != walk->chain.is_until_python ||
			!is_on_stack(chain, walk->own_frame))
			continue;
		for (int k = 0; k < chain->n_frames; k++) {
			const struct trace_stack_frame *kept_frame = &chain->frames[k];
			const struct trace_visited_frame frame = { kept_frame->address,
				identify_call(
					walk->own_frame + kept_frame->place, kept_frame->stored),
				k, chain->is_evaluation && k == chain->n_frames - 1 };

			if (walk->visit(&frame, walk->opaque) || frame.is_evaluation)
				return true;
		}
	}
	return false;
}

__attribute__((noinline)) void trace_stack_walk(
	trace_visit_frame visit, void *opaque, bool until_python)
{
	struct walk walk = { visit, opaque, __builtin_frame_address(0),
		until_python ? trace_evaluation_place() : NULL, .is_complete = true };

	walk.chain.is_until_python = walk.evaluation;
	if (walk_again(&walk))
		return;
	pthread_once(&is_prepared, prepare);
	if (!unwinder.walk_frames)
		return;
	unwinder.walk_frames(visit_frame, &walk);
	if (walk.is_found && walk.is_complete)
		keep_chain(&walk.chain);
}

const void *trace_stack_function(const void *address)
{
	pthread_once(&is_prepared, prepare);
	return unwinder.walk_frames ? unwinder.find_function((char *)address - 1) : NULL;
}

int trace_stack_frames(const char *first, trace_visit_frame visit, void *opaque,
	struct trace_stack_frame *frames, int max_frames)
{
	struct walk walk = { visit, opaque, first, trace_evaluation_place(), .is_complete = true };

	pthread_once(&is_prepared, prepare);
	if (unwinder.walk_frames)
		unwinder.walk_frames(visit_frame, &walk);
	if (!walk.is_found || !walk.is_complete || walk.chain.n_frames > max_frames)
		return 0;
	memcpy(frames, walk.chain.frames, (size_t)walk.chain.n_frames * sizeof(*frames));
	return walk.chain.n_frames;
}
