# SPDX-License-Identifier: MIT
"""Arrays that cannot be exported raise JaxRuntimeError, a RuntimeError, instead of BufferError.

Library: jax
Clause: Python array API standard, version 2025.12, array.__dlpack__ Raises
Impact: consumers that try DLPack first and catch only BufferError: they fail with an unexpected exception.
"""

import jax.numpy

try:
    jax.numpy.ones(3, "int4").__dlpack__()
    raise AssertionError("exported")
except RuntimeError as error:
    assert not isinstance(error, BufferError) and "no DLPack equivalent" in str(error)
