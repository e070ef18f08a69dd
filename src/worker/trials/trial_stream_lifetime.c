// SPDX-License-Identifier: MIT
/*
 * Whether streams live as long as they must: that of an interface after the dictionary is released
 * while the object is held (CUDA Array Interface 3, Streams), the consumer's after the export and
 * after its deleter; and how a number that is not a stream is handled.
 */
#include "worker/capture/cuda.h"
#include "worker/capture/keepalive.h"
#include "worker/trials/trial_cuda.h"
#include "worker/trials/trials.h"

enum { LAST_DEFAULT_STREAM = 2 };
enum { ODD_STREAM = -2 }; /* -1 is the lowest number with a meaning */

/* --- held-stream: is the interface's still valid? --- */

/* Unknown if the driver cannot be queried. */
static enum answer is_valid_stream(uint64_t handle)
{
	struct cuda_stream_facts facts;

	WITHOUT_GIL(cuda_query_stream(handle, &facts));
	return facts.valid;
}

void trial_stream_lifetime(struct trial *trial)
{
	const struct fact_interface *interface = trial_read_interface(trial);
	uint64_t handle = 0;
	struct err err;

	if (!interface || !value_to_uint64(value_get(interface->declared, "stream"), &handle)) {
		trial_skip(trial, "the interface or its key stream cannot be read");
	} else if (handle <= LAST_DEFAULT_STREAM) {
		trial_exclude(trial, "stream is a default stream, which cannot be destroyed");
	} else if (cuda_load(&err)) {
		trial_skip(trial, err.message);
	} else {
		trial->counts->valid_held = is_valid_stream(handle);
		keepalive_release(trial->context);
		trial_churn();
		trial->counts->valid_dropped = is_valid_stream(handle);
	}
	keepalive_release(trial->context);
}

/* --- stream: is the consumer's still valid? --- */

static void try_alive(struct cuda_trial *cuda, uint64_t handle)
{
	PyObject *stream = PyLong_FromUnsignedLongLong(handle);
	PyObject *export = cuda_trial_export_lenient(cuda, stream);

	Py_DecRef(stream);
	if (!export) {
		trial_raised(cuda->trial);
		return;
	}
	cuda->trial->counts->alive_exported = answer_of(is_valid_stream(handle) != ANSWER_NO);
	cuda_trial_release(cuda, export);
	cuda->trial->counts->alive_deleted = answer_of(is_valid_stream(handle) != ANSWER_NO);
}

void trial_stream(struct trial *trial)
{
	struct cuda_trial cuda;
	uint64_t handle;
	struct err err;
	int failed;

	if (cuda_trial_begin(&cuda, trial)) {
		WITHOUT_GIL(failed = cuda_stream_new(cuda.device, &handle, &err));
		if (failed)
			trial_skip(trial, err.message);
		else
			try_alive(&cuda, handle);
	}
	cuda_trial_end(&cuda);
}

/* --- odd-stream: no consumer may pass this number, and it may crash the driver --- */

void trial_odd_stream(struct trial *trial)
{
	struct cuda_trial cuda = { .trial = trial, .takes_version = true };
	PyObject *stream = PyLong_FromLong(ODD_STREAM);
	PyObject *export;

	trial_step(trial, "__dlpack__(stream=%d)", ODD_STREAM);
	export = stream ? cuda_trial_export_lenient(&cuda, stream) : NULL;
	trial->counts->answer = export ? "returned" : cuda_trial_outcome();
	cuda_trial_release(&cuda, export);
	Py_DecRef(stream);
}
