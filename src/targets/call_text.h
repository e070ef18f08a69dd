// SPDX-License-Identifier: MIT
/* --call and --consumer: module:function, FILE.py:function, or an expression with _. */
#ifndef TARGETS_CALL_TEXT_H
#define TARGETS_CALL_TEXT_H

#include "base/error.h"
#include "model/job.h"

/* Fills call, which keeps text; text NULL: not given. EXIT_USAGE, naming the option, if it is
 * none of them, or there is no such file. Invalid Python is reported by the worker, which has the
 * interpreter. */
int call_text_parse(struct arena *arena, const char *option, const char *text,
	struct job_call *call, struct err *err);

#endif
