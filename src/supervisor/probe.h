// SPDX-License-Identifier: MIT
/* Queries the devices of a runtime in a child process without Python: the program suai-devices. */
#ifndef SUPERVISOR_PROBE_H
#define SUPERVISOR_PROBE_H

#include "base/error.h"
#include "facts/facts.h"

/* -1 with err set if there is no answer: EXIT_UNAVAILABLE and how the child ended. */
int probe_run(const char *runtime, double timeout_seconds, struct arena *arena,
	struct fact_device_list *answer, struct err *err);

#endif
