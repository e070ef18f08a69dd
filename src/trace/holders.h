// SPDX-License-Identifier: MIT
/* What refers to memory that is held when the interpreter begins to shut down: the shortest
 * chain of references from a variable of a module to an array of NumPy that borrows the memory, a
 * tensor of TVM FFI, or what PyTorch or JAX returned for it. The search follows references by
 * tp_traverse, as the garbage collector does, so that it runs neither Python code nor code of the
 * program. */
#ifndef TRACE_HOLDERS_H
#define TRACE_HOLDERS_H

#include <stdint.h>

/* Searches when the interpreter begins to shut down; once NumPy was imported. In an interpreter
 * without a GIL, all other threads are stopped meanwhile. Call with the GIL and without the lock.
 */
void trace_holders_register(void);

/* What a consumer returned that shares the memory of a tensor (an index), whose address cannot be
 * read from it later. It is referenced weakly. Call with the GIL and without the lock. */
void trace_holders_note(uint32_t tensor, void *result);

#endif
