# SPDX-License-Identifier: MIT
"""In the exchange table of DLTensorTestWrapper the allocator is NULL, and the stream for the host is not set.

Library: apache-tvm-ffi
Rules: CXA102, CXA601
Clause: dlpack.h, version 1.3, DLPackExchangeAPI.managed_tensor_allocator (must not be NULL); DLPackCurrentWorkStream
    (set to NULL)
Impact: consumers tested with that type: they call NULL, or use an uninitialized stream.
"""

import ctypes

from tvm_ffi.core import DLTensorTestWrapper

pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
api = pointer(DLTensorTestWrapper.__dlpack_c_exchange_api__, b"dlpack_exchange_api")
allocator, *_, current_work_stream = (ctypes.c_void_p * 5).from_address(api + 16)
ask = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int32, ctypes.c_void_p)(current_work_stream)
stream = ctypes.c_void_p(42)
assert allocator is None and ask(1, 0, ctypes.byref(stream)) == 0 and stream.value == 42
