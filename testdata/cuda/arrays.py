# SPDX-License-Identifier: MIT
"""__cuda_array_interface__ and __dlpack__ for any address, with values that may be wrong."""

import ctypes

_api = ctypes.pythonapi
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Cai:
    def __init__(self, pointer, shape=(250,), typestr="<f4", stream=None, readonly=False, strides=None, device=None, keep=None):
        self.interface = {"version": 3, "shape": shape, "typestr": typestr, "data": (pointer, readonly),
                          "strides": strides, "stream": stream}
        self.keep = keep
        if device:
            self.device = device

    @property
    def __cuda_array_interface__(self):
        return self.interface


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int), ("device_id", ctypes.c_int),
                ("ndim", ctypes.c_int), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64)]


class _Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("manager_ctx", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", _Tensor)]


class _Legacy(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("manager_ctx", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _nothing(_):
    pass


_FromPython = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))
_WorkStream = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))


class _Table(ctypes.Structure):
    """DLPackExchangeAPI of dlpack.h 1.3."""

    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("prev_api", ctypes.c_void_p),
                ("managed_tensor_allocator", ctypes.c_void_p), ("managed_tensor_from_py_object_no_sync", _FromPython),
                ("managed_tensor_to_py_object_no_sync", ctypes.c_void_p), ("dltensor_from_py_object_no_sync", ctypes.c_void_p),
                ("current_work_stream", _WorkStream)]


def exchange_api(before, stream):
    """For a class of Dlpack: before() runs when one of its arrays is exchanged; current_work_stream returns stream."""

    @_FromPython
    def from_python(address, out):
        try:
            before()
        except Exception:
            return -1
        out[0] = ctypes.addressof(ctypes.cast(address, ctypes.py_object).value._versioned)
        return 0

    @_WorkStream
    def current(device_type, device_id, out):
        out[0] = stream
        return 0

    table = _Table(1, 3, None, None, from_python, None, None, current)
    _kept.append(table)
    return _api.PyCapsule_New(ctypes.addressof(table), b"dlpack_exchange_api", None)


_kept = []


class Tensor:
    """Elements of any type; both the tensor and __dlpack_device__ report device. strides: in elements."""

    def __init__(self, pointer, device, code, bits, shape, strides, readonly=False):
        self._device = device
        self._readonly = readonly
        self._shape = (ctypes.c_int64 * max(len(shape), 1))(*shape)
        self._strides = (ctypes.c_int64 * max(len(shape), 1))(*strides)
        nothing = ctypes.cast(_nothing, ctypes.c_void_p)
        tensor = _Tensor(pointer, *device, len(shape), code, bits, 1, ctypes.addressof(self._shape),
                         ctypes.addressof(self._strides), 0)
        self._versioned = _Versioned(1, 3, None, nothing, int(readonly), tensor)
        self._legacy = _Legacy(tensor, None, nothing)

    def __dlpack_device__(self):
        return self._device

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if copy or dl_device not in (None, self._device):
            raise BufferError("no copies")
        nothing = ctypes.cast(_nothing, ctypes.c_void_p)
        if max_version is None or max_version[0] < 1:
            if self._readonly:
                raise BufferError("the legacy struct cannot express that data is read-only")
            return _api.PyCapsule_New(ctypes.addressof(self._legacy), b"dltensor", nothing)
        return _api.PyCapsule_New(ctypes.addressof(self._versioned), b"dltensor_versioned", nothing)


class Dlpack(Tensor):
    """n elements of float32, one after the other."""

    def __init__(self, pointer, device, n=250):
        super().__init__(pointer, device, 2, 32, (n,), (1,))
