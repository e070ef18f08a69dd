// SPDX-License-Identifier: MIT
/* Whether the stream that an interface names is still there once the dictionary is gone, and the
 * object held (CUDA Array Interface 3, Streams). */
#include "worker/capture/cuda.h"
#include "worker/capture/keepalive.h"
#include "worker/trials/trials.h"

enum { LAST_DEFAULT_STREAM = 2 };

/* Null where the driver, or nobody, can tell. */
static void tell_validity(struct trial *trial, const char *key, uint64_t handle)
{
	struct arena *arena = trial->context->arena;
	struct cuda_stream_facts facts;
	struct value *valid = value_null(arena);

	WITHOUT_GIL(cuda_ask_stream(handle, &facts));
	if (facts.valid != ANSWER_UNKNOWN)
		valid = value_bool(arena, facts.valid == ANSWER_YES);
	value_set(arena, trial->counts, key, valid);
}

void trial_held_stream(struct trial *trial)
{
	const struct value *interface = trial_read_interface(trial);
	uint64_t handle = 0;
	struct err err;

	if (!value_to_uint64(value_at(value_get(interface, "declared"), "stream"), &handle) ||
		handle <= LAST_DEFAULT_STREAM) {
		trial_skip(trial, "stream is none that could be destroyed");
	} else if (cuda_load(&err)) {
		trial_skip(trial, err.message);
	} else {
		tell_validity(trial, "valid_held", handle);
		keepalive_release(trial->context);
		trial_churn();
		tell_validity(trial, "valid_dropped", handle);
	}
	keepalive_release(trial->context);
}
