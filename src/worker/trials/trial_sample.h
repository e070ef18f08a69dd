// SPDX-License-Identifier: MIT
/* A snapshot of some of an array's bytes, for trials that check whether they change. */
#ifndef WORKER_TRIALS_TRIAL_SAMPLE_H
#define WORKER_TRIALS_TRIAL_SAMPLE_H

#include "worker/trials/trials.h"

enum { SAMPLE_MAX_BYTES = 1 << 16 };

struct sample {
	uint64_t low; /* the address of the first */
	size_t n_bytes;
	struct device_session *session; /* reads them if the host cannot; NULL: none; kept */
	unsigned char bytes[SAMPLE_MAX_BYTES];
};

#define SAMPLE_UNREADABLE "the host cannot read the memory"

/* Chooses the bytes: the lowest of the interface's extent. False, with the outcome of the trial
 * set, if there are none, or the interface cannot be described. */
bool sample_find(struct trial *trial, struct fact_interface *interface, struct sample *sample);

/* Reads the bytes; false if neither the host nor the session can. */
bool sample_read(struct sample *sample);

/* Both; false, with the outcome of the trial set, if one of them fails. */
bool sample_take(struct trial *trial, struct fact_interface *interface, struct sample *sample);

/* How many of them have changed; -1 if they can no longer be read. */
int64_t sample_count_changed(const struct sample *sample);

#endif
