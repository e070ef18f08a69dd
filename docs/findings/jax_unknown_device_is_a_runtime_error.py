"""A nonexistent `dl_device` raises RuntimeError instead of BufferError.

Library: jax
Rules: DLP505
Clause: Python array API standard, version 2025.12, array.__dlpack__ dl_device; Python array API standard, version
    2025.12, array.__dlpack__ Raises
Impact: consumers that try a device and catch only BufferError: they fail with the error of JAX's device lookup.
"""

import jax.numpy

try:
    jax.numpy.ones(3).__dlpack__(dl_device=(2, 0))
    raise AssertionError("exported")
except RuntimeError as error:
    assert not isinstance(error, BufferError) and "Unknown backend cuda" in str(error)
