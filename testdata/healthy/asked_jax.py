# SPDX-License-Identifier: MIT
"""JAX on the CPU: arrays for --calls and --lifetime."""

import os

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402


def plain():
    return jnp.arange(12.0).reshape(3, 4)


def zero_d():
    return jnp.asarray(1.5)


def empty():
    return jnp.zeros((0, 3))


def boolean():
    return jnp.asarray([True, False])


def bfloat16():
    return jnp.ones(3, jnp.bfloat16)


def int4():
    return jnp.ones(3, jnp.int4)


def shared():
    raw = np.zeros(192, "u1")
    return jax.device_put(raw[-raw.ctypes.data % 64 :][:64].view("f4"))


def on_second_device():
    return jax.device_put(jnp.ones((2, 3)), jax.devices()[1])


def deleted():
    array = jnp.ones(3)
    array.delete()
    return array
