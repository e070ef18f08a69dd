# SPDX-License-Identifier: MIT
"""`__dlpack__(max_version=(1, 0))` answers with a legacy capsule, which cannot say that the array is read-only.

Library: jax
Clause: Python array API standard, version 2025.12, array.__dlpack__ max_version
Hurts: JAX's arrays never change, but consumers get them as writable memory; and those that take versioned
    capsules alone, as pyarrow does, cannot take them at all.
"""

import jax.numpy
import pyarrow

array = jax.numpy.ones(3)
assert '"dltensor"' in repr(array.__dlpack__(max_version=(1, 0)))
try:
    pyarrow.Tensor.from_dlpack(array)
    raise AssertionError("pyarrow took it")
except ValueError as error:
    assert "incorrect name" in str(error)
