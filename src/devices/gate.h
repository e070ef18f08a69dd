// SPDX-License-Identifier: MIT
/*
 * A gate: work on a queue or stream that goes on until the host opens it, so that what is behind it
 * stays undone for as long as a proof takes. A thread opens it where the host itself is held.
 */
#ifndef DEVICES_GATE_H
#define DEVICES_GATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct gate {
	volatile uint32_t *flag; /* 0: shut; memory that host and device see at once; kept */
	pthread_t watcher;
	pthread_mutex_t mutex;
	pthread_cond_t left;
	int after_ms;
	bool is_watched, has_left, was_opened;
};

/* How long a gate stays shut by itself, should nobody open it. */
enum { GATE_LIMIT_MS = 3000 };

/*
 * How long a call is watched behind a shut gate: one that has not come back by then was held by it.
 * Long for what an export takes by itself on a busy machine, and short of GATE_LIMIT_MS. Where a
 * question is asked in many rounds the first watch is shorter, and what it finds held is asked once
 * more, for longer.
 */
enum { GATE_HOLD_MS = 300, GATE_HOLD_FIRST_MS = 150, GATE_HOLD_AGAIN_MS = 600 };

void gate_open(struct gate *gate);

/*
 * Opens the gate after so long, unless gate_unwatch() comes first; to be called before what may be
 * held by the gate. -1: no thread could be made.
 */
int gate_watch(struct gate *gate, int after_ms);

/* Ends the watch; true: it had come to opening the gate, so what was watched was held by it. */
bool gate_unwatch(struct gate *gate);

#endif
