// SPDX-License-Identifier: MIT
/*
 * A gate: work on a queue or stream that does not complete until the host opens it, so that the
 * work behind it stays pending for the duration of a proof. A thread opens it if the host itself
 * is blocked.
 */
#ifndef DEVICES_GATE_H
#define DEVICES_GATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct gate {
	volatile uint32_t *flag; /* 0: closed; in memory that host and device share; borrowed */
	pthread_t watcher;
	pthread_mutex_t mutex;
	pthread_cond_t left;
	int after_ms;
	bool is_watched, has_left, was_opened;
	/* Work that is pending behind the gate, carried out once, before the gate opens, by the
	 * thread that opens it, without the GIL; NULL: none. */
	void (*complete)(void *context);
	void *context; /* of complete */
};

/* The time after which a gate opens by itself. */
enum { GATE_LIMIT_MS = 3000 };

/*
 * The time limits of a call behind a closed gate: a call that has not returned by then was
 * blocked by the gate. They exceed the duration of an export on a busy machine and are less than
 * GATE_LIMIT_MS. If a question is repeated in many rounds, the first limit is shorter, and a call
 * that exceeds it is repeated with the longer one.
 */
enum { GATE_HOLD_MS = 300, GATE_HOLD_FIRST_MS = 150, GATE_HOLD_AGAIN_MS = 600 };

/* Completes the pending work, and lets the device pass. */
void gate_open(struct gate *gate);

/*
 * Opens the gate after after_ms unless gate_unwatch() is called first; call it before anything
 * that the gate may block. -1: the thread could not be created.
 */
int gate_watch(struct gate *gate, int after_ms);

/* Ends the watch; true: the thread had to open the gate, so the watched call was blocked by it. */
bool gate_unwatch(struct gate *gate);

#endif
