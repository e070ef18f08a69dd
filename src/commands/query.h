// SPDX-License-Identifier: MIT
/* `--query KEYS`: values of one array for shell scripts. */
#ifndef COMMANDS_QUERY_H
#define COMMANDS_QUERY_H

#include "base/error.h"
#include "model/value.h"

#include <stdio.h>

/* Whether each of keys means something: 0, or -1 with err set (EXIT_USAGE). */
int query_check(const char *keys, struct err *err);

/*
 * Prints one line for each of keys (separated by commas): keys of `array`, or dotted paths below it
 * such as memory.kind; items separated by spaces. The first of sycl, cuda, dlpack, numpy and buffer
 * that was described answers, unless protocol names one. Returns 0; EXIT_FINDINGS where a value is
 * missing (its line is empty); -1 with err set (EXIT_USAGE) where a key means nothing.
 */
int query_print(FILE *out, const struct value *document_target, const char *keys,
	const char *protocol, struct err *err);

#endif
