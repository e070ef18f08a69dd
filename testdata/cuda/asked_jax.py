# SPDX-License-Identifier: MIT
"""A few of JAX arrays for --calls and --lifetime, which call each of them many times, in separate workers."""

import os

os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402

plain = jnp.arange(12, dtype="f4").reshape(3, 4)
empty = jnp.zeros((0, 4))
pinned = jax.device_put(plain, jax.sharding.SingleDeviceSharding(jax.devices()[0], memory_kind="pinned_host"))
jax.block_until_ready([plain, empty, pinned])
