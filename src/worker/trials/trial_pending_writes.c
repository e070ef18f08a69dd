// SPDX-License-Identifier: MIT
/*
 * Whether the elements are complete for a consumer: compared with their values after all work is
 * done. On SYCL first without a gate; then with a gate on the queue, which delays what the reading
 * itself submits. For CUDA see trial_pending_writes_cuda.c.
 */
#include "devices/gate.h"
#include "worker/capture/keepalive.h"
#include "worker/trials/trial_cuda.h"
#include "worker/trials/trial_sample.h"

#include <string.h>

static struct sample sample;

/* Waits for the queue, and counts the bytes that differ from the sample. */
static int compare_after(
	struct trial *trial, struct device_session *session, struct fact_int *count)
{
	int64_t n_changed = -1;
	bool waited = false;
	struct err err;
	int failed;

	WITHOUT_GIL(failed = session->runtime->wait(session, &waited, &err));
	if (!failed && waited)
		n_changed = sample_count_changed(&sample);
	if (failed)
		trial_skip(trial, err.message);
	else if (!waited)
		trial_exclude(trial,
			"syclobj does not identify a queue, so suai cannot wait for the work");
	else if (n_changed < 0)
		trial_skip(trial, SAMPLE_UNREADABLE);
	else
		*count = fact_int(n_changed);
	return n_changed < 0 ? -1 : 0;
}

/* Reads again while the gate is shut; whether the reading returned before it was opened. */
static bool read_held(struct trial *trial, struct gate *gate)
{
	bool blocked, taken = false;
	struct fact_interface *interface;

	if (gate_watch(gate, GATE_HOLD_MS))
		return false;
	interface = trial_read_interface(trial);
	blocked = gate_unwatch(gate);
	trial->counts->blocked = answer_of(blocked);
	if (!blocked)
		taken = sample_take(trial, interface, &sample);
	keepalive_release(trial->context);
	return taken;
}

static void try_held(struct trial *trial, struct device_session *session)
{
	struct gate *gate;
	struct err err;
	bool taken;

	WITHOUT_GIL(gate = session->runtime->gate_shut(session, &err));
	trial->counts->held = answer_of(gate != NULL);
	if (!gate) {
		trial->counts->held_reason = arena_printf(trial->context->arena, "%s", err.message);
		return;
	}
	taken = read_held(trial, gate);
	WITHOUT_GIL(session->runtime->gate_end(session, gate));
	if (taken)
		compare_after(trial, session, &trial->counts->held_changed_bytes);
}

/* The session of the latest syclobj. */
static bool open_sycl_session(struct trial *trial, const struct fact_interface *interface,
	struct device_session **session)
{
	struct err err;

	*session = trial->capture->open_session(trial->context, interface, &err);
	if (!*session)
		trial_skip(trial, err.message);
	return *session;
}

static void try_both(struct trial *trial, struct device_session *session, bool is_read)
{
	struct device_stream opened;
	struct err ignored;

	WITHOUT_GIL(sample.session =
			    session->runtime->open_stream(session, -1, NULL, &opened, &ignored));
	if (!is_read && !sample_read(&sample)) {
		trial_skip(trial, SAMPLE_UNREADABLE);
	} else {
		trial->counts->compared_bytes = fact_int((int64_t)sample.n_bytes);
		if (!compare_after(trial, session, &trial->counts->changed_bytes))
			try_held(trial, session);
	}
	if (sample.session)
		WITHOUT_GIL(sample.session->runtime->close(sample.session));
	sample.session = NULL;
}

/* The host reads what it can before any call of the runtime, which takes time. */
static void try_sycl(struct trial *trial)
{
	struct fact_interface *interface = trial->capture->read(trial->context, trial->object);
	struct device_session *session;
	bool is_read;

	if (sample_find(trial, interface, &sample)) {
		is_read = sample_read(&sample);
		if (open_sycl_session(trial, interface, &session)) {
			try_both(trial, session, is_read);
			WITHOUT_GIL(session->runtime->close(session));
		}
	}
	Py_DecRef(trial->context->syclobj_handle);
	trial->context->syclobj_handle = NULL;
	keepalive_release(trial->context);
}

void trial_pending_writes(struct trial *trial)
{
	if (trial->capture == &sycl_capture)
		try_sycl(trial);
	else
		cuda_trial_pending_writes(trial);
}
