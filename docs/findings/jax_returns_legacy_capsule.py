# SPDX-License-Identifier: MIT
"""`__dlpack__(max_version=(1, 0))` returns a legacy capsule, which cannot express that the array is read-only.

Library: jax
Clause: Python array API standard, version 2025.12, array.__dlpack__ max_version
Impact: JAX arrays are immutable, but consumers get writable memory. Consumers that accept only versioned capsules,
    such as PyArrow, cannot import them.
"""

import jax.numpy
import pyarrow

array = jax.numpy.ones(3)
assert '"dltensor"' in repr(array.__dlpack__(max_version=(1, 0)))
try:
    pyarrow.Tensor.from_dlpack(array)
    raise AssertionError("PyArrow accepted it")
except ValueError as error:
    assert "incorrect name" in str(error)
