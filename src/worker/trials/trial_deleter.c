// SPDX-License-Identifier: MIT
/*
 * DLPack's deleter (dlpack.h 1.3, DLManagedTensor.deleter; DLPack Python specification): how often
 * it is called, and whether it may be called from a thread without the GIL and after the
 * interpreter was finalized.
 */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/signal_name.h"
#include "os/fault.h"
#include "os/peek.h"
#include "worker/capture/dlpack_read.h"
#include "worker/process/report.h"
#include "worker/trials/trials.h"

#include <dlpack/dlpack.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { N_EXPORTS = 64, POISON = 0x5A };

/* A managed tensor, and its deleter, of either kind of capsule. */
struct managed {
	void *tensor;
	bool versioned;
	void (**field)(
		void *tensor); /* of the field `deleter`; NULL: it cannot be read or called */
};

static struct managed find_managed(struct arena *arena, PyObject *capsule)
{
	enum dlpack_capsule kind = dlpack_capsule_kind(arena, capsule);
	struct managed managed = { .versioned = kind == DLPACK_VERSIONED };
	size_t at = managed.versioned ? offsetof(DLManagedTensorVersioned, deleter)
				      : offsetof(DLManagedTensor, deleter);
	uint64_t deleter = 0;

	if (kind == DLPACK_NONE)
		return managed;
	managed.tensor = PyCapsule_GetPointer(
		capsule, managed.versioned ? "dltensor_versioned" : "dltensor");
	PyErr_Clear();
	if (managed.tensor &&
		peek_bytes(&deleter, (uint64_t)(uintptr_t)managed.tensor + at, sizeof(deleter)) &&
		(!deleter || dlpack_can_delete(deleter)))
		managed.field = (void (**)(void *))(void *)((char *)managed.tensor + at);
	return managed;
}

static void rename_used(PyObject *capsule, const struct managed *managed)
{
	PyCapsule_SetName(
		capsule, managed->versioned ? "used_dltensor_versioned" : "used_dltensor");
}

/* An export with a deleter that can be called; NULL, with the outcome of the trial set, if there is
 * none. */
static PyObject *export_deletable(struct trial *trial, struct managed *managed)
{
	PyObject *capsule = trial_export(trial->object);

	if (!capsule) {
		trial_raised(trial);
		return NULL;
	}
	*managed = find_managed(trial->context->arena, capsule);
	if (managed->field && *managed->field)
		return capsule;
	if (managed->field)
		trial_exclude(trial, "deleter is NULL");
	else
		trial_skip(trial,
			"__dlpack__() did not return a DLPack capsule, or its managed tensor cannot be read");
	Py_DecRef(capsule);
	return NULL;
}

/* Renames the capsule, so that its destructor does nothing: only the deleter deletes its managed
 * tensor. */
static void disarm_deleter(PyObject *capsule, const struct managed *managed)
{
	PyCapsule_SetDestructor(capsule, NULL);
	PyErr_Clear();
	rename_used(capsule, managed);
}

/* --- deleter --- */

/* The deleter of an export, and of a second one after the first is deleted, without the capsule's
 * destructor: a crash here is the deleter's. */
static int try_deleters(struct trial *trial)
{
	struct managed first, second;
	PyObject *a = export_deletable(trial, &first);
	PyObject *b = a ? export_deletable(trial, &second) : NULL;
	bool is_shared = b && (a == b || first.tensor == second.tensor);

	if (b) {
		trial->counts->same_capsule = answer_of(a == b);
		trial->counts->same_tensor = answer_of(first.tensor == second.tensor);
	}
	if (b && !is_shared) {
		disarm_deleter(a, &first);
		disarm_deleter(b, &second);
		trial_step(trial, TRIAL_STEP_DELETER);
		(*first.field)(first.tensor);
		trial_step(trial, TRIAL_STEP_SECOND_DELETER);
		(*second.field)(second.tensor);
	}
	/* One struct in two capsules would be freed by both. */
	if (is_shared && a != b)
		disarm_deleter(b, &second);
	Py_DecRef(b);
	Py_DecRef(a);
	PyErr_Clear();
	return b && !is_shared ? 0 : -1;
}

