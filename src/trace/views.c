// SPDX-License-Identifier: MIT
#include "trace/views.h"

#include "trace/map.h"
#include "trace/memory.h"
#include "trace/objects.h"
#include "trace/tensors.h"

#include <stdatomic.h>
#include <stdlib.h>

/* How many of the newest views of the same memory are searched for the one that is released. */
enum { MAX_VIEWS_SEARCHED = 64 };

/* A tensor that is a view. A library may copy the struct and release the copy, so that views are
 * found by what they refer to, and the address of the struct decides between those only. */
struct traced_view {
	const struct trace_py_buffer *view;
	uint32_t next; /* older view of the same memory; TRACE_NONE: none */
};

static struct traced_view *traced_views; /* by index of the tensor */
static size_t n_traced_views;
static struct trace_map newest; /* by key */

/* How many keys of each hash are in the map. Read without the lock. */
static _Atomic uint32_t n_by_hash[256];
_Atomic uint32_t trace_n_view_keys;

static uint64_t view_key(const struct trace_py_buffer *view)
{
	const void *parts[] = { view->obj, view->buf };

	return trace_hash(parts, sizeof(parts));
}

/* Cheaper than the key, which it depends on. */
static _Atomic uint32_t *keys_like(const struct trace_py_buffer *view)
{
	uint64_t mixed = (uint64_t)(uintptr_t)view->obj ^ (uint64_t)(uintptr_t)view->buf << 1;

	return &n_by_hash[(mixed * UINT64_C(0x9e3779b97f4a7c15)) >> 56];
}

static void count_key(const struct trace_py_buffer *view, uint32_t n)
{
	*keys_like(view) += n;
	trace_n_view_keys += n;
}

static bool reserve_view(uint32_t tensor)
{
	size_t n_wanted = n_traced_views ? n_traced_views : 64;
	struct traced_view *grown;

	while (n_wanted <= tensor)
		n_wanted *= 2;
	if (n_wanted == n_traced_views)
		return true;
	grown = realloc(traced_views, n_wanted * sizeof(*grown));
	if (grown) {
		traced_views = grown;
		n_traced_views = n_wanted;
	}
	return grown != NULL;
}

void trace_view_acquired(
	const struct trace_py_buffer *view, uint32_t row, uint32_t event, uint32_t flags)
{
	uint64_t key = view_key(view), *first;
	uint32_t tensor = view->obj && view->len ? trace_memory_tensor() : TRACE_NONE;

	if (tensor == TRACE_NONE)
		return;
	first = trace_map_find(&newest, key);
	if (!reserve_view(tensor)) {
		trace_memory_free_tensor(tensor);
		return;
	}
	traced_views[tensor] = (struct traced_view){ view, first ? (uint32_t)*first : TRACE_NONE };
	if (!trace_map_set(&newest, key, tensor)) {
		trace_memory_free_tensor(tensor);
		return;
	}
	if (!first)
		count_key(view, 1);
	trace_memory.tensors[tensor] =
		(struct trace_tensor){ .address = (uint64_t)(uintptr_t)view->buf,
			.n_bytes = (uint64_t)view->len,
			.flags = TENSOR_USED | flags };
	trace_tensor_consumed(tensor, row, event);
}

/* Whether a library may have copied the struct of a view: otherwise it releases one that the
 * interpreter requested for it, of which nothing is recorded. */
static bool is_view_of_library(uint32_t tensor, uint32_t library)
{
	const uint32_t consumer = trace_memory.rows[trace_memory.tensors[tensor].row].consumer;

	return library == TRACE_NONE || consumer == TRACE_NONE || consumer == library;
}

void trace_view_released(const struct trace_py_buffer *view, const struct trace_py_buffer *address,
	const void *caller)
{
	uint64_t key = view_key(view), *first = trace_map_find(&newest, key);
	uint32_t found = TRACE_NONE, before = TRACE_NONE, previous = TRACE_NONE, library, i;

	if (!first)
		return;
	i = (uint32_t)*first;
	library = traced_views[i].view == address ? TRACE_NONE : trace_objects_library(caller);
	for (int n = 0; i != TRACE_NONE && n < MAX_VIEWS_SEARCHED; n++) {
		if (traced_views[i].view == address ||
			(found == TRACE_NONE && is_view_of_library(i, library))) {
			found = i;
			before = previous;
		}
		if (traced_views[i].view == address)
			break;
		previous = i;
		i = traced_views[i].next;
	}
	if (found == TRACE_NONE)
		return;
	if (before != TRACE_NONE)
		traced_views[before].next = traced_views[found].next;
	else if (traced_views[found].next != TRACE_NONE)
		*first = traced_views[found].next;
	else if (trace_map_remove(&newest, key, NULL))
		count_key(view, UINT32_MAX);
	trace_tensor_released(found);
}

bool trace_view_may_be_acquired(const struct trace_py_buffer *view)
{
	return *keys_like(view) != 0;
}

void trace_views_fork(void)
{
	for (size_t i = 0; i < sizeof(n_by_hash) / sizeof(n_by_hash[0]); i++)
		n_by_hash[i] = 0;
	trace_n_view_keys = 0;
	trace_map_clear(&newest);
}
