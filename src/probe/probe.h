// SPDX-License-Identifier: MIT
/*
 * suai-devices: asks one runtime for its devices, in a process that holds neither Python nor the
 * judge. `suai-devices cuda FD` writes a message of docs/facts.md, kind devices, to the descriptor.
 */
#ifndef PROBE_PROBE_H
#define PROBE_PROBE_H

#include "base/error.h"
#include "model/runtimes.h"
#include "model/value.h"

/* Each gives the runtime's devices as facts; NULL with err set where it cannot be asked. */
#define DECLARE(NAME, TYPE) struct value *NAME##_list_devices(struct arena *arena, struct err *err);
PROBED_RUNTIME_LIST(DECLARE)
#undef DECLARE

#endif
