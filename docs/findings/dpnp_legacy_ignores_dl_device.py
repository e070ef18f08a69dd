"""Without `max_version`, `__dlpack__` ignores `dl_device` and always returns device memory.

Library: dpnp
Rules: DLP505, DLP507
Clause: Python array API standard, version 2025.12, array.__dlpack__ dl_device; Python array API standard, version
    2025.12, array.__dlpack__ Raises
Impact: consumers that request a capsule on the host: they read device memory as if it were host memory.
"""

import ctypes

import dpnp

get = ctypes.pythonapi.PyCapsule_GetPointer
get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
for device in (1, 0), (99, 0):
    capsule = dpnp.ones(3).__dlpack__(dl_device=device)
    assert ctypes.c_int.from_address(get(capsule, b"dltensor") + 8).value == 14  # kDLOneAPI
