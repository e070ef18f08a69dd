// SPDX-License-Identifier: MIT
/* --fuzz: finds the simplest drawn tensors (consumers/draw.h) for which rules fail. */
#ifndef COMMANDS_FUZZ_H
#define COMMANDS_FUZZ_H

#include "rules/engine/run.h"
#include "run/run.h"
#include "targets/consumer_target.h"

/* The facts of a run are sent to the worker in one message. */
enum { MAX_FUZZ_CASES = 10000 };

struct fuzz_request {
	struct rule_selection *selection;
	struct consumer_words consumer; /* its cases are ignored */
	int64_t n_cases, seed;
};

/*
 * Passes n_cases drawn tensors to the consumer, prints on standard error how many of them each rule
 * failed for, and sets cases to the simplest of each rule, or to all of them if no rule failed.
 * Errors and warnings count. run is a template: its settings and its job. -1 with err set.
 */
int fuzz_find_cases(const struct run *run, const struct fuzz_request *request,
	struct option_list *cases, struct err *err);

#endif
