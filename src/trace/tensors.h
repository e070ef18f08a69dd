// SPDX-License-Identifier: MIT
/*
 * Memory that was passed, from its consumption to its release: the tensors of trace/record.h, which
 * are also used for buffers. Which comes first does not matter: a consumer may release a tensor
 * before it renames the capsule. All functions are called with the lock.
 */
#ifndef TRACE_TENSORS_H
#define TRACE_TENSORS_H

#include <stdint.h>

/* This thread consumed a tensor, as an exchange of a row and an event; TRACE_NONE: there was no
 * space for it. */
void trace_tensor_consumed(uint32_t tensor, uint32_t row, uint32_t event);

/* This thread released a tensor. */
void trace_tensor_released(uint32_t tensor);

/* This thread begins to end the interpreter. With the lock. */
void trace_tensors_end(void);

#endif
