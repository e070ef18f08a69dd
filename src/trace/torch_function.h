// SPDX-License-Identifier: MIT
/* Reading PyTorch's tensors without code of the program: __torch_function__() of a
 * TorchFunctionMode observes each attribute, and subclasses define what theirs are. */
#ifndef TRACE_TORCH_FUNCTION_H
#define TRACE_TORCH_FUNCTION_H

#include <stdbool.h>

/* Whether the attributes of a tensor can be read until trace_torch_end(), which takes *guard: it is
 * no subclass, such as a FakeTensor, whose data may not be asked for. Call with the GIL, and
 * without the lock. Clears errors. */
bool trace_torch_begin(void *tensor, void **guard);
void trace_torch_end(void *guard);

#endif
