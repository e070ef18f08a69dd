// SPDX-License-Identifier: MIT
/*
 * Signals during a session: SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGPIPE are recorded, so that
 * workers end and files are removed before suai dies. Signals that were ignored stay ignored.
 */
#ifndef SUPERVISOR_INTERRUPT_H
#define SUPERVISOR_INTERRUPT_H

#include <stdbool.h>
#include <sys/types.h>

/* Signals are recorded between interrupt_begin() and interrupt_end(), which restores the earlier
 * handlers, also in a forked child. */
void interrupt_begin(void);
void interrupt_end(void);

/* The last signal; 0: none. */
int interrupt_signal(void);

/* The number of signals. */
int interrupt_count(void);

/* Whether the terminal sent the last signal. It reaches only suai's process group; workers have
 * groups of their own. */
bool interrupt_is_from_terminal(void);

/* ^Z stops suai's process group only. If on, the given group stops and continues with suai. 0: no
 * group. */
void interrupt_stops(pid_t group, bool on);

/* For the end of main: terminates by the recorded signal, so that the caller of suai sees it.
 * Returns if there was none. */
void interrupt_die(void);

#endif
