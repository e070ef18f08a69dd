# SPDX-License-Identifier: MIT
"""`from_dlpack` kills the process with SIGSEGV if `shape` is NULL although `ndim` is not 0.

Library: array_api_strict, dpnp, jax, numpy
Rules: DLC002
Clause: derived from dlpack.h, version 1.3, DLTensor
Impact: exporters under development: the process ends without a traceback. The tensor is invalid; a consumer is not required to check it.
Known: seen on 2026-11-23; array_api_strict calls NumPy.
"""

import ctypes
import os
import pydoc
import numpy

for name in "array_api_strict.from_dlpack", "dpnp.from_dlpack", "jax.dlpack.from_dlpack", "numpy.from_dlpack":
    capsule = numpy.ones((2, 3), "f4").__dlpack__()
    ctypes.c_void_p.from_address(ctypes.c_int64.from_address(id(capsule) + 16).value + 24).value = None  # shape
    exporter = type("Exporter", (), {"__dlpack__": lambda self, **_: capsule, "__dlpack_device__": lambda self: (1, 0)})()
    os.fork() or os._exit(pydoc.locate(name)(exporter) is None)
    assert os.WTERMSIG(os.wait()[1]) == 11, name
