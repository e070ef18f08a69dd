# SPDX-License-Identifier: MIT
"""Arrays that cannot be exported raise JaxRuntimeError, a RuntimeError, instead of BufferError on a GPU, too.

Library: JAX 0.11.2
Rules: DLP808
Clause: Python array API standard, version 2025.12, array.__dlpack__ Raises
Impact: consumers that try DLPack first and catch only BufferError: they fail with an unexpected exception.
"""

import jax.numpy

for dtype in ("int4", "uint2", "float6_e2m3fn"):
    try:
        jax.numpy.ones(3, dtype).__dlpack__()
        raise AssertionError("exported")
    except RuntimeError as error:
        assert not isinstance(error, BufferError) and "no DLPack equivalent" in str(error)
