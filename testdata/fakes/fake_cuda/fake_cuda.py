# SPDX-License-Identifier: MIT
"""Arrays on the fake CUDA driver: neither a GPU nor a test of one."""

import ctypes

_library = ctypes.CDLL("libcuda.so.1")
_library.cuInit(0)
_allocate = _library.fake_cuda_allocate
_allocate.restype = ctypes.c_void_p
_allocate.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
_copy = _library.cuMemcpyAsync
_copy.argtypes = [ctypes.c_uint64, ctypes.c_uint64, ctypes.c_size_t, ctypes.c_void_p]
_library.fake_cuda_share.argtypes = [ctypes.c_uint64]
use, reach, reaches = _library.fake_cuda_use, _library.fake_cuda_reach, _library.fake_cuda_reaches
retained = _library.fake_cuda_retained
_stream = _library.fake_cuda_stream
_stream.restype = ctypes.c_void_p


def stream(device=0, wild=False):
    return _stream(device, wild)


_destroy = _library.cuStreamDestroy_v2
_destroy.argtypes = [ctypes.c_void_p]


class Owner(dict):
    """A dictionary that owns its stream."""

    def __del__(self):
        _destroy(self["stream"])


class FakeArray:
    """4-byte floats 0, 1, 2, ... in fake memory of a kind."""

    def __init__(self, n, kind="device", device=0, extra=0, stream=None, shift=0):
        self.pointer = _allocate(kind.encode(), 4 * n, device) + shift
        values = (ctypes.c_float * n)(*range(n))
        context = ctypes.c_void_p()
        _library.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
        _library.cuCtxPushCurrent_v2(context)
        _copy(self.pointer - shift, ctypes.addressof(values), 4 * n, None)
        _library.cuCtxPopCurrent_v2(ctypes.byref(context))
        _library.cuDevicePrimaryCtxRelease_v2(device)
        self._shape = (n + extra,)
        self._stream = stream

    def share(self):
        _library.fake_cuda_share(self.pointer)
        return self

    @property
    def __cuda_array_interface__(self):
        return {
            "version": 3,
            "shape": self._shape,
            "typestr": "<f4",
            "data": (self.pointer, False),
            "strides": None,
            "stream": self._stream,
        }
