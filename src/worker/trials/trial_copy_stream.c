// SPDX-License-Identifier: MIT
/* Whether the copy that __dlpack__(copy=True) makes runs on the consumer's stream (array API
 * 2025.12, __dlpack__, copy). */
#include "protocols/protocol.h"
#include "worker/capture/dlpack_read.h"
#include "worker/trials/trial_cuda.h"

#include <string.h>
#include <time.h>

enum { WAIT_MS = 20, MAX_WAIT_MS = 2000, MAX_ITEM_BYTES = 64 };

/* --- copied: changes element 0 and looks for it in a copy that must not be made yet --- */

/* The address of the export's first element; 0 if it is the array's own, or unknown. */
static uint64_t exported_address(struct cuda_trial *cuda, PyObject *export)
{
	struct arena *arena = cuda->trial->context->arena;
	struct value *declared = value_map(arena);
	struct fact_address address;

	dlpack_read(arena, declared, export);
	address = dlpack_pointer(value_get(declared, "dl_tensor"));
	return !address.known || address.value == cuda->address ? 0 : address.value;
}

static bool holds_element(
	struct cuda_trial *cuda, uint64_t address, const unsigned char *wanted, size_t n_bytes)
{
	unsigned char found[MAX_ITEM_BYTES];
	struct err ignored;
	int failed;

	WITHOUT_GIL(
		failed = cuda_proof_move(cuda->proof, found, address, n_bytes, false, &ignored));
	return !failed && !memcmp(found, wanted, n_bytes);
}

/* After how many milliseconds the copy is complete; -1: not within wait_ms. */
static int wait_for_copy(struct cuda_trial *cuda, uint64_t address, const unsigned char *wanted,
	size_t n_bytes, int wait_ms)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	for (int i = 0; i < wait_ms; i++) {
		if (holds_element(cuda, address, wanted, n_bytes))
			return i;
		WITHOUT_GIL(nanosleep(&pause, NULL));
	}
	return -1;
}

/* With the gate shut on the consumer's stream. */
static const char *copy_verdict(struct cuda_trial *cuda, PyObject *export,
	const unsigned char *wanted, size_t n_bytes, int wait_ms)
{
	uint64_t address = export ? exported_address(cuda, export) : 0;
	struct err ignored;
	bool is_early;
	int failed;

	if (!export)
		return cuda_trial_outcome();
	if (!address)
		return "shared";
	is_early = wait_for_copy(cuda, address, wanted, n_bytes, wait_ms) >= 0;
	WITHOUT_GIL(failed = cuda_proof_end(cuda->proof, &ignored));
	if (failed || !holds_element(cuda, address, wanted, n_bytes))
		return "unclear";
	return is_early ? "elsewhere" : "on it";
}

static const char *copy_once(struct cuda_trial *cuda, PyObject *stream, const unsigned char *wanted,
	size_t n_bytes, int wait_ms, struct err *err)
{
	const char *verdict = "blocked";
	PyObject *export;
	struct gate *gate;
	int failed;

	WITHOUT_GIL(gate = cuda_proof_shut(cuda->proof, cuda_proof_consumer(cuda->proof), err));
	if (!gate)
		return "unclear";
	failed = gate_watch(gate, GATE_HOLD_MS);
	export = failed ? NULL : cuda_trial_export(cuda, stream, true);
	if (failed)
		verdict = "unclear";
	else if (!gate_unwatch(gate))
		verdict = copy_verdict(cuda, export, wanted, n_bytes, wait_ms);
	WITHOUT_GIL(failed = cuda_proof_end(cuda->proof, err));
	cuda_trial_release(cuda, export);
	return failed ? "unclear" : verdict;
}

/* Changes element 0 in each round, so that a copy of an earlier round is not treated as this one's;
 * restores it at the end. */
static void try_copies(struct cuda_trial *cuda, PyObject *stream, const unsigned char *item,
	size_t n_bytes, int wait_ms)
{
	static const unsigned char turned_bits[] = { 0xff, 0x55, 0xaa, 0x33 };
	unsigned char wanted[MAX_ITEM_BYTES];
	struct err err;
	int failed = 0;

	for (size_t round = 0; round < sizeof(turned_bits) && !failed; round++) {
		for (size_t i = 0; i < n_bytes; i++)
			wanted[i] = item[i] ^ turned_bits[round];
		WITHOUT_GIL(failed = cuda_proof_move(
				    cuda->proof, wanted, cuda->address, n_bytes, true, &err));
		if (!failed)
			cuda_trial_count(cuda, &cuda->trial->counts->copies, "new",
				copy_once(cuda, stream, wanted, n_bytes, wait_ms, &err));
	}
	memcpy(wanted, item, n_bytes);
	WITHOUT_GIL(
		failed |= cuda_proof_move(cuda->proof, wanted, cuda->address, n_bytes, true, &err));
	if (failed)
		trial_skip(cuda->trial, err.message);
}

/* Whether copies are made at all; the next ones reuse the memory of this one. *wait_ms is how long
 * to wait for a copy that is not blocked: a multiple of the time that this one takes. */
static bool copies(struct cuda_trial *cuda, PyObject *stream, const unsigned char *item,
	size_t n_bytes, int *wait_ms)
{
	PyObject *export = cuda_trial_export(cuda, stream, true);
	uint64_t address = export ? exported_address(cuda, export) : 0;
	int took_ms = 0;

	if (!export)
		cuda_trial_count(cuda, &cuda->trial->counts->copies, "new", cuda_trial_outcome());
	else if (!address)
		cuda_trial_count(cuda, &cuda->trial->counts->copies, "new", "shared");
	else
		took_ms = wait_for_copy(cuda, address, item, n_bytes, MAX_WAIT_MS);
	*wait_ms = took_ms < 0 || took_ms > MAX_WAIT_MS / 8 ? MAX_WAIT_MS : WAIT_MS + 4 * took_ms;
	cuda_trial_release(cuda, export);
	return address;
}

static bool is_writable(const struct cuda_trial *cuda, size_t *item_bytes)
{
	struct array array;
	struct err err;

	if (dlpack_protocol.describe(cuda->interface, &array, &err))
		return false;
	*item_bytes = (size_t)dtype_itemsize(&array.dtype);
	return array.readonly != READONLY_YES && *item_bytes && *item_bytes <= MAX_ITEM_BYTES;
}

static void try_writable(struct cuda_trial *cuda, PyObject *stream, size_t n_bytes)
{
	unsigned char item[MAX_ITEM_BYTES];
	struct err err;
	int failed, wait_ms;

	WITHOUT_GIL(
		failed = cuda_proof_make_gate(cuda->proof, &err) ||
			 cuda_proof_move(cuda->proof, item, cuda->address, n_bytes, false, &err));
	if (failed)
		trial_skip(cuda->trial, err.message);
	else if (copies(cuda, stream, item, n_bytes, &wait_ms))
		try_copies(cuda, stream, item, n_bytes, wait_ms);
}

void trial_copy_stream(struct trial *trial)
{
	struct cuda_trial cuda;
	PyObject *stream = NULL;
	size_t item_bytes;

	if (cuda_trial_begin(&cuda, trial)) {
		stream = PyLong_FromUnsignedLongLong(cuda_proof_consumer(cuda.proof));
		if (is_writable(&cuda, &item_bytes))
			try_writable(&cuda, stream, item_bytes);
		else
			trial_exclude(trial,
				"the array is read-only, or its elements have more than 64 bytes");
	}
	Py_DecRef(stream);
	PyErr_Clear();
	cuda_trial_end(&cuda);
}
