# SPDX-License-Identifier: MIT
"""A few of CuPy arrays for --calls and --lifetime, which call each of them many times, in separate workers."""

import cupy as cp

plain = cp.arange(12, dtype="f4").reshape(3, 4)
transposed = plain.T
empty = plain[:0]
with cp.cuda.Stream(non_blocking=True):
    on_stream = plain * 2
with cp.cuda.using_allocator(cp.cuda.MemoryPool(cp.cuda.malloc_managed).malloc):
    managed = cp.arange(12.0)
