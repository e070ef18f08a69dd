// SPDX-License-Identifier: MIT
/*
 * ^C and its like while a session runs: SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGPIPE are noted, not
 * died of, so that workers end and files go first. Signals that were ignored stay ignored.
 */
#ifndef HOST_INTERRUPT_H
#define HOST_INTERRUPT_H

#include <stdbool.h>

/* Between these two signals are noted; end gives the old handlers back. */
void interrupt_begin(void);
void interrupt_end(void);

/* The signal noted last; 0: none. */
int interrupt_signal(void);

/* How many were noted. */
int interrupt_count(void);

/* Whether the terminal sent it, to the whole process group, so that the worker has it too. */
bool interrupt_is_from_terminal(void);

/* In a forked child: the handlers that suai was started with. */
void interrupt_reset_in_child(void);

/* For the end of main: dies of the signal noted, so that the caller of suai sees it. Returns where
 * there was none. */
void interrupt_die(void);

#endif
