// SPDX-License-Identifier: MIT
/* Variables that are defined in libsuai_trace.so and read by each call: with this, the address of
 * one is part of the instruction that reads it, where it would be loaded first. */
#ifndef TRACE_HIDDEN_H
#define TRACE_HIDDEN_H

#define TRACE_HIDDEN __attribute__((visibility("hidden")))

#endif
