// SPDX-License-Identifier: MIT
/*
 * The one list of trials: experiments that can harm the process, or that require an object that was
 * not read before, each on one interface of one object. run/trials.c separates them. EACH(name in
 * C, name, the fact that requests it (model/job.h), enum trial_flags). Adding one: a line here, its
 * name in the descriptors of the protocols that have it, trial_x() in worker/, and the rules that
 * read its counts.
 */
#ifndef MODEL_TRIALS_H
#define MODEL_TRIALS_H

#include "model/job.h"

enum trial_flags {
	TRIAL_OF_STREAM = 1 << 0,         /* requires declared.stream */
	TRIAL_OF_EXCHANGE = 1 << 1,       /* requires details.exchange */
	TRIAL_WITHOUT_DRIVER = 1 << 2,    /* live, but suai itself calls no driver */
	TRIAL_OF_LAST_REFERENCE = 1 << 3, /* requires the object's only reference */
	TRIAL_OF_PENDING_WORK = 1 << 4,   /* observes work that the module started */
	TRIAL_OF_MISUSE = 1 << 5,        /* may damage the process of an object that conforms not */
	TRIAL_AT_EXIT = 1 << 6,          /* ends the interpreter */
	TRIAL_OF_DRIVER_MISUSE = 1 << 7, /* may crash a driver; the worker goes on without it */
};

#define TRIAL_LIST(EACH)                                                                         \
	/* reads many times: references, memory, differences */                                  \
	EACH(rounds, "rounds", FACT_LIFETIME, 0)                                                 \
	/* who frees, and how often */                                                           \
	EACH(deleter, "deleter", FACT_LIFETIME, TRIAL_OF_MISUSE)                                 \
	/* the deleter in a thread without the GIL */                                            \
	EACH(thread, "thread", FACT_LIFETIME, TRIAL_OF_MISUSE)                                   \
	/* the deleter once the interpreter has ended */                                         \
	EACH(exit, "exit", FACT_LIFETIME, TRIAL_AT_EXIT)                                         \
	/* the memory after the object was freed, while the export is held */                    \
	EACH(outlive, "outlive", FACT_LIFETIME, TRIAL_OF_LAST_REFERENCE)                         \
	/* the memory after the value read was freed, while the object is held */                \
	EACH(owner, "owner", FACT_LIFETIME, 0)                                                   \
	/* the stream of the interface after the value read was freed */                         \
	EACH(stream_lifetime, "held-stream", FACT_LIFETIME, TRIAL_OF_STREAM)                     \
	/* the elements before and after the pending work */                                     \
	EACH(pending_writes, "settled", FACT_LIVE, TRIAL_OF_PENDING_WORK)                        \
	/* which stream waits for which, and whether the host is blocked */                      \
	EACH(order, "order", FACT_LIVE, 0)                                                       \
	/* whether a copy is made on the consumer's stream */                                    \
	EACH(copy_stream, "copied", FACT_LIVE, 0)                                                \
	/* whether the consumer's stream is alive afterwards */                                  \
	EACH(stream, "stream", FACT_LIVE, 0)                                                     \
	/* a number that is not a stream */                                                      \
	EACH(odd_stream, "odd-stream", FACT_LIVE, TRIAL_WITHOUT_DRIVER | TRIAL_OF_DRIVER_MISUSE) \
	/* the C exchange API: its table read again, and a tensor exported and imported */       \
	EACH(exchange, "exchange", FACT_LIFETIME, TRIAL_OF_EXCHANGE | TRIAL_OF_MISUSE)

/*
 * Steps of trials that rules know (docs/facts.md, trials, step): which one was under way when the
 * worker was lost decides which rule reports it.
 */
#define TRIAL_STEP_START "the trial" /* until a trial announces another step */
#define TRIAL_STEP_DELETER "the deleter"
#define TRIAL_STEP_SECOND_DELETER "the deleter of a second export"
#define TRIAL_STEP_DROPPED "the destruction of a capsule that was not consumed"
#define TRIAL_STEP_USED "the destruction of a capsule that a consumer renamed"
#define TRIAL_STEP_USED_DELETER \
	"the deleter after the destruction of a capsule that a consumer renamed"
#define TRIAL_STEP_THREAD "the deleter in a thread without the GIL"
#define TRIAL_STEP_EXIT "the finalization of the interpreter"
#define TRIAL_STEP_EXIT_DELETER "the deleter after the finalization of the interpreter"
#define TRIAL_STEP_RELEASE "the release of the object"

/* Values of dl_tensor: the struct in a capsule that is named as one of the other kind. */
#define DLPACK_LEGACY_STRUCT "<DLManagedTensor>"
#define DLPACK_VERSIONED_STRUCT "<DLManagedTensorVersioned>"

/* The one step of all deleters of a newer major version that --calls obtains. */
#define CALLS_STEP_NEWER_DELETER "deleter of a newer major version"

#endif
