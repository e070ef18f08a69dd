// SPDX-License-Identifier: MIT
#include "trace/call_site.h"

#include "trace/evaluation.h"
#include "trace/lock.h"
#include "trace/numpy_api.h"
#include "trace/python.h"

#include <stdlib.h>

enum { MAX_FRAME_WORDS = 128, MAX_SITES_OF_HASH = 8 };

/* In a frame of CPython 3.11, the code is three fields after the global variables; later, three
 * fields before them. */
enum { CODE_FROM_GLOBALS = 3 };

static const struct trace_call_site no_site;

#define NONE_4 &no_site, &no_site, &no_site, &no_site
#define NONE_16 NONE_4, NONE_4, NONE_4, NONE_4

_Atomic(const struct trace_call_site *) trace_call_sites[TRACE_N_CALL_SITES] = { NONE_16, NONE_16,
	NONE_16, NONE_16 };

/* All that were noted, of which trace_call_sites has the last one of each hash. */
static struct {
	const struct trace_call_site *sites[MAX_SITES_OF_HASH];
	int n_sites;
} noted[TRACE_N_CALL_SITES];

/* The code that runs, which its frame keeps; NULL: unknown. */
static const void *running_code(void)
{
	void *frame = trace_python.eval_get_frame();
	void *code = frame ? trace_python.frame_get_code(frame) : NULL;

	trace_python.dec_ref(code);
	return code;
}

/* Where the frame whose stack contains arguments has the code that runs; NULL: not in the page of
 * the arguments, which may be the first one of the stack. The local variables of a module are its
 * global ones, so that they are found first. */
static const void *const *find_frame_code(void *const *arguments)
{
	const void *const *const first =
		(const void *const *)((uintptr_t)arguments & -(uintptr_t)TRACE_PAGE_BYTES);
	const void *const globals = trace_python.eval_get_globals(), *code = NULL;
	const void *const *at = (const void *const *)arguments - CODE_FROM_GLOBALS - 1;

	for (int n = 0; at - first >= CODE_FROM_GLOBALS && n < MAX_FRAME_WORDS; n++, at--) {
		if (*at != globals)
			continue;
		if (!code)
			code = running_code();
		if (at[CODE_FROM_GLOBALS] == code)
			return at + CODE_FROM_GLOBALS;
		if (at[-CODE_FROM_GLOBALS] == code)
			return at - CODE_FROM_GLOBALS;
	}
	return NULL;
}

static const struct trace_call_site *find_noted(
	size_t hash, const void *arguments, const void *const *frame_code)
{
	for (int i = 0; i < noted[hash].n_sites; i++) {
		const struct trace_call_site *site = noted[hash].sites[i];

		if (site->arguments == arguments && site->frame_code == frame_code &&
			site->code == *frame_code && *site->referent == site->code)
			return site;
	}
	return NULL;
}

/* Keeps the weak reference; NULL: not possible. Clears errors. */
static const struct trace_call_site *create_site(
	const void *arguments, const void *const *frame_code)
{
	struct trace_call_site *site = malloc(sizeof(*site));
	const void *reference =
		site ? trace_python.new_weak_reference((void *)*frame_code, NULL) : NULL;

	if (!reference) {
		free(site);
		if (trace_python.err_occurred())
			trace_python.err_clear();
		return NULL;
	}
	*site = (struct trace_call_site){ arguments, frame_code, *frame_code,
		trace_weak_field(reference) };
	return site;
}

/* A weak reference of another interpreter may be freed with that. Without a GIL, the stack of
 * Python code has other values than the arguments of functions. */
__attribute__((cold)) void trace_call_site_note(void *const *arguments)
{
	const size_t hash = trace_call_site_hash(arguments);
	const void *const *frame_code;
	const struct trace_call_site *site;

	if (trace_head_bytes != GIL_HEAD_BYTES || noted[hash].n_sites == MAX_SITES_OF_HASH ||
		!trace_is_main_interpreter())
		return;
	frame_code = find_frame_code(arguments);
	site = frame_code ? find_noted(hash, arguments, frame_code) : NULL;
	if (frame_code && !site) {
		site = create_site(arguments, frame_code);
		if (site)
			noted[hash].sites[noted[hash].n_sites++] = site;
	}
	if (site)
		trace_call_sites[hash] = site;
}

/* --- from CPython 3.14 on --- */

