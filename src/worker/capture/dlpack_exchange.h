// SPDX-License-Identifier: MIT
/* DLPack's C exchange API (dlpack.h 1.3, DLPackExchangeAPI) of an object's type. */
#ifndef WORKER_CAPTURE_DLPACK_EXCHANGE_H
#define WORKER_CAPTURE_DLPACK_EXCHANGE_H

#include "worker/capture/capture.h"

#include <dlpack/dlpack.h>

/*
 * The exchange API on the type of the object, or on the object (docs/facts.md); null if neither has
 * it. device is the result of __dlpack_device__.
 */
struct value *dlpack_exchange(struct arena *arena, PyObject *object, const struct value *device);

/* Whether the type has the exchange API under its name before DLPack 1.3; null if it was not
 * checked. */
struct value *dlpack_has_draft_exchange(struct arena *arena, PyObject *object);

/*
 * Looks it up on the type again, as a consumer does: *capsule (a new reference) and the address of
 * its table; NULLs if there is none. Announces no step and leaves no exception.
 */
const void *dlpack_exchange_address(struct arena *arena, PyObject *object, PyObject **capsule);

/* The first table of the chain at address whose functions are known here; false if there is none.
 */
bool dlpack_exchange_table(const void *address, DLPackExchangeAPI *table);

/* --calls: every function of the table, each call a step and a record in details.exchange.calls. */
void dlpack_call_exchange(
	struct capture_context *context, PyObject *object, const struct fact_interface *interface);

#endif
