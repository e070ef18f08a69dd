# SPDX-License-Identifier: MIT
"""Memory of each CUDA kind, using only the driver's C interface."""

import ctypes

cu = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    code = getattr(cu, name)(*arguments)
    if code:
        raise OSError(f"{name}: {code}")


_context = ctypes.c_void_p()
call("cuInit", 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(_context), 0)
call("cuCtxSetCurrent", _context)
ATTACH_GLOBAL = 1


def make(kind, values):
    """The address of new memory of the kind, which holds the values."""
    address, n_bytes = ctypes.c_uint64(), ctypes.c_size_t(values.nbytes)
    if kind == "device":
        call("cuMemAlloc_v2", ctypes.byref(address), n_bytes)
    elif kind == "host":
        call("cuMemHostAlloc", ctypes.byref(address), n_bytes, 0)
    else:
        call("cuMemAllocManaged", ctypes.byref(address), n_bytes, ATTACH_GLOBAL)
    call("cuMemcpyHtoD_v2" if kind == "device" else "cuMemcpy", address,
         ctypes.c_uint64(values.ctypes.data), n_bytes)
    call("cuCtxSynchronize")
    return address.value