/* The flags of what a frame refers to, in the lowest bits of the address. */
enum { FRAME_REFERENCE_FLAGS = 3 };

static const struct trace_frame_site no_frame_site;

#define NO_FRAME_4 &no_frame_site, &no_frame_site, &no_frame_site, &no_frame_site
#define NO_FRAME_16 NO_FRAME_4, NO_FRAME_4, NO_FRAME_4, NO_FRAME_4

_Atomic(const struct trace_frame_site *) trace_frame_sites[TRACE_N_CALL_SITES] = { NO_FRAME_16,
	NO_FRAME_16, NO_FRAME_16, NO_FRAME_16 };
_Thread_local const char *const *trace_running_frame __attribute__((tls_model("initial-exec")));
size_t trace_frame_code_offset;

static struct {
	const struct trace_frame_site *sites[MAX_SITES_OF_HASH];
	int n_sites;
} noted_frames[TRACE_N_CALL_SITES];

/* The frame of a path whose call is the i-th one of a site. */
static const struct trace_stack_frame *site_frame(const struct trace_call_path *path, int i)
{
	return &path->frames[i < path->n_frames ? i : path->n_frames - 1];
}

static bool is_path_of(const struct trace_frame_site *site, const struct trace_call_path *path)
{
	for (int i = 0; i < TRACE_N_SITE_CALLS; i++)
		if (site->calls[i].place != site_frame(path, i)->place ||
			site->calls[i].stored != site_frame(path, i)->stored)
			return false;
	return true;
}

static const struct trace_frame_site *find_noted_frame(
	size_t hash, const void *frame_code, const struct trace_call_path *path)
{
	for (int i = 0; i < noted_frames[hash].n_sites; i++) {
		const struct trace_frame_site *site = noted_frames[hash].sites[i];

		if (site->frame_code == frame_code && *site->referent == site->code &&
			is_path_of(site, path))
			return site;
	}
	return NULL;
}

static const struct trace_frame_site *create_frame_site(
	const void *frame_code, const void *code, const struct trace_call_path *path)
{
	struct trace_frame_site *site = malloc(sizeof(*site));
	const void *reference = site ? trace_python.new_weak_reference((void *)code, NULL) : NULL;

	if (!reference) {
		free(site);
		if (trace_python.err_occurred())
			trace_python.err_clear();
		return NULL;
	}
	*site = (struct trace_frame_site){ frame_code, code, trace_weak_field(reference),
		{ { 0 } } };
	for (int i = 0; i < TRACE_N_SITE_CALLS; i++) {
		site->calls[i].place = site_frame(path, i)->place;
		site->calls[i].stored = site_frame(path, i)->stored;
	}
	return site;
}

/* The calls from Python code to a function with a frame; NULL: other code calls, or unknown. */
static const struct trace_call_path *find_python_path(const void *frame)
{
	const char *const first = trace_return_place(frame);
	const struct trace_call_path *path;

	if (!first || trace_native_caller(frame) != TRACE_NONE)
		return NULL;
	path = trace_last_call_path;
	return path && path->library == TRACE_NONE && path->n_frames &&
			       path->n_frames <= TRACE_N_SITE_CALLS &&
			       trace_call_path_is(path, first)
		       ? path
		       : NULL;
}

__attribute__((cold)) void trace_frame_site_note(const void *frame)
{
	const char *const *running = trace_head_bytes == GIL_HEAD_BYTES
					     ? trace_evaluation_frame(&trace_frame_code_offset)
					     : NULL;
	const struct trace_call_path *path = running && *running ? find_python_path(frame) : NULL;
	const struct trace_frame_site *site;
	const void *frame_code, *code;
	size_t hash;

	if (!path)
		return;
	memcpy(&frame_code, *running + trace_frame_code_offset, sizeof(frame_code));
	code = running_code();
	hash = trace_frame_site_hash(frame_code, path->frames[0].stored);
	if (!code || (const char *)frame_code - (const char *)code > FRAME_REFERENCE_FLAGS ||
		(uintptr_t)frame_code < (uintptr_t)code)
		return;
	site = find_noted_frame(hash, frame_code, path);
	if (!site && noted_frames[hash].n_sites < MAX_SITES_OF_HASH) {
		site = create_frame_site(frame_code, code, path);
		if (site)
			noted_frames[hash].sites[noted_frames[hash].n_sites++] = site;
	}
	if (!site)
		return;
	trace_running_frame = running;
	trace_frame_sites[hash] = site;
}
