# SPDX-License-Identifier: MIT
"""Arrays whose elements are not aligned to their size are exported like any other.

Library: numpy, apache-tvm-ffi, pyarrow
Clause: derived from dlpack.h, version 1.3, DLTensor.data; DLDataType
Impact: consumers that share the memory: a loop of aligned vector instructions faults. JAX copies the array instead,
    or rejects it with copy=False.
"""

import jax
import numpy

unaligned = numpy.zeros(13, "uint8")[1:].view("float32")
assert not unaligned.flags.aligned
try:
    jax.dlpack.from_dlpack(unaligned, copy=False)
    raise AssertionError("shared")
except ValueError as error:
    assert "not aligned" in str(error)
