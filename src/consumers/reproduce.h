// SPDX-License-Identifier: MIT
/* Plain Python that passes the tensor of a case to a consumer, without suai. */
#ifndef CONSUMERS_REPRODUCE_H
#define CONSUMERS_REPRODUCE_H

#include "base/arena.h"
#include "consumers/cases.h"
#include "model/job.h"

/* The source of the consumer's names; all NULL: modules that the expression names. */
struct reproduce_names {
	const char *file;     /* FILE.py */
	const char *function; /* in the file: an expression over its names */
	const char *code;     /* of -c */
	const char *imports;  /* lines of Python, for names that the code does not define */
};

/* The script of a row that the protocol can express, which requires NumPy. It exits with 0 if the
 * consumer does what a conforming one does, where that can be observed in Python; it does not count
 * the calls of the deleter. */
const char *reproduce_script(struct arena *arena, const struct consumer_case *row,
	const struct tensor_interface *interface, const struct job_call *call,
	const struct reproduce_names *names);

#endif
