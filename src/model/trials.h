// SPDX-License-Identifier: MIT
/*
 * The one list of trials: experiments that can harm the process, or that require an object that was
 * not read before, so each runs in a separate worker, on one interface of one object. EACH(name in
 * C, name, the fact that requests it (model/job.h), path of the interface to its subject, or NULL).
 * Live trials of DLPack require a CUDA device; odd-stream, which calls no driver itself, runs on
 * ROCm too. Adding one: a line here, its name in the descriptors of the protocols that have it,
 * trial_x() in worker/, and the rules that read its counts.
 */
#ifndef MODEL_TRIALS_H
#define MODEL_TRIALS_H

#include "model/job.h"

#define TRIAL_LIST(EACH)                                                                   \
	/* reads many times: references, memory, differences */                            \
	EACH(rounds, "rounds", FACT_LIFETIME, NULL)                                        \
	/* who frees, and how often */                                                     \
	EACH(deleter, "deleter", FACT_LIFETIME, NULL)                                      \
	/* the deleter in a thread without the GIL */                                      \
	EACH(thread, "thread", FACT_LIFETIME, NULL)                                        \
	/* the deleter once the interpreter has ended */                                   \
	EACH(exit, "exit", FACT_LIFETIME, NULL)                                            \
	/* the memory after the object was freed, while the export is held */              \
	EACH(outlive, "outlive", FACT_LIFETIME, NULL)                                      \
	/* the memory after the value read was freed, while the object is held */          \
	EACH(owner, "owner", FACT_LIFETIME, NULL)                                          \
	/* the stream of the interface after the value read was freed */                   \
	EACH(stream_lifetime, "held-stream", FACT_LIFETIME, "declared.stream")             \
	/* the elements before and after the pending work */                               \
	EACH(pending_writes, "settled", FACT_LIVE, NULL)                                   \
	/* which stream waits for which, and whether the host is blocked */                \
	EACH(order, "order", FACT_LIVE, NULL)                                              \
	/* whether a copy is made on the consumer's stream */                              \
	EACH(copy_stream, "copied", FACT_LIVE, NULL)                                       \
	/* whether the consumer's stream is alive afterwards */                            \
	EACH(stream, "stream", FACT_LIVE, NULL)                                            \
	/* a number that is not a stream */                                                \
	EACH(odd_stream, "odd-stream", FACT_LIVE, NULL)                                    \
	/* the C exchange API: its table read again, and a tensor exported and imported */ \
	EACH(exchange, "exchange", FACT_LIFETIME, "details.exchange")

/*
 * Steps of trials that rules know (docs/facts.md, trials, step): which one was under way when the
 * worker was lost decides which rule reports it.
 */
#define TRIAL_STEP_DELETER "the deleter"
#define TRIAL_STEP_SECOND_DELETER "the deleter of a second export"
#define TRIAL_STEP_DROPPED "the end of a capsule that was not consumed"
#define TRIAL_STEP_USED "the end of a capsule that a consumer renamed"
#define TRIAL_STEP_USED_DELETER "the deleter after the end of a capsule that a consumer renamed"
#define TRIAL_STEP_THREAD "the deleter in a thread without the GIL"
#define TRIAL_STEP_EXIT "the interpreter's end"
#define TRIAL_STEP_EXIT_DELETER "the deleter after the interpreter's end"
#define TRIAL_STEP_RELEASE "the release of the object"

#endif
