# SPDX-License-Identifier: MIT
"""`from_dlpack` kills the process with SIGSEGV if `ndim` is 2147483647.

Library: dpnp, pyarrow
Rules: DLC002
Clause: derived from dlpack.h, version 1.3, DLTensor
Impact: exporters under development: the process ends without a traceback. The tensor is invalid; a consumer is not required to check it.
Known: seen on 2026-11-23.
"""

import ctypes
import os
import pydoc
import numpy

for name in "dpnp.from_dlpack", "pyarrow.lib.Tensor.from_dlpack":
    capsule = numpy.ones((2, 3), "f4").__dlpack__(max_version=(1, 0))
    ctypes.c_int32.from_address(ctypes.c_int64.from_address(id(capsule) + 16).value + 48).value = 2**31 - 1  # ndim
    exporter = type("Exporter", (), {"__dlpack__": lambda self, **_: capsule, "__dlpack_device__": lambda self: (1, 0)})()
    os.fork() or os._exit(pydoc.locate(name)(exporter) is None)
    assert os.WTERMSIG(os.wait()[1]) == 11, name
