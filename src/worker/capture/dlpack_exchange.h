// SPDX-License-Identifier: MIT
/* DLPack's C exchange API (dlpack.h 1.3, DLPackExchangeAPI) of an object's type. */
#ifndef WORKER_CAPTURE_DLPACK_EXCHANGE_H
#define WORKER_CAPTURE_DLPACK_EXCHANGE_H

#include "worker/worker.h"

#include <dlpack/dlpack.h>

/*
 * The exchange API on the type of the object, or else on the object, as docs/facts.md says; null
 * where neither has it. device is what __dlpack_device__ gave.
 */
struct value *dlpack_exchange(struct arena *arena, PyObject *object, const struct value *device);

/* Whether the type has the exchange API under the name of DLPack 1.2's drafts; null where it was
 * not asked. */
struct value *dlpack_has_draft_exchange(struct arena *arena, PyObject *object);

/*
 * Looks on the type once more, as a consumer does: *capsule (a new reference) and the address of
 * the table in it; NULLs where there is none. No step is announced, no exception left.
 */
const void *dlpack_exchange_address(struct arena *arena, PyObject *object, PyObject **capsule);

/* The first table of the chain at address whose functions are known here; false where there is
 * none. */
bool dlpack_exchange_table(const void *address, DLPackExchangeAPI *table);

/* --calls: every function of the table, each call a step and a record in details.exchange.calls. */
void dlpack_call_exchange(
	struct capture_context *context, PyObject *object, const struct fact_interface *interface);

#endif
