// SPDX-License-Identifier: MIT
/* For variables of libsuai_trace.so that are read in each call: they are addressed relative to
 * the instruction, instead of through the global offset table. */
#ifndef TRACE_HIDDEN_H
#define TRACE_HIDDEN_H

#define TRACE_HIDDEN __attribute__((visibility("hidden")))

#endif
