// SPDX-License-Identifier: MIT
#include "worker/process/timers.h"

#include "base/read_file.h"
#include "base/text.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

static bool runs(int clock)
{
	struct itimerval timer;

	return !getitimer(clock, &timer) && (timer.it_value.tv_sec || timer.it_value.tv_usec);
}

/* The highest id of a timer of timer_create(); -1: there is none, or the kernel does not list them.
 * Deletes those above `kept` that send a signal; signal 32 is that of glibc's SIGEV_THREAD. Ids
 * are not reused before they wrap. */
static int delete_signal_timers(int kept)
{
	struct text text = { 0 };
	struct err ignored;
	const char *entry = NULL;
	int id, signal, highest = -1;

	if (!read_file("/proc/self/timers", &text, &ignored))
		entry = text.bytes;
	while (entry && sscanf(entry, "ID: %d signal: %d", &id, &signal) == 2) {
		const char *next = strstr(entry + 1, "\nID: ");
		const char *notified = strstr(entry, "notify: signal/");

		highest = id > highest ? id : highest;
		if (id > kept && signal != 32 && notified && (!next || notified < next))
			syscall(SYS_timer_delete, id);
		entry = next ? next + 1 : NULL;
	}
	text_free(&text);
	return highest;
}

struct process_timers process_timers(void)
{
	return (struct process_timers){ runs(ITIMER_REAL), runs(ITIMER_VIRTUAL), runs(ITIMER_PROF),
		delete_signal_timers(INT_MAX) };
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
	delete_signal_timers(kept.highest_id);
}
