// SPDX-License-Identifier: MIT
/*
 * The C exchange API over time (dlpack.h 1.3, DLPackExchangeAPI): whether the table's address is
 * constant, and who owns a tensor that its library takes back.
 */
#include "os/peek.h"
#include "worker/capture/dlpack_exchange.h"
#include "worker/capture/dlpack_read.h"
#include "worker/trials/trials.h"

#include <malloc.h>
#include <string.h>

enum { POISON = 0x5A };

/* Reads the table twice, as two consumers do, and again after the capsule is released. False, with
 * the outcome of the trial set, if there is no table whose functions are known. */
static bool try_table(struct trial *trial, DLPackExchangeAPI *table)
{
	struct arena *arena = trial->context->arena;
	DLPackExchangeAPI later;
	PyObject *first, *second;
	const void *address = dlpack_exchange_address(arena, trial->object, &first);
	const void *again = dlpack_exchange_address(arena, trial->object, &second);
	bool is_known = dlpack_exchange_table(address, table);

	Py_DecRef(first);
	Py_DecRef(second);
	trial_churn();
	if (!is_known) {
		trial_skip(trial, "the C exchange API has no readable table of major version 1");
		return false;
	}
	trial->counts->same_table = answer_of(address == again);
	trial->counts->kept_table = answer_of(
		dlpack_exchange_table(address, &later) && !memcmp(&later, table, sizeof(later)));
	return true;
}

/* The functions that a round trip calls; none of a table that was freed. */
static DLPackExchangeAPI functions;

static DLManagedTensorVersioned *export_tensor(struct trial *trial)
{
	DLManagedTensorVersioned *managed = NULL, seen;

	if (functions.managed_tensor_from_py_object_no_sync(trial->object, &managed) || !managed)
		return NULL;
	if (!peek_bytes(&seen, (uint64_t)(uintptr_t)managed, sizeof(seen)) ||
		!dlpack_can_delete((uint64_t)(uintptr_t)seen.deleter)) {
		PyErr_SetString(
			PyExc_RuntimeError, "the deleter of the tensor cannot be read or called");
		return NULL;
	}
	return managed;
}

/* Whether the object made from a tensor has its elements at the same address. */
static enum answer is_same_memory(struct trial *trial, PyObject *made, uint64_t address)
{
	struct arena *arena = trial->context->arena;
	struct value *declared = value_map(arena);
	PyObject *export = trial_export(made);
	struct fact_address made_address;

	PyErr_Clear();
	if (!export)
		return ANSWER_UNKNOWN;
	dlpack_read(arena, declared, export);
	dlpack_consume(arena, export);
	Py_DecRef(export);
	made_address = dlpack_pointer(value_get(declared, "dl_tensor"));
	return made_address.known ? answer_of(made_address.value == address) : ANSWER_UNKNOWN;
}

/* Exports and imports; counts calls of the deleter of the tensor that was passed. */
static int try_round_trip(struct trial *trial)
{
	int64_t references = object_references(trial->object);
	DLManagedTensorVersioned *managed = export_tensor(trial);
	uint64_t address = 0;
	void *made = NULL;

	if (!managed)
		return -1;
	address = (uint64_t)(uintptr_t)managed->dl_tensor.data + managed->dl_tensor.byte_offset;
	dlpack_count_deleter((void (**)(void *))(void *)&managed->deleter);
	if (functions.managed_tensor_to_py_object_no_sync(managed, &made) || !made) {
		dlpack_delete_counted(managed);
		return -1;
	}
	trial->counts->held_calls = fact_int(dlpack_deleter_calls());
	trial->counts->same_memory = is_same_memory(trial, made, address);
	Py_DecRef(made);
	trial_churn();
	trial->counts->dropped_calls = fact_int(dlpack_deleter_calls());
	trial->counts->references_left = fact_int(object_references(trial->object) - references);
	return 0;
}

static int export_once(struct trial *trial, struct arena *arena)
{
	DLManagedTensorVersioned *managed = export_tensor(trial);

	(void)arena;
	if (managed)
		managed->deleter(managed);
	return managed ? 0 : -1;
}

void trial_exchange(struct trial *trial)
{
	const struct trial_rounds exports = { .round = export_once,
		.doing = "export",
		.n_rounds = &trial->counts->rounds,
		.before = &trial->counts->before,
		.after = &trial->counts->after };

	mallopt(M_PERTURB, POISON);
	if (!try_table(trial, &functions))
		return;
	if (trial->counts->kept_table != ANSWER_YES ||
		!functions.managed_tensor_from_py_object_no_sync ||
		!functions.managed_tensor_to_py_object_no_sync)
		trial_skip(trial,
			"the table lacks the functions of a round trip, or changed or was freed with its capsule");
	else if (try_round_trip(trial) || trial_measure(trial, &exports)) {
		if (!PyErr_Occurred())
			PyErr_SetString(PyExc_SystemError,
				"a function of the table failed, or returned NULL, without an exception");
		trial_raised(trial);
	}
}
