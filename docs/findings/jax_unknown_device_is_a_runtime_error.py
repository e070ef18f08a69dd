"""A `dl_device` that is not there raises RuntimeError, and no BufferError.

Library: jax
Rules: DLP505
Clause: Python array API standard, version 2025.12, array.__dlpack__ dl_device; Python array API standard, version 2025.12, array.__dlpack__ Raises
Hurts: consumers that try a device and go another way on BufferError end with the error of JAX's device look-up.
"""

import jax.numpy

try:
    jax.numpy.ones(3).__dlpack__(dl_device=(2, 0))
    raise AssertionError("exported")
except RuntimeError as error:
    assert not isinstance(error, BufferError) and "Unknown backend cuda" in str(error)
