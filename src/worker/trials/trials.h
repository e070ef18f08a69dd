// SPDX-License-Identifier: MIT
/*
 * Trials: one question each that may crash, hang or corrupt the process, asked in a worker of its
 * own (model/trials.h, docs/facts.md). A trial fills counts; the rules check them.
 */
#ifndef WORKER_TRIALS_TRIALS_H
#define WORKER_TRIALS_TRIALS_H

#include "model/trials.h"
#include "worker/worker.h"

struct trial {
	struct capture_context *context;
	PyObject *object; /* taken: a trial that drops it sets it to NULL */
	const struct capture *capture;
	struct fact_trial *record;
	struct fact_counts *counts; /* of record */
};

/* Each trial of the list: trial_rounds() and so on. */
#define TRIAL_DECLARE(NAME, WORD, FACT, ABOUT) void trial_##NAME(struct trial *trial);
TRIAL_LIST(TRIAL_DECLARE)
#undef TRIAL_DECLARE

/*
 * Reports what the trial is about to do ("export 61"), with the counts so far: they are known if
 * the worker is lost there. The time limit of a target begins anew.
 */
void trial_step(struct trial *trial, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets why the trial cannot be carried out: outcome skipped, error.message. */
void trial_skip(struct trial *trial, const char *reason);

/* Makes the pending exception the outcome: raised, error. */
void trial_raised(struct trial *trial);

/* Carries out the trial of the job's module on object, which it takes, and fills record, which is
 * zero and stays until the process ends. */
void trial_run(struct capture_context *context, PyObject *object, struct fact_trial *record);

/* Whether the trial goes on when the interpreter ends: then the target is not sent yet. */
bool trial_waits_for_exit(void);

/* Keeps the target that trial_waits_for_exit() is about, and its arena, and sends it, and done, at
 * the interpreter's end. */
void trial_send_at_exit(const struct fact_target *target);

/*
 * gc.collect(), and as much allocated and overwritten as takes memory that was freed: by malloc, by
 * Python's allocator of small objects, and by NumPy's cache of small blocks. It stays allocated, so
 * that nothing marks it as free again: the trial's process ends soon.
 */
void trial_churn(void);

/*
 * Runs many rounds, each a step (DOING and its number), and fills how many, and the levels of
 * references and memory before and after them; of a further series of rounds where memory grew in
 * the one before. Rounds that are too slow to be many are not measured: the trial is skipped. A
 * round gives -1 with the exception pending where it fails, and so does this. What it takes of the
 * arena is not the object's leak.
 */
struct trial_rounds {
	int (*round)(struct trial *trial, struct arena *arena);
	const char *doing;         /* "export" */
	struct fact_int *n_rounds; /* of counts, as the levels are */
	struct fact_level *before, *after;
};
int trial_measure(struct trial *trial, const struct trial_rounds *rounds);

/* More references to the object than a trial can take away, so that one that loses some lives to be
 * measured; and their end, but for what is missing. */
void trial_add_references(PyObject *object);
void trial_drop_references(PyObject *object, int64_t before);

/* The interface as it is now; what was read is held until keepalive_release(). */
const struct fact_interface *trial_read_interface(struct trial *trial);

/* One export of the object as a consumer asks for it: versioned where it can be. A new reference,
 * or NULL with the exception pending. */
PyObject *trial_export(PyObject *object);

#endif
