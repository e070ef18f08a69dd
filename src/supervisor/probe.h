// SPDX-License-Identifier: MIT
/* Asks a runtime for its devices in a child that holds no Python: the program suai-devices. */
#ifndef SUPERVISOR_PROBE_H
#define SUPERVISOR_PROBE_H

#include "base/error.h"
#include "facts/facts.h"

/* -1 with err set where there is no answer: EXIT_UNAVAILABLE and how the child ended. */
int probe_run(const char *runtime, double timeout_seconds, struct arena *arena,
	struct fact_device_list *answer, struct err *err);

#endif
