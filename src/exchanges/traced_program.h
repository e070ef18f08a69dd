// SPDX-License-Identifier: MIT
/*
 * A program that is started with libsuai_trace.so preloaded. It is a child in the process group of
 * suai, with the same standard streams; suai waits for it and passes signals on.
 */
#ifndef EXCHANGES_TRACED_PROGRAM_H
#define EXCHANGES_TRACED_PROGRAM_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the traced processes are told. */
struct trace_choice {
	uint32_t layers; /* enum trace_layer of trace/record.h */
	uint64_t min_bytes;
	bool is_following;   /* processes that the program starts are traced, too */
	uint32_t max_events; /* to record of each process; 0: only sums */
};

/* The path of a program by name, as execvp() finds it (free with free). NULL with err set if it
 * does not exist, or if nothing can be preloaded into it. */
char *traced_program_find(const char *name, struct err *err);

/* How many processes can be traced: the limit on the size of files bounds the memory as well. */
uint32_t traced_program_max_processes(const struct trace_choice *choice);

/* Makes the memory behind a descriptor, which is empty and can be sealed, that of a process. */
int traced_program_share(int memory_fd, const struct trace_choice *choice, struct err *err);

/* Makes the shared memory; gives a descriptor. */
int traced_program_memory(const struct trace_choice *choice, struct err *err);

/* What is done five times a second while the program runs; zero: nothing. */
struct trace_watch {
	void (*look)(void *context);
	void *context;
};

/* Runs the program at path, and waits for it. *wait_status is that of waitpid(). */
int traced_program_run(const char *path, const char *const *arguments, size_t n_arguments,
	int memory_fd, const struct trace_watch *watch, int *wait_status, struct err *err);

/* Ends suai as the program was ended: by the same signal; returns its exit status otherwise. */
int traced_program_exit_status(int wait_status);
void traced_program_die(int wait_status);

#endif
