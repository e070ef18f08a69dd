// SPDX-License-Identifier: MIT
/* Reads PyTorch's tensors without running code of the program: __torch_function__() of a
 * TorchFunctionMode observes each access to an attribute, and subclasses may redefine attributes.
 * */
#ifndef TRACE_TORCH_FUNCTION_H
#define TRACE_TORCH_FUNCTION_H

#include <stdbool.h>

/* The type of PyTorch's tensors, to compare it only; NULL: unknown. */
const void *trace_torch_tensor_type(void);

/* Whether the attributes of a tensor can be read until trace_torch_end(), which takes *guard.
 * False for a subclass, such as a FakeTensor, whose data must not be accessed. Call with the GIL
 * and without the lock. Clears errors. */
bool trace_torch_begin(void *tensor, void **guard);
void trace_torch_end(void *guard);

#endif
