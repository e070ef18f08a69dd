# SPDX-License-Identifier: MIT
"""`from_dlpack` calls a deleter that is NULL, which aborts the process with std::bad_function_call.

Library: jax
Rules: DLC704
Clause: dlpack.h, version 1.3, DLManagedTensorVersioned.deleter ("It can be NULL")
Impact: exporters of static memory: the process ends when the array is freed. If JAX copies the elements, since their address is not a multiple of 64, `from_dlpack` raises RuntimeError instead.
Known: seen on 2026-11-23.
"""

import ctypes
import os
import jax
import numpy

array = numpy.ones(32, "f4")
capsule = array[-array.ctypes.data % 64 // 4 :].__dlpack__()
ctypes.c_void_p.from_address(ctypes.c_int64.from_address(id(capsule) + 16).value + 56).value = None  # deleter
exporter = type("Exporter", (), {"__dlpack__": lambda self, **_: capsule, "__dlpack_device__": lambda self: (1, 0)})()
os.fork() or os._exit(jax.dlpack.from_dlpack(exporter) is None)
assert os.WTERMSIG(os.wait()[1]) == 6
