// SPDX-License-Identifier: MIT
/* Some of an array's bytes as they are at one moment, for trials that check whether they change. */
#ifndef WORKER_TRIALS_TRIAL_SAMPLE_H
#define WORKER_TRIALS_TRIAL_SAMPLE_H

#include "worker/trials/trials.h"

enum { SAMPLE_MAX_BYTES = 1 << 16 };

struct sample {
	uint64_t low; /* the address of the first */
	size_t n_bytes;
	struct device_session
		*session; /* reads them where the host cannot; NULL: none does; kept */
	unsigned char bytes[SAMPLE_MAX_BYTES];
};

#define SAMPLE_UNREADABLE "the host cannot read the memory"

/* Which bytes: the lowest of the interface's extent. False, with the outcome of the trial set,
 * where there are none, or it cannot be described. */
bool sample_find(
	struct trial *trial, const struct fact_interface *interface, struct sample *sample);

/* The bytes as they are now; false where neither the host nor the session can read them. */
bool sample_read(struct sample *sample);

/* Both; false, with the outcome of the trial set, where one of them fails. */
bool sample_take(
	struct trial *trial, const struct fact_interface *interface, struct sample *sample);

/* How many of them are others by now; -1 where they can no longer be read. */
int64_t sample_count_changed(const struct sample *sample);

#endif
