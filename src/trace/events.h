// SPDX-License-Identifier: MIT
/*
 * Individual exchanges with their times: the events of trace/record.h, which are recorded only if
 * suai requests them. Otherwise each function returns at once. Call with the lock.
 */
#ifndef TRACE_EVENTS_H
#define TRACE_EVENTS_H

#include "trace/verdict.h"

#include <stdint.h>

/* An exchange of a row that happens now; flags are of enum trace_event_flag. Returns its index, or
 * TRACE_NONE: it is not recorded. */
uint32_t trace_event_add(uint32_t row, uint64_t address, uint64_t n_bytes, uint32_t flags);

/* n_exchanges transfers of a row, n_bytes in total. */
void trace_event_add_transfers(uint32_t row, uint64_t n_exchanges, uint64_t n_bytes);

/* Records the verdict of an exchange in its event; does nothing for TRACE_NONE. */
void trace_event_set_verdict(uint32_t event, const struct trace_verdict *verdict);

/* A tensor of trace/record.h holds the memory of an event until it is released. */
void trace_event_hold(uint32_t event, uint32_t tensor);
/* Cancels the event of a held tensor. */
void trace_event_cancel(uint32_t tensor);
void trace_event_release(uint32_t tensor, bool is_at_end);

#endif
