// SPDX-License-Identifier: MIT
/* Steps, drafts and messages of the job under way: written to the channel by report.c. */
#ifndef WORKER_PROCESS_STEP_H
#define WORKER_PROCESS_STEP_H

#include "facts/facts.h"
#include "facts/message.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Announces a risky step ("evaluate", "__dlpack__()") before it is taken, so that the judge can
 * name it after a crash or a hang. False: the job skips it, because it crashed an earlier
 * worker, or ^C ended the capture in this process.
 */
bool worker_step(const char *step);

/* How this step of this target terminated an earlier worker ("crashed: killed by SIGSEGV"), if the
 * job skips it; otherwise NULL. */
const char *worker_loss(const char *step);

/* False: the target's time limit is used up, and the remaining steps are omitted. */
bool worker_has_time(void);

/* False: half of that limit is used up, and nothing is read a second time. */
bool worker_has_half_time(void);

/* Every interface of the target was read and is in its drafts: the judge may stop the steps that
 * follow. */
void worker_all_read(void);

/* Ends the step: suai's own code runs. */
void worker_step_done(void);

/* Reports the progress of a long copy; total 0: it is over. Restarts the target's time limit, since
 * a copy that proceeds does not hang. Does not require the GIL. */
void worker_work(uint64_t done_bytes, uint64_t total_bytes);

/* Sends one message; a no-op in a process that the user's code forked. */
void worker_send(const struct message *message);

/* Sends a target. If its facts exceed the limit of a message, the message reports that instead. */
void worker_send_target(const struct fact_target *target);

/* Records a part of the target's message, which the judge uses only if this worker is lost
 * (docs/facts.md, drafts). */
void worker_draft(const struct fact_draft *draft);

/* Sets the target to which the next steps belong; -1: the import of the module. */
void worker_at(int target);

#endif
