// SPDX-License-Identifier: MIT
/* What the CUDA trials of ordering share: the producer's stream, an export for a stream, verdicts.
 */
#ifndef WORKER_TRIALS_TRIAL_CUDA_H
#define WORKER_TRIALS_TRIAL_CUDA_H

#include "devices/cuda/cuda_proof.h"
#include "worker/trials/trials.h"

/* A CUDA object that a trial examines. */
struct cuda_trial {
	struct trial *trial;
	struct fact_interface *interface; /* as read at the beginning */
	int64_t device;
	uint64_t address; /* of the element at index 0, 0, ... */
	uint64_t low;     /* the extent */
	size_t n_bytes;
	uint64_t producer; /* the stream that the object's work is on; 0: not known */
	struct cuda_proof *proof;
	bool takes_version; /* __dlpack__ takes max_version */
};

/*
 * Reads the interface, opens a proof on the producer's stream (the legacy default one if it is not
 * known) and fills producer and told_by of counts. False, with the outcome of the trial set, if
 * that fails; to be ended with cuda_trial_end in any case.
 */
bool cuda_trial_begin(struct cuda_trial *cuda, struct trial *trial);
void cuda_trial_end(struct cuda_trial *cuda);

/* Parts of cuda_trial_begin: device, address and extent from the interface; the proof on the
 * device. */
bool cuda_trial_describe(struct cuda_trial *cuda);
bool cuda_trial_open(struct cuda_trial *cuda);

/* The framework's current stream, as the type's C exchange API reports it (NULL is the legacy
 * default one); false if there is none. */
bool cuda_trial_work_stream(struct cuda_trial *cuda, uint64_t *stream);

/* __dlpack__ with stream, which may be NULL: none is passed; and with copy=True. A new reference,
 * or NULL with the exception pending. */
PyObject *cuda_trial_export(struct cuda_trial *cuda, PyObject *stream, bool copies);

/* cuda_trial_export() for the first call: without max_version if the method does not accept it. */
PyObject *cuda_trial_export_lenient(struct cuda_trial *cuda, PyObject *stream);

/* Releases what it returned, and clears the pending exception. */
void cuda_trial_release(struct cuda_trial *cuda, PyObject *export);

/* "refused" (BufferError) or "raised", of the pending exception, cleared. */
const char *cuda_trial_outcome(void);

/* Counts one verdict of a question: *questions, of counts, maps question to verdict to count. */
void cuda_trial_count(struct cuda_trial *cuda, const struct value **questions, const char *question,
	const char *verdict);

/* The number of rounds of each question; SUAI_LIVE_ROUNDS. */
int cuda_trial_rounds(void);

/* The trial `settled` on CUDA. */
void cuda_trial_pending_writes(struct trial *trial);

#endif
