// SPDX-License-Identifier: MIT
/*
 * Exchanges one by one, with their times: the events of trace/record.h, which are recorded only if
 * suai asks for them. Without, each function returns at once. Call with the lock.
 */
#ifndef TRACE_EVENTS_H
#define TRACE_EVENTS_H

#include "trace/verdict.h"

#include <stdint.h>

/* An exchange of a row that happens now; flags are of enum trace_event_flag. Returns its index, or
 * TRACE_NONE: it is not recorded. */
uint32_t trace_event_add(uint32_t row, uint64_t address, uint64_t n_bytes, uint32_t flags);

/* n_exchanges transfers of a row, of n_bytes in all. */
void trace_event_add_transfers(uint32_t row, uint64_t n_exchanges, uint64_t n_bytes);

/* Adds a verdict to an event; TRACE_NONE: none. */
void trace_event_judge(uint32_t event, const struct trace_verdict *verdict);

/* A tensor of trace/record.h has the memory of an event until it is released. */
void trace_event_hold(uint32_t event, uint32_t tensor);
/* Cancels the event of a held tensor. */
void trace_event_cancel(uint32_t tensor);
void trace_event_release(uint32_t tensor, bool is_at_end);

#endif
