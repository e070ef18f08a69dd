# SPDX-License-Identifier: MIT
"""The deleter of a DLPack export crashes after the interpreter has been finalized.

Library: CuPy 14.2, cuda.core 1.2
Rules: DLP706
Clause: derived from dlpack.h, version 1.3, DLManagedTensorVersioned.deleter
Impact: programs whose C++ objects hold tensors until the process exits, in globals, statics or thread-local storage.
"""

import subprocess
import sys

end = """; api, capsule = ctypes.pythonapi, ctypes.py_object(made.__dlpack__())
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
managed = api.PyCapsule_GetPointer(capsule, b"dltensor")
api.PyCapsule_SetName(capsule, b"used_dltensor")
ctypes.CDLL(None).__cxa_atexit(ctypes.c_void_p.from_address(managed + 56), ctypes.c_void_p(managed), None)"""
core = "from cuda.core import Device as D; D(0).set_current(); made = D(0).allocate(48, stream=D(0).default_stream)"
for start in "import cupy; made = cupy.ones(3)", core:
    assert subprocess.run([sys.executable, "-c", "import ctypes; " + start + end]).returncode < 0