/* Counts calls of the deleter when a capsule that was not consumed is destroyed. */
static int try_dropped(struct trial *trial)
{
	struct managed managed;
	PyObject *capsule = export_deletable(trial, &managed);

	if (!capsule)
		return -1;
	dlpack_count_deleter(managed.field);
	trial_step(trial, TRIAL_STEP_DROPPED);
	Py_DecRef(capsule);
	trial->counts->dropped_calls = fact_int(dlpack_deleter_calls());
	return 0;
}

/* The managed tensor is the consumer's: no one else may change it, and an allocator overwrites it
 * once it is freed. */
static bool is_untouched(const struct managed *managed, const unsigned char *before, size_t n_bytes)
{
	unsigned char now[sizeof(DLManagedTensorVersioned)];

	return peek_bytes(now, (uint64_t)(uintptr_t)managed->tensor, n_bytes) &&
	       !memcmp(before, now, n_bytes);
}

/* Counts calls when a capsule that a consumer renamed is destroyed, and what the consumer's own
 * call releases. */
static int try_used(struct trial *trial)
{
	int64_t before = object_references(trial->object);
	unsigned char bytes[sizeof(DLManagedTensorVersioned)];
	struct managed managed;
	PyObject *capsule = export_deletable(trial, &managed);
	size_t n_bytes;
	bool is_kept;

	if (!capsule)
		return -1;
	n_bytes = managed.versioned ? sizeof(DLManagedTensorVersioned) : sizeof(DLManagedTensor);
	trial->counts->references_held = fact_int(object_references(trial->object) - before);
	dlpack_count_deleter(managed.field);
	rename_used(capsule, &managed);
	is_kept = peek_bytes(bytes, (uint64_t)(uintptr_t)managed.tensor, n_bytes);
	trial_step(trial, TRIAL_STEP_USED);
	Py_DecRef(capsule);
	is_kept = !is_kept || is_untouched(&managed, bytes, n_bytes);
	trial->counts->used_calls = fact_int(dlpack_deleter_calls());
	trial->counts->used_kept = answer_of(is_kept);
	trial_step(trial, TRIAL_STEP_USED_DELETER);
	if (!is_kept)
		return -1;
	dlpack_delete_counted(managed.tensor);
	trial->counts->references_left = fact_int(object_references(trial->object) - before);
	return 0;
}

/* An export that is released at once: *tensor is the address of its struct, *kept whether the
 * struct is unchanged. False if there is none, as when all exports share one capsule. */
static bool give_up_one(struct trial *trial, const void **tensor, bool *kept)
{
	PyObject *capsule = trial_export(trial->object);
	struct managed managed = { .field = NULL };
	void (*before)(void *) = NULL, (*after)(void *) = NULL;

	PyErr_Clear();
	if (capsule)
		managed = find_managed(trial->context->arena, capsule);
	if (managed.field) {
		before = *managed.field;
		dlpack_consume(trial->context->arena, capsule);
	}
	Py_DecRef(capsule);
	*tensor = managed.tensor;
	*kept = managed.field &&
		peek_bytes(&after, (uint64_t)(uintptr_t)managed.field, sizeof(after)) &&
		after == before;
	return managed.field;
}

/* The allocator overwrites freed memory, or uses it again. */
static void try_freed(struct trial *trial)
{
	const void *seen[N_EXPORTS] = { NULL }, *tensor;
	int n_tensors = 0, n_kept = 0;

	mallopt(M_PERTURB, POISON);
	for (int i = 0; i < N_EXPORTS; i++) {
		bool is_new = true, is_kept;

		if (clock_ms() >= trial->end_ms) {
			trial_skip(trial, JOB_NO_TIME);
			return;
		}
		trial_step(trial, "export %d", i + 1);
		if (!give_up_one(trial, &tensor, &is_kept))
			return;
		for (int s = 0; s < n_tensors; s++)
			is_new &= seen[s] != tensor;
		if (is_new)
			seen[n_tensors++] = tensor;
		n_kept += is_kept;
	}
	trial->counts->exports = fact_int(N_EXPORTS);
	trial->counts->tensors = fact_int(n_tensors);
	trial->counts->kept = fact_int(n_kept);
}

