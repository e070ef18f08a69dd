# SPDX-License-Identifier: MIT
"""`from_dlpack` calls a deleter that is NULL, which kills the process with SIGSEGV.

Library: dpnp
Rules: DLC704
Clause: dlpack.h, version 1.3, DLManagedTensorVersioned.deleter ("It can be NULL")
Impact: exporters of static memory: the process ends when the array is freed.
Known: seen on 2026-11-23.
"""

import ctypes
import os
import dpnp
import numpy

capsule = numpy.ones((2, 3), "f4").__dlpack__()
ctypes.c_void_p.from_address(ctypes.c_int64.from_address(id(capsule) + 16).value + 56).value = None  # deleter
exporter = type("Exporter", (), {"__dlpack__": lambda self, **_: capsule, "__dlpack_device__": lambda self: (1, 0)})()
os.fork() or os._exit(dpnp.from_dlpack(exporter) is None)
assert os.WTERMSIG(os.wait()[1]) == 11
