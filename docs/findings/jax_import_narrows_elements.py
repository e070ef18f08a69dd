# SPDX-License-Identifier: MIT
"""Without `jax_enable_x64`, `from_dlpack` changes integers of 64 bits, without an exception or a warning.

Library: jax
Rules: DLC307
Clause: derived from Python array API standard, version 2025.12, from_dlpack
Impact: numbers beyond 32 bits: they wrap, and 1099511627776 becomes 0. `jax.config.update("jax_enable_x64", True)` avoids it.
Known: seen on 2026-11-23. JAX documents that it uses 32-bit types unless jax_enable_x64 is set; `jnp.asarray(x, dtype="int64")` warns of it.
"""

import warnings
import jax
import numpy

with warnings.catch_warnings():
    warnings.simplefilter("error")
    result = jax.dlpack.from_dlpack(numpy.array([2**40, 2**40 + 1]))
assert (str(result.dtype), result.tolist()) == ("int32", [0, 1])
