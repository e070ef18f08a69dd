// SPDX-License-Identifier: MIT
/* Timers that one target sets, whose signals would end the process in a step of another. */
#ifndef WORKER_PROCESS_TIMERS_H
#define WORKER_PROCESS_TIMERS_H

#include <stdbool.h>

struct process_timers {
	bool real, virtual_time, profiling;
	int highest_id; /* of a timer of timer_create(); -1: none */
};

/* The timers that are set now. */
struct process_timers process_timers(void);

/* Stops all timers but these. */
void process_stop_other_timers(struct process_timers kept);

#endif
