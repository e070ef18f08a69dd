# SPDX-License-Identifier: MIT
"""`__dlpack__(copy=True, dl_device=(1, 0))` of an array in pinned memory returns the same memory.

Library: JAX 0.11.2
Rules: DLP801
Clause: Python array API standard, version 2025.12, array.__dlpack__ copy
Impact: consumers that request a copy in order to write: they modify an immutable JAX array that other code still
    reads.
"""

import ctypes

import jax

get = ctypes.pythonapi.PyCapsule_GetPointer
get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
sharding = jax.sharding.SingleDeviceSharding(jax.devices()[0], memory_kind="pinned_host")
pinned = jax.device_put(jax.numpy.ones(3), sharding)
capsule = pinned.__dlpack__(copy=True, dl_device=(1, 0))
data = ctypes.c_void_p.from_address(get(capsule, b"dltensor")).value
assert data == pinned.unsafe_buffer_pointer()
