// SPDX-License-Identifier: MIT
/* Names of signals. sigabbrev_np() requires glibc 2.32. */
#ifndef BASE_SIGNAL_NAME_H
#define BASE_SIGNAL_NAME_H

/* Precedes the name of the signal in the message of a process that it ended. */
#define KILLED_BY "killed by "

enum { SIGNAL_NAME_BYTES = 32 };

/* Writes "SIGSEGV", or "signal 42" for one without a name, into name; returns name. */
const char *signal_name(int number, char name[static SIGNAL_NAME_BYTES]);

#endif
