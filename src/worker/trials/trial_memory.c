// SPDX-License-Identifier: MIT
/*
 * Whether memory stays valid after the object is released while an export is held, and after the
 * value read is released while the object is held. The allocator overwrites freed memory.
 */
#include "protocols/description.h"
#include "worker/capture/dlpack_read.h"
#include "worker/capture/keepalive.h"
#include "worker/trials/trial_sample.h"

#include <malloc.h>
#include <unistd.h>

enum {
	POISON = 0x5A,
	REST_READS = 10, /* that return the same bytes */
	REST_MS = 20,    /* between reads */
	MAX_READS = 100,
};

/* Waits for the producer's work on the queue or stream that the interface names; false if it names
 * none, or that cannot be waited for. */
static bool wait_for_producer(struct trial *trial, const struct fact_interface *interface)
{
	struct device_session *session = NULL;
	bool waited = false;
	struct err ignored;
	int failed;

	if (trial->capture->open_session)
		session = trial->capture->open_session(trial->context, interface, &ignored);
	if (!session)
		return false;
	trial_step(trial, "the wait for the pending work");
	WITHOUT_GIL(failed = session->runtime->wait(session, &waited, &ignored));
	WITHOUT_GIL(session->runtime->close(session));
	return !failed && waited;
}

/*
 * Takes the sample once its bytes are at rest: the producer's work may be pending when an interface
 * is read, and must not be treated as freed. Memory of the host has no such work. Without a queue
 * to wait for, or if bytes change after the wait, they are at rest if they stay the same for a
 * while.
 */
static bool take_sample_at_rest(
	struct trial *trial, struct fact_interface *interface, struct sample *sample)
{
	int n_same = 0;

	if (!sample_take(trial, interface, sample))
		return false;
	if (fact_text_is(interface->description->strict->device.type, DEVICE_CPU))
		return true;
	if (wait_for_producer(trial, interface)) {
		if (!sample_take(trial, interface, sample))
			return false;
		n_same = REST_READS - 1;
	}
	for (int i = 0; i < MAX_READS && n_same < REST_READS; i++) {
		WITHOUT_GIL(usleep(REST_MS * 1000));
		if (sample_count_changed(sample) == 0) {
			n_same++;
		} else {
			n_same = 0;
			sample_read(sample);
		}
	}
	return true;
}

static void compare_sample(struct trial *trial, const struct sample *sample)
{
	int64_t n_changed = sample_count_changed(sample);

	trial->counts->compared_bytes = fact_int((int64_t)sample->n_bytes);
	trial->counts->readable = answer_of(n_changed >= 0);
	trial->counts->changed = answer_of(n_changed > 0);
}

void trial_outlive(struct trial *trial)
{
	static struct sample sample;
	PyObject *export;

	mallopt(M_PERTURB, POISON);
	if (object_references(trial->object) > 1) {
		trial_exclude(trial,
			"suai does not hold the only reference to the object: use an expression that creates the object");
		return;
	}
	export = trial_export(trial->object);
	if (!export) {
		trial_raised(trial);
		return;
	}
	if (take_sample_at_rest(trial, trial_read_interface(trial), &sample)) {
		keepalive_release(trial->context);
		trial_step(trial, "the release of the object while an export is held");
		Py_DecRef(trial->object);
		trial->object = NULL;
		trial_churn();
		compare_sample(trial, &sample);
	}
	keepalive_release(trial->context);
	trial_step(trial, "the deleter of an export that was held");
	dlpack_consume(trial->context->arena, export);
	Py_DecRef(export);
}

void trial_owner(struct trial *trial)
{
	static struct sample sample;
	struct fact_interface *interface;
	bool taken;

	mallopt(M_PERTURB, POISON);
	/* Its syclobj names the queue, and must not outlive the wait for it. */
	interface = trial->capture->read(trial->context, trial->object);
	taken = take_sample_at_rest(trial, interface, &sample);
	Py_DecRef(trial->context->syclobj_handle);
	trial->context->syclobj_handle = NULL;
	if (taken) {
		keepalive_release(trial->context);
		trial_churn();
		compare_sample(trial, &sample);
	}
	keepalive_release(trial->context);
}
