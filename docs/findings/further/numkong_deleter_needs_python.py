# SPDX-License-Identifier: MIT
"""The deleter of a DLPack export crashes after the interpreter has been finalized.

Library: numkong 7.8
Rules: DLP706
Clause: derived from dlpack.h, version 1.3, DLManagedTensorVersioned.deleter
Impact: programs whose C++ objects hold tensors until the process exits, in globals, statics or thread-local storage.
"""

import subprocess
import sys

code = """import ctypes, numkong
api, capsule = ctypes.pythonapi, ctypes.py_object(numkong.zeros(3).__dlpack__())
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
managed = api.PyCapsule_GetPointer(capsule, b"dltensor")
api.PyCapsule_SetName(capsule, b"used_dltensor")
deleter = ctypes.c_void_p.from_address(managed + 56)
ctypes.CDLL(None).__cxa_atexit(deleter, ctypes.c_void_p(managed), None)"""
assert subprocess.run([sys.executable, "-c", code]).returncode < 0
