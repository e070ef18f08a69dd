# SPDX-License-Identifier: MIT
"""`from_dlpack` of a tensor in USM memory raises TypeError if `data` is NULL because there are no elements.

Library: dpnp
Clause: dlpack.h, version 1.3, DLTensor.data ("if the tensor is of size zero")
Impact: exporters that conform to dlpack.h: dpnp cannot import their empty arrays. Its own exports have an address.
Known: seen on 2026-11-29. The tensors of `--consumer` are in host memory, so suai does not report it.
"""

import ctypes
import dpnp

capsule = dpnp.zeros((0, 2)).__dlpack__(max_version=(1, 0))
ctypes.c_void_p.from_address(ctypes.c_int64.from_address(id(capsule) + 16).value + 32).value = None  # data
device = dpnp.zeros(0).__dlpack_device__
exporter = type("Exporter", (), {"__dlpack__": lambda self, **_: capsule, "__dlpack_device__": lambda self: device()})()
try:
    raise AssertionError(dpnp.from_dlpack(exporter))
except TypeError as error:
    assert "__cinit__() takes exactly 1 positional argument" in str(error)
