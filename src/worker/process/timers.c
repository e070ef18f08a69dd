// SPDX-License-Identifier: MIT
#include "worker/process/timers.h"

#include <stddef.h>
#include <sys/time.h>

static bool runs(int clock)
{
	struct itimerval timer;

	return !getitimer(clock, &timer) && (timer.it_value.tv_sec || timer.it_value.tv_usec);
}

struct process_timers process_timers(void)
{
	return (struct process_timers){ runs(ITIMER_REAL), runs(ITIMER_VIRTUAL),
		runs(ITIMER_PROF) };
}

static void stop(int clock)
{
	static const struct itimerval stopped;

	if (runs(clock))
		setitimer(clock, &stopped, NULL);
}

void process_stop_other_timers(struct process_timers kept)
{
	if (!kept.real)
		stop(ITIMER_REAL);
	if (!kept.virtual_time)
		stop(ITIMER_VIRTUAL);
	if (!kept.profiling)
		stop(ITIMER_PROF);
}
