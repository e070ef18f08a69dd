// SPDX-License-Identifier: MIT
/* The outcome of a target that no worker could report, and the messages for it. */
#ifndef SUPERVISOR_OUTCOME_H
#define SUPERVISOR_OUTCOME_H

#include "model/value.h"

/* {status, step, error: {type, message, traceback}}; an empty step is null. */
struct value *outcome_new(
	struct arena *arena, const char *status, const char *step, const char *message);

/* Replaces status, step and error of a message; its hint goes behind the error's message. */
void outcome_apply(struct arena *arena, struct value *message, const struct value *outcome);

/* A message of docs/facts.md with nothing but the outcome; outcome may be a message itself. */
struct value *outcome_of_target(struct arena *arena, size_t module, size_t target,
	struct value *name, const struct value *outcome);
struct value *outcome_of_module(struct arena *arena, size_t module, const struct value *outcome);

#endif
