// SPDX-License-Identifier: MIT
/* Asks a runtime for its devices in a child that holds no Python: the program suai-devices. */
#ifndef SUPERVISOR_PROBE_H
#define SUPERVISOR_PROBE_H

#include "base/error.h"
#include "model/value.h"

/*
 * Gives the child's message (docs/facts.md, kind devices). NULL with err set where there is none:
 * EXIT_UNAVAILABLE and what became of the child.
 */
struct value *probe_run(
	const char *runtime, double timeout_seconds, struct arena *arena, struct err *err);

#endif
