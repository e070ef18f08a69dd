// SPDX-License-Identifier: MIT
/* Methods of tensors of TensorFlow and PaddlePaddle that return arrays of NumPy without a protocol:
 * whether an array has the tensor's memory, or is a copy. */
#ifndef TRACE_ARRAY_METHODS_H
#define TRACE_ARRAY_METHODS_H

/* Replaces the methods of modules that were imported since the last call. Call with the GIL and
 * without the lock, once the layout of objects is known. */
void trace_array_methods_update(void);

#endif
