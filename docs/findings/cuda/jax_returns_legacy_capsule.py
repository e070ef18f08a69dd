# SPDX-License-Identifier: MIT
"""`__dlpack__(max_version=(1, 3))` returns a legacy capsule on a GPU, too.

Library: JAX 0.11.2
Rules: DLP104
Clause: Python array API standard, version 2025.12, array.__dlpack__ max_version
Impact: JAX arrays are immutable, and its CUDA Array Interface marks them as read-only, but DLPack consumers get
    writable memory.
"""

import jax.numpy

array = jax.numpy.ones(3)
assert '"dltensor"' in repr(array.__dlpack__(max_version=(1, 3)))
assert array.__cuda_array_interface__["data"][1] is True
