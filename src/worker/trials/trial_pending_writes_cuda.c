// SPDX-License-Identifier: MIT
/*
 * Whether the elements are complete for a stream that waits as a consumer's does: for the stream
 * that __cuda_array_interface__ names, or for the events that __dlpack__ recorded. Copied on that
 * stream, and again after the whole device is synchronized. The interface is read once.
 */
#include "protocols/protocol.h"
#include "worker/capture/dlpack_read.h"
#include "worker/capture/keepalive.h"
#include "worker/trials/trial_cuda.h"

#include <string.h>

static void compare_with_rest(struct cuda_trial *cuda)
{
	size_t n_bytes =
		cuda->n_bytes < CUDA_PROOF_MAX_BYTES ? cuda->n_bytes : (size_t)CUDA_PROOF_MAX_BYTES;
	struct cuda_compared compared;
	struct err err;
	int failed;

	WITHOUT_GIL(failed = cuda_proof_compare(cuda->proof, cuda->low, n_bytes, &compared, &err));
	if (failed) {
		trial_skip(cuda->trial, err.message);
		return;
	}
	cuda->trial->counts->compared_bytes = fact_int((int64_t)n_bytes);
	cuda->trial->counts->changed_bytes = fact_int(compared.n_changed);
	cuda->trial->counts->busy_ms = fact_int(compared.busy_ms);
}

static void try_attribute(struct cuda_trial *cuda)
{
	uint64_t names = 0;
	struct err err;
	int failed = 0;

	cuda->interface = trial_read_interface(cuda->trial);
	if (!cuda_trial_describe(cuda) || !cuda_trial_open(cuda))
		return;
	if (value_to_uint64(value_get(cuda->interface->declared, "stream"), &names) && names)
		WITHOUT_GIL(failed = cuda_proof_wait(
				    cuda->proof, cuda_proof_consumer(cuda->proof), names, &err));
	if (failed)
		trial_skip(cuda->trial, err.message);
	else
		compare_with_rest(cuda);
}

static void try_export(struct cuda_trial *cuda, PyObject *export)
{
	struct arena *arena = cuda->trial->context->arena;
	struct value *declared = value_map(arena);
	struct fact_interface *interface;

	dlpack_read(arena, declared, export);
	interface = interface_new(arena, &dlpack_protocol);
	interface->declared = declared;
	cuda->interface = interface;
	if (cuda_trial_describe(cuda))
		compare_with_rest(cuda);
}

static void try_dlpack(struct cuda_trial *cuda)
{
	PyObject *stream, *export;

	cuda->device = dlpack_read_device(cuda->trial->object).id;
	if (!cuda_trial_open(cuda))
		return;
	stream = PyLong_FromUnsignedLongLong(cuda_proof_consumer(cuda->proof));
	export = cuda_trial_export_lenient(cuda, stream);
	Py_DecRef(stream);
	if (export)
		try_export(cuda, export);
	else
		trial_raised(cuda->trial);
	cuda_trial_release(cuda, export);
}

void cuda_trial_pending_writes(struct trial *trial)
{
	struct cuda_trial cuda = { .trial = trial, .takes_version = true };

	if (trial->capture == &dlpack_capture)
		try_dlpack(&cuda);
	else
		try_attribute(&cuda);
	cuda_trial_end(&cuda);
}
