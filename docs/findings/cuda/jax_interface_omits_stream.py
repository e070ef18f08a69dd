# SPDX-License-Identifier: MIT
"""`__cuda_array_interface__` reports no stream, although the array has not been computed yet.

Library: JAX 0.11.2
Rules: CAI606
Clause: CUDA Array Interface, version 3, Interface Requirements
Impact: consumers of the interface: they read elements that have not been computed. Version 2 has no key for a stream,
    and JAX does not wait either, although it does for `__dlpack__`.
"""

import cupy
import jax
import jax.numpy as jnp

x = jnp.full((4096, 4096), 1e-4)
work = jax.jit(lambda x, last: jnp.where(jnp.arange(4096) < 1e9 + jax.lax.fori_loop(0, 600, lambda i, y: jnp.tanh(x @ y), x)[0, 0], last, 0))
work(x, 1.0).block_until_ready()
array = work(x, 7.0)
early = cupy.asarray(type("View", (), {"__cuda_array_interface__": array.__cuda_array_interface__})()).get()
assert (early != 7).any() and (array == 7).all() and "stream" not in array.__cuda_array_interface__
