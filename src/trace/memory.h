// SPDX-License-Identifier: MIT
/* The traced process's view of the shared memory (trace/record.h). All functions except
 * trace_memory_open() are called with the lock of trace/lock.h. */
#ifndef TRACE_MEMORY_H
#define TRACE_MEMORY_H

#include "trace/hidden.h"
#include "trace/record.h"

#include <stdbool.h>
#include <stddef.h>

struct trace_memory {
	struct trace_segment *segment; /* NULL: not open */
	struct trace_library *libraries;
	struct trace_site *sites;
	struct trace_row *rows;
	char *strings;
	struct trace_tensor *tensors;
	struct trace_event *events;
	uint32_t max_events; /* 0: events are not recorded */
	uint64_t min_bytes;
	uint32_t layers;
	bool is_following;
};

extern TRACE_HIDDEN struct trace_memory trace_memory;

/* Maps a segment of the memory at path. False: it is not suai's, or all segments are in use. */
bool trace_memory_open(const char *path);

/* Maps a new segment for a forked child, with the texts, libraries and sites of its parent, whose
 * indices stay valid. False: no segment is left; the memory is that of the parent. */
bool trace_memory_fork(void);

/* Without --follow, before this process executes another program: leaves the memory to that if
 * nothing was exchanged, and counts it as a process that is not traced until it uses the memory.
 * False: this process keeps the memory, as in a child of fork() or vfork(). Without the lock, as
 * the next. */
bool trace_memory_leave(void);

/* The program could not be executed. */
void trace_memory_return(void);

/* Adds to the number of processes that run Python, or of those that cannot open the memory. Safe in
 * the child of vfork(). */
void trace_memory_count(int n_processes);
void trace_memory_count_unreachable(int n_processes);

/* The offset of a text in the strings, which is added if it is new; 0 (the empty text) if there is
 * no space. */
uint32_t trace_string(const char *bytes, size_t n_bytes);

/* The indices of a library, a site and a row, which are added if they are new; TRACE_NONE if there
 * is no space. */
uint32_t trace_memory_library(const char *name, const char *path);
bool trace_memory_is_library(uint32_t library, const char *name); /* false for TRACE_NONE */
uint32_t trace_memory_site(uint32_t file, uint32_t function, int32_t line, bool is_library);
uint32_t trace_memory_row(
	enum trace_kind kind, uint32_t producer, uint32_t consumer, uint32_t site);

/* An unused tensor; TRACE_NONE if there is no space. */
uint32_t trace_memory_tensor(void);
void trace_memory_free_tensor(uint32_t i);

uint64_t trace_now_ns(void);

#endif
