"""Without `max_version`, `__dlpack__` ignores `dl_device`: memory of the device comes for any.

Library: dpnp
Rules: DLP505, DLP507
Clause: Python array API standard, version 2025.12, array.__dlpack__ dl_device; Python array API standard, version 2025.12, array.__dlpack__ Raises
Hurts: who asks for a capsule on the host: the consumer reads memory of the device as if it were the host's.
"""

import ctypes

import dpnp

get = ctypes.pythonapi.PyCapsule_GetPointer
get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
for device in (1, 0), (99, 0):
    capsule = dpnp.ones(3).__dlpack__(dl_device=device)
    assert ctypes.c_int.from_address(get(capsule, b"dltensor") + 8).value == 14  # kDLOneAPI
