// SPDX-License-Identifier: MIT
/*
 * A shard of a session: one of its modules, run by a worker, and by another one if that ends early.
 * Shards run in parallel; messages of a shard before its turn are kept in an unnamed file.
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
	struct message_receiver
		receiver; /* receives the ledger's messages, for the session or the spool */
	struct ledger ledger;
	bool has_turn; /* all shards before it are reported: it reports directly */
	FILE *spool;   /* NULL: nothing waits */
	bool is_over;  /* no worker runs, and none is needed */
	bool waits;    /* its worker could not be started */

	/* The current worker. */
	struct worker worker;
	enum { SHARD_IDLE, SHARD_RUNNING, SHARD_ENDING, SHARD_ABORTING, SHARD_INTERRUPTED } phase;
	bool hello, done;
	bool hung;          /* its time limit was reached */
	bool finalize_hung; /* after done, in MPI_Finalize */
	bool cut;           /* ended in a step that began late, after everything was read */
	bool is_quiet;      /* nothing arrived for a while */
	char broken[256];   /* why the channel is corrupt */
	struct worker_position position; /* the last one read */
	uint64_t done_bytes;             /* of its long copy */
	int64_t last_ms, phase_ms;       /* the last poll, and the time counted in this phase */
	/* The time limit of an import, or of a target including imports by workers that replace
	 * others. */
	int64_t spent_ms, step_ms; /* counted in total, and in the current step */
	double limit_ms;           /* the limit of spent_ms at the last poll */
	int32_t timed_target;      /* the latest target */
	bool half_time, no_time;   /* signalled to the worker */
};

/* Opens the module with that index; NULL: none. Keeps session, job and module. Undo with
 * shard_close. */
void shard_open(struct shard *shard, const struct session *session, const struct job *job,
	const struct job_module *module, size_t index);
void shard_close(struct shard *shard);

/* Starts the next worker; sets is_over if all is done. If it fails, the shard waits, and this may
 * be called again. */
int shard_start(struct shard *shard, const struct worker_options *options, struct err *err);

/*
 * Reads the worker's messages, enforces its time limit, and starts the next worker if it ended.
 * Fails if a message's receiver fails, or if no worker can be run.
 */
int shard_poll(struct shard *shard, const struct worker_options *options, struct err *err);

/* Starts its turn: reports the messages that waited, and later ones directly. */
int shard_report(struct shard *shard, struct err *err);

#endif
