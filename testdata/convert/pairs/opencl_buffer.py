# SPDX-License-Identifier: MIT
"""A cl_mem of the first platform's first device, using only OpenCL's C interface."""

import ctypes

cl = ctypes.CDLL("libOpenCL.so.1")
cl.clCreateContext.restype = cl.clCreateBuffer.restype = ctypes.c_void_p
READ_WRITE, COPY_HOST_PTR, ALL = 1, 32, 0xFFFFFFFF


def make(values, flags=0):
    """The handle of a new buffer with the values; flags: additional cl_mem_flags."""
    platform, device, failed = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int32()
    if cl.clGetPlatformIDs(1, ctypes.byref(platform), None):
        raise OSError("no OpenCL platform")
    if cl.clGetDeviceIDs(platform, ctypes.c_uint64(ALL), 1, ctypes.byref(device), None):
        raise OSError("no OpenCL device")
    context = cl.clCreateContext(None, 1, ctypes.byref(device), None, None, ctypes.byref(failed))
    handle = cl.clCreateBuffer(
        ctypes.c_void_p(context), ctypes.c_uint64(READ_WRITE | COPY_HOST_PTR | flags),
        ctypes.c_size_t(values.nbytes), ctypes.c_void_p(values.ctypes.data), ctypes.byref(failed),
    )
    if failed.value:
        raise OSError(f"clCreateBuffer: {failed.value}")
    return handle
