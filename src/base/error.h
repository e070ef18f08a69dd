// SPDX-License-Identifier: MIT
/*
 * Errors and exit codes. A function that can fail takes a caller-owned
 * `struct err *` last and returns 0, or -1 with the error set.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

/* The exit status of the process, as suai(1) documents it. */
enum exit_code {
	EXIT_DONE = 0,     /* done; no finding that fails */
	EXIT_FINDINGS = 1, /* findings that fail, or --verify found a difference */
	EXIT_USAGE = 2, /* wrong usage, invalid configuration, no such file or name, cannot write */
	EXIT_TARGET = 3, /* the target's code raised, crashed, hung or exited; or what convert was
			  * asked for cannot be carried out */
	EXIT_UNAVAILABLE = 4, /* this machine lacks what was requested */
	EXIT_BUG = 70,        /* a bug in suai, or out of memory */
};

struct err {
	enum exit_code code;
	char message[1024]; /* lower case, no full stop, what failed first */
};

/* Sets code and message. Returns -1, so that `return err_set(...)` is one line. */
int err_set(struct err *err, enum exit_code code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts "context: " in front of the message; the code stays. Returns -1. */
int err_wrap(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What a message ends with if it suggests a word. */
#define ERR_SUGGESTION " (did you mean '%s'?)"

/* Appends the suggestion `near` to the message or, if that is NULL, the formatted text; format
 * NULL: nothing. Returns -1. */
int err_suggest(struct err *err, const char *near, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The worse of two codes by the order 70, 2, 3, 4, 1, 0. */
enum exit_code exit_code_worse(enum exit_code a, enum exit_code b);

#endif
