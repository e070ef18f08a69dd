# SPDX-License-Identifier: MIT
"""`__dlpack_device__()` of an array on the second CPU device returns (1, 0), but its capsule contains (1, 1).

Library: jax
Rules: DLP501
Clause: Python array API standard, version 2025.12, array.__dlpack_device__; dlpack.h, version 1.3, DLDevice.device_id
    ("this is set to 0")
Impact: consumers that compare the two reject the array; those that use the capsule look for a CPU with that number.
"""

import ctypes

import jax

jax.config.update("jax_num_cpu_devices", 2)
array = jax.device_put(jax.numpy.ones(3), jax.devices()[1])
get = ctypes.pythonapi.PyCapsule_GetPointer
get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
tensor = get(array.__dlpack__(), b"dltensor")
assert list((ctypes.c_int * 2).from_address(tensor + 8)) == [1, 1]
assert array.__dlpack_device__() == (1, 0)
