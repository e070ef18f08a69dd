// SPDX-License-Identifier: MIT
/*
 * A part of a job: one of its modules, carried out by a worker of its own, and after a loss by
 * another. Parts run side by side; what a part reports before its turn comes waits in an unnamed
 * file.
 */
#ifndef SUPERVISOR_SHARD_H
#define SUPERVISOR_SHARD_H

#include "supervisor/ledger.h"
#include "supervisor/session.h"
#include "supervisor/worker.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct part {
	const struct session *session;
	struct session receiving; /* what the ledger reports: to the session, or to the spool */
	struct ledger ledger;
	bool is_first; /* all parts before it are told: it tells directly */
	FILE *spool;   /* NULL: nothing waits */
	bool is_over;  /* no worker runs, and none is needed */

	/* The worker under watch. */
	struct worker worker;
	enum { PART_IDLE, PART_RUNNING, PART_ENDING, PART_ABORTING, PART_INTERRUPTED } phase;
	bool hello, done;
	bool hung;                  /* its time was up */
	bool cut;                   /* in a step that had little of it, after all was read */
	bool is_quiet;              /* nothing came for a while */
	char broken[256];           /* the channel was written over: how */
	struct channel_place place; /* where it was last */
	uint64_t done_bytes;        /* of its long copy */
	int64_t last_ms, phase_ms;  /* the latest look, and the time counted in this phase */
	/* The time limit: of an import, or of a target with the imports that lost workers made
	 * necessary for it. */
	int64_t spent_ms, step_ms; /* counted, and of it in the step under way */
	int32_t timed_target;      /* the latest target */
	bool half_time, no_time;   /* the worker was told that so much is used up */
};

/* Takes on the module of that index in the job; keeps session and job. Undo with part_close. */
void part_open(
	struct part *part, const struct session *session, const struct value *job, size_t index);
void part_close(struct part *part);

/* Starts the next worker, or is over where nothing is left to do. */
int part_start(struct part *part, const struct worker_options *options, struct err *err);

/*
 * Takes what its worker said, keeps its time limit, and where the worker ended starts the next.
 * Fails when a message's receiver does, and where no worker can be run at all.
 */
int part_look(struct part *part, const struct worker_options *options, struct err *err);

/* Its turn: tells what waited, and from now on directly. */
int part_tell(struct part *part, struct err *err);

#endif
