// SPDX-License-Identifier: MIT
/*
 * A shard of a job: one of its modules, carried out by a worker of its own, and by another where
 * that ends early. Shards run side by side; what a shard reports before its turn comes waits in an
 * unnamed file.
 */
#ifndef SUPERVISOR_SHARD_H
#define SUPERVISOR_SHARD_H

#include "supervisor/ledger.h"
#include "supervisor/session.h"
#include "supervisor/worker.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct shard {
	const struct session *session;
	struct session receiving; /* what the ledger reports: to the session, or to the spool */
	struct ledger ledger;
	bool has_turn; /* all shards before it are reported: it reports directly */
	FILE *spool;   /* NULL: nothing waits */
	bool is_over;  /* no worker runs, and none is needed */

	/* The worker under watch. */
	struct worker worker;
	enum { SHARD_IDLE, SHARD_RUNNING, SHARD_ENDING, SHARD_ABORTING, SHARD_INTERRUPTED } phase;
	bool hello, done;
	bool hung;                       /* its time was up */
	bool cut;                        /* in a step that had little of it, after all was read */
	bool is_quiet;                   /* nothing came for a while */
	char broken[256];                /* how the channel is corrupt */
	struct worker_position position; /* where it was last */
	uint64_t done_bytes;             /* of its long copy */
	int64_t last_ms, phase_ms;       /* the latest look, and the time counted in this phase */
	/* The time limit: of an import, or of a target with the imports that early ends made
	 * necessary for it. */
	int64_t spent_ms, step_ms; /* counted, and of it in the step under way */
	int32_t timed_target;      /* the latest target */
	bool half_time, no_time;   /* the worker was told that so much is used up */
};

/* Takes on the module of that index; NULL: there is none. Keeps session, job and module. Undo with
 * shard_close. */
void shard_open(struct shard *shard, const struct session *session, const struct job *job,
	const struct job_module *module, size_t index);
void shard_close(struct shard *shard);

/* Starts the next worker, or is over where nothing is left to do. */
int shard_start(struct shard *shard, const struct worker_options *options, struct err *err);

/*
 * Takes what its worker said, keeps its time limit, and where the worker ended starts the next.
 * Fails when a message's receiver does, and where no worker can be run at all.
 */
int shard_poll(struct shard *shard, const struct worker_options *options, struct err *err);

/* Its turn: reports what waited, and from now on directly. */
int shard_report(struct shard *shard, struct err *err);

#endif
