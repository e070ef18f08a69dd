# SPDX-License-Identifier: MIT
"""An array on the second CPU device is on device 1 by its capsule, and on device 0 by `__dlpack_device__`.

Library: jax
Clause: dlpack.h, version 1.3, DLDevice.device_id (0 for memory of the CPU); Python array API standard, version
    2025.12, array.__dlpack_device__
Hurts: consumers that compare the two, or look for CPU 1.
"""

import ctypes
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax  # noqa: E402

array = jax.device_put(jax.numpy.ones(3), jax.devices()[1])
get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
capsule = array.__dlpack__()
assert (ctypes.c_int * 4).from_address(get_pointer(capsule, b"dltensor"))[2:] == [1, 1]
assert array.__dlpack_device__() == (1, 0)