void trial_deleter(struct trial *trial)
{
	if (!try_deleters(trial) && !try_dropped(trial) && !try_used(trial))
		try_freed(trial);
}

/* --- thread --- */

static void *call_in_thread(void *opaque)
{
	struct managed *managed = opaque;

	(*managed->field)(managed->tensor);
	return NULL;
}

/* The GIL must be free when the thread begins. */
static int run_thread(struct managed *managed)
{
	pthread_t thread;
	int failed = pthread_create(&thread, NULL, call_in_thread, managed);

	if (!failed)
		pthread_join(thread, NULL);
	return failed;
}

void trial_thread(struct trial *trial)
{
	struct managed managed;
	PyObject *capsule = export_deletable(trial, &managed);
	int failed;

	if (!capsule)
		return;
	disarm_deleter(capsule, &managed);
	trial_step(trial, TRIAL_STEP_THREAD);
	WITHOUT_GIL(failed = run_thread(&managed));
	if (failed)
		trial_skip(trial, "cannot create a thread");
	Py_DecRef(capsule);
}

/* --- exit --- */

/* The trials that wait, and the targets after them, which are sent in order. */
static struct waiting {
	struct managed managed;           /* field NULL: the target is only sent */
	struct trial trial;               /* the interpreter's state at its last step */
	const struct fact_target *target; /* NULL: it is not known yet */
} * at_exit;
static size_t n_at_exit;
static bool exit_is_prepared;

static struct waiting *add_at_exit(void)
{
	at_exit = mem_resize(at_exit, (n_at_exit + 1) * sizeof(*at_exit));
	at_exit[n_at_exit] = (struct waiting){ .target = NULL };
	return &at_exit[n_at_exit++];
}

bool trial_waits_for_exit(void)
{
	return n_at_exit;
}

void trial_send_at_exit(const struct fact_target *target)
{
	struct waiting *last = &at_exit[n_at_exit - 1];

	if (last->target)
		last = add_at_exit();
	last->target = target;
}

static void call_deleter(void *context)
{
	struct managed *managed = context;

	(*managed->field)(managed->tensor);
}

/* One of several: its crash does not end the others. */
static void delete_guarded(struct waiting *waiting)
{
	int number = fault_guard(call_deleter, &waiting->managed);

	if (!number)
		return;
	waiting->trial.record->outcome = TRIAL_CRASHED;
	waiting->trial.record->step = TRIAL_STEP_EXIT_DELETER;
	waiting->trial.record->error = (struct fact_error){ .present = true,
		.message = number == SIGBUS ? KILLED_BY "SIGBUS" : KILLED_BY "SIGSEGV" };
}

/* Called at the end of Py_FinalizeEx(): Python can no longer be used. */
static void delete_at_exit(void)
{
	if (!n_at_exit)
		return;
	for (struct waiting *waiting = at_exit; waiting < at_exit + n_at_exit; waiting++) {
		if (n_at_exit > 1)
			worker_at((int)waiting->target->index.value);
		if (waiting->managed.field)
			trial_step(&waiting->trial, TRIAL_STEP_EXIT_DELETER);
		if (waiting->managed.field && n_at_exit > 1)
			delete_guarded(waiting);
		else if (waiting->managed.field)
			call_deleter(&waiting->managed);
		worker_send_target(waiting->target);
	}
	report_done();
	_exit(0);
}

void trial_prepare_exit(void)
{
	exit_is_prepared = exit_is_prepared || !Py_AtExit(delete_at_exit);
}

void trial_exit(struct trial *trial)
{
	struct managed managed;
	PyObject *capsule = export_deletable(trial, &managed);
	struct waiting *waiting;

	if (!capsule)
		return;
	disarm_deleter(capsule, &managed);
	Py_DecRef(capsule);
	trial_step(trial, TRIAL_STEP_EXIT);
	if (!exit_is_prepared) {
		trial_skip(trial, "Py_AtExit() has no free slot");
		return;
	}
	trial->waits_for_exit = true;
	waiting = add_at_exit();
	waiting->managed = managed;
	waiting->trial = *trial;
}
