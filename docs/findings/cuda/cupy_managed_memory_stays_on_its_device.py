# SPDX-License-Identifier: MIT
"""`__dlpack__(dl_device=(1, 0))` of managed memory returns a capsule that is not on the CPU.

Library: CuPy 14.2
Rules: DLP506
Clause: Python array API standard, version 2025.12, array.__dlpack__ dl_device
Impact: consumers that request host memory: they reject the capsule, or read it while a kernel still writes.
"""

import ctypes

import cupy

get = ctypes.pythonapi.PyCapsule_GetPointer
get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
with cupy.cuda.using_allocator(cupy.cuda.malloc_managed):
    array = cupy.ones(3)
capsule = array.__dlpack__(max_version=(1, 0), dl_device=(1, 0))
assert ctypes.c_int.from_address(get(capsule, b"dltensor_versioned") + 40).value != 1
