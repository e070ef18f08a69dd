// SPDX-License-Identifier: MIT
/*
 * Whether a signal that suai receives was sent to its whole process group, as timeout(1), a shell's
 * kill %1 and systemd do, so that the program has it already. A process of the group that blocks
 * all signals keeps what it receives pending, until suai asks it.
 */
#ifndef EXCHANGES_GROUP_WITNESS_H
#define EXCHANGES_GROUP_WITNESS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct group_witness {
	int fd; /* -1: there is none, so that every signal is one for suai alone */
	pid_t pid;
};

/* To be called while the signals are blocked. */
void group_witness_start(struct group_witness *witness);

void group_witness_end(struct group_witness *witness);

/* Async-signal-safe; to be called by a handler that blocks all signals. */
bool group_witness_saw(struct group_witness *witness, const siginfo_t *info);

#endif
