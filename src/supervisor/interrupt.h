// SPDX-License-Identifier: MIT
/*
 * ^C and its like while a session runs: SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGPIPE are noted, not
 * died of, so that workers end and files go first. Signals that were ignored stay ignored.
 */
#ifndef SUPERVISOR_INTERRUPT_H
#define SUPERVISOR_INTERRUPT_H

#include <stdbool.h>
#include <sys/types.h>

/* Between these two signals are noted; end restores the old handlers, also in a forked child. */
void interrupt_begin(void);
void interrupt_end(void);

/* The signal noted last; 0: none. */
int interrupt_signal(void);

/* How many were noted. */
int interrupt_count(void);

/* Whether the terminal sent it, to suai's process group; a worker has one of its own. */
bool interrupt_is_from_terminal(void);

/* ^Z stops suai and nothing of a session of its own: where on, the process group stops and goes on
 * with suai. 0: no group. */
void interrupt_stops(pid_t group, bool on);

/* For the end of main: dies of the signal noted, so that the caller of suai sees it. Returns where
 * there was none. */
void interrupt_die(void);

#endif
