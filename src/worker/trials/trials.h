// SPDX-License-Identifier: MIT
/*
 * Trials: experiments that may crash, hang or corrupt the process, each in a separate worker
 * (model/trials.h, docs/facts.md). A trial fills counts; the rules check them.
 */
#ifndef WORKER_TRIALS_TRIALS_H
#define WORKER_TRIALS_TRIALS_H

#include "model/trials.h"
#include "worker/capture/capture.h"

struct trial {
	struct capture_context *context;
	PyObject *object; /* taken: a trial that drops it sets it to NULL */
	const struct capture *capture;
	struct fact_trial *record;
	struct fact_counts *counts; /* of record */
	int64_t end_ms;             /* of the time of its object; INT64_MAX: no limit */
	bool waits_for_exit;        /* it goes on there */
	bool is_excluded;           /* skipped because of what the object is */
};

/* Each trial of the list: trial_rounds() and so on. */
#define TRIAL_DECLARE(NAME, WORD, FACT, FLAGS) void trial_##NAME(struct trial *trial);
TRIAL_LIST(TRIAL_DECLARE)
#undef TRIAL_DECLARE

/*
 * Reports what the trial is about to do ("export 61"), with the counts so far: they are known if
 * the worker is lost there. Restarts the target's time limit.
 */
void trial_step(struct trial *trial, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets why the trial cannot be carried out: outcome skipped, error.message. The judge repeats it
 * alone unless it already was. */
void trial_skip(struct trial *trial, const char *reason);

/* Skips the trial because of what the object is, whatever happened in the process. */
void trial_exclude(struct trial *trial, const char *reason);

/* Makes the pending exception the outcome: raised, error. */
void trial_raised(struct trial *trial);

/* Carries out a trial on object, which it takes, and fills record, which is zero and stays until
 * the process ends. False: it was skipped, and in another process it may not be. */
bool trial_run(struct capture_context *context, PyObject *object, const struct job_trial *id,
	struct fact_trial *record);

/* Whether the trial may crash a driver. */
bool trial_misuses_driver(const struct job_trial *id);

/*
 * Before libraries are loaded: functions of Py_AtExit() run in reverse order, and deleters may rely
 * on those of their libraries, as nanobind's do.
 */
void trial_prepare_exit(void);

/* Whether a trial continues at interpreter exit: then its target, and those after it, are not sent
 * yet. */
bool trial_waits_for_exit(void);

/* Keeps a target of trial_waits_for_exit() and its arena. At interpreter exit they are sent, in
 * order, and done. */
void trial_send_at_exit(const struct fact_target *target);

/*
 * Runs gc.collect(), then allocates and overwrites enough blocks to reuse freed memory of malloc,
 * of Python's allocator of small objects, and of NumPy's cache of small blocks. They stay
 * allocated: the trial's process ends soon.
 */
void trial_churn(void);

/*
 * Runs many rounds, each a step (DOING and its number), and fills their number and the levels of
 * references and memory before and after them; runs another series if memory grew. If rounds are
 * too slow, the trial is skipped. Returns -1 with the exception pending if a round does. What a
 * round allocates in the arena does not count as a leak.
 */
struct trial_rounds {
	int (*round)(struct trial *trial, struct arena *arena);
	const char *doing;         /* "export" */
	struct fact_int *n_rounds; /* of counts, as the levels are */
	struct fact_level *before, *after;
};
int trial_measure(struct trial *trial, const struct trial_rounds *rounds);

/* Adds more references to the object than a trial can lose, so that it survives to be measured; and
 * drops them, except those that were lost. */
void trial_add_references(PyObject *object);
void trial_drop_references(PyObject *object, int64_t before);

/* Reads the interface; its value is held until keepalive_release(). */
struct fact_interface *trial_read_interface(struct trial *trial);

/* One export of the object as a consumer requests it: versioned if possible. A new reference, or
 * NULL with the exception pending. */
PyObject *trial_export(PyObject *object);

#endif
