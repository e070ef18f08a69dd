# SPDX-License-Identifier: MIT
"""`from_dlpack` calls the functions of a C exchange API of another major version, which kills the process with SIGSEGV.

Library: apache-tvm-ffi
Rules: DLC001, DLC002
Clause: dlpack.h, version 1.3, DLPackExchangeAPIHeader.version
Impact: exporters of DLPack 2: a consumer must check the major version, and follow prev_api to an older table.
Known: seen on 2026-11-23.
"""

import ctypes
import os
import struct
import tvm_ffi

ctypes.pythonapi.PyCapsule_New.restype = ctypes.py_object
table = struct.pack("IIP", 2, 0, 0) + b"\xff" * 40
capsule = ctypes.pythonapi.PyCapsule_New(table, b"dlpack_exchange_api", None)
exporter = type("Exporter", (), {"__dlpack_c_exchange_api__": capsule})()
os.fork() or os._exit(tvm_ffi.from_dlpack(exporter) is None)
assert os.WTERMSIG(os.wait()[1]) == 11
