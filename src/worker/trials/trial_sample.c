// SPDX-License-Identifier: MIT
/* Takes and compares samples: through the kernel, so that a bad address is an error, or by a
 * device. */
#include "worker/trials/trial_sample.h"

#include "os/peek.h"
#include "protocols/description.h"
#include "protocols/protocol.h"

/* Whether the bytes are in one allocation of the runtime: a device that copies others may crash the
 * process. */
static bool is_allocated(const struct sample *sample)
{
	struct device_session *session = sample->session;
	struct memory memory = { .asked_low = sample->low,
		.asked_high = sample->low + sample->n_bytes };
	struct err ignored;
	int failed;

	WITHOUT_GIL(failed = session->runtime->locate(session, sample->low, &memory, &ignored));
	return !failed && memory.kind != MEMORY_UNKNOWN && memory.high_inside == ANSWER_YES;
}

static bool read_sample_bytes(const struct sample *sample, unsigned char *bytes)
{
	struct device_session *session = sample->session;
	struct err ignored;
	int failed;

	if (peek_bytes(bytes, sample->low, sample->n_bytes))
		return true;
	if (!session || !is_allocated(sample))
		return false;
	WITHOUT_GIL(failed = session->runtime->copy(session, bytes,
			    (const void *)(uintptr_t)sample->low, sample->n_bytes, &ignored));
	return !failed;
}

bool sample_find(struct trial *trial, struct fact_interface *interface, struct sample *sample)
{
	struct array array;
	uint64_t low, high;
	struct err err;

	if (!interface || interface->status != INTERFACE_OK ||
		protocol_describe_strict(trial->context->arena, interface, &array, &err) ||
		array_extent(&array, &low, &high, &err)) {
		trial_skip(trial, "the interface cannot be read or decoded");
		return false;
	}
	sample->low = low;
	sample->n_bytes = high - low < SAMPLE_MAX_BYTES ? (size_t)(high - low) : SAMPLE_MAX_BYTES;
	if (!sample->n_bytes)
		trial_exclude(trial, "the array has no elements");
	return sample->n_bytes;
}

bool sample_read(struct sample *sample)
{
	return read_sample_bytes(sample, sample->bytes);
}

bool sample_take(struct trial *trial, struct fact_interface *interface, struct sample *sample)
{
	if (!sample_find(trial, interface, sample))
		return false;
	if (sample_read(sample))
		return true;
	trial_skip(trial, SAMPLE_UNREADABLE);
	return false;
}

int64_t sample_count_changed(const struct sample *sample)
{
	static unsigned char now[SAMPLE_MAX_BYTES];
	int64_t n_changed = 0;

	if (!read_sample_bytes(sample, now))
		return -1;
	for (size_t i = 0; i < sample->n_bytes; i++)
		n_changed += now[i] != sample->bytes[i];
	return n_changed;
}
