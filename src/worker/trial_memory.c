// SPDX-License-Identifier: MIT
/*
 * Whether memory outlives what ought to keep it: the object, where an export is held; what was read
 * from the object, where the object is. What is freed is overwritten by the allocator.
 */
#include "devices/peek.h"
#include "protocols/protocol.h"
#include "worker/dlpack.h"
#include "worker/held.h"
#include "worker/trials.h"

#include <malloc.h>
#include <string.h>

enum { MAX_COMPARED = 1 << 16, POISON = 0x5A };

/* Some of the elements' bytes as they are now. */
struct sample {
	uint64_t low;
	size_t n_bytes;
	unsigned char bytes[MAX_COMPARED];
};

/* False, and the trial told, where the interface cannot be described or read from the host. */
static bool take_sample(struct trial *trial, const struct value *interface, struct sample *sample)
{
	const struct protocol *protocol = protocol_find(trial->capture->protocol);
	struct array array;
	uint64_t low, high;
	struct err err;

	if (!interface || !value_is_text(value_get(interface, "status"), "ok") ||
		protocol->describe(interface, &array, &err) ||
		array_extent(&array, &low, &high, &err)) {
		trial_skip(trial, "the interface cannot be read or described");
		return false;
	}
	sample->low = low;
	sample->n_bytes = high - low < MAX_COMPARED ? (size_t)(high - low) : MAX_COMPARED;
	if (!sample->n_bytes || !peek_bytes(sample->bytes, low, sample->n_bytes)) {
		trial_skip(trial, sample->n_bytes ? "the host cannot read the memory"
						  : "the array has no elements");
		return false;
	}
	return true;
}

static void compare_sample(struct trial *trial, const struct sample *sample)
{
	static unsigned char now[MAX_COMPARED];
	struct arena *arena = trial->context->arena;
	bool readable = peek_bytes(now, sample->low, sample->n_bytes);
	bool changed = readable && memcmp(now, sample->bytes, sample->n_bytes) != 0;

	value_set(
		arena, trial->counts, "compared_bytes", value_int(arena, (int64_t)sample->n_bytes));
	value_set(arena, trial->counts, "readable", value_bool(arena, readable));
	value_set(arena, trial->counts, "changed", value_bool(arena, changed));
}

/* The interface as it is now; what was read is held until held_release(). */
static struct value *read_interface(struct trial *trial)
{
	struct value *interface = trial->capture->read(trial->context, trial->object);

	Py_DecRef(trial->context->kept);
	trial->context->kept = NULL;
	return interface;
}

void trial_outlive(struct trial *trial)
{
	static struct sample sample;
	PyObject *export;

	mallopt(M_PERTURB, POISON);
	if (trial_references(trial->object) > 1) {
		trial_skip(trial,
			"suai does not hold the last reference: name the object by an expression that "
			"makes it");
		return;
	}
	export = trial_export(trial->object);
	if (!export) {
		trial_raised(trial);
		return;
	}
	if (take_sample(trial, read_interface(trial), &sample)) {
		held_release(trial->context);
		Py_DecRef(trial->object);
		trial->object = NULL;
		trial_churn();
		compare_sample(trial, &sample);
	}
	held_release(trial->context);
	dlpack_consume(trial->context->arena, export);
	Py_DecRef(export);
}

void trial_owner(struct trial *trial)
{
	static struct sample sample;

	mallopt(M_PERTURB, POISON);
	if (take_sample(trial, read_interface(trial), &sample)) {
		held_release(trial->context);
		trial_churn();
		compare_sample(trial, &sample);
	}
	held_release(trial->context);
}
