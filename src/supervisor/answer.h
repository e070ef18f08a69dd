// SPDX-License-Identifier: MIT
/* Reads the answer that a child process writes to a pipe; kills the process after a timeout. */
#ifndef SUPERVISOR_ANSWER_H
#define SUPERVISOR_ANSWER_H

#include "base/error.h"
#include "base/text.h"

enum { ANSWER_MAX_ARGUMENTS = 6 };

struct child_answer {
	bool in_time; /* the process ended before the timeout */
	int status;   /* of waitpid() */
	struct text text;
};

/*
 * Runs the program with `arguments`, which end with NULL, and as the last argument the number of
 * the descriptor that it writes to; its standard output goes to standard error. -1 with err set if
 * it cannot be started. Gives answer->text (free with text_free, also after a failure).
 */
int answer_read(const char *program, const char *const arguments[], double timeout_seconds,
	struct child_answer *answer, struct err *err);

/* Whether the process ended in time with status 0. */
bool answer_is_complete(const struct child_answer *answer);

#endif
