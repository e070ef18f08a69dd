"""1,000 objects of six protocols, made without NumPy; 300 of them violate a rule, with which their name ends.

USM is real if dpctl is installed; otherwise its objects have no elements, so that their memory is not queried.
"""
import ctypes
import itertools
import mmap

try:
    import dpctl
    import dpctl.memory
except ImportError:
    dpctl = None

_host = (ctypes.c_float * 24)()
_address = ctypes.addressof(_host)
_api = ctypes.pythonapi
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_api.PyCapsule_SetContext.argtypes = [ctypes.py_object, ctypes.py_object]
_libc = ctypes.CDLL(None)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
_frozen = _libc.mmap(None, 4096, mmap.PROT_READ, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)


class Sycl:
    if dpctl:
        memory = dpctl.memory.MemoryUSMShared(96, queue=dpctl.SyclQueue("cpu", property="in_order"))
        usual = {"shape": (6, 4), "data": (memory._pointer, False), "syclobj": memory.sycl_queue}
        own_defects = {
            "SUAI303": {"shape": (8, 3), "strides": (4, 32)},
            "SUAI305": {"strides": (-4, 1)},
            "SUAI306": {"shape": (5, 5)},
            "SUAI403": {"data": (_address, False)},
        }
    else:
        usual = {"shape": (0, 4), "data": (0, False), "syclobj": "opencl:cpu:0"}
        own_defects = {"SUAI502": {"syclobj": "opencl:tpu:0"}}
    usual |= {"typestr": "<f4", "strides": None, "version": 1}
    defects = own_defects | {
        "SUAI102": {"shape": list(usual["shape"])},
        "SUAI107": {"data": (None, False)},
        "SUAI113": {"version": 2},
        "SUAI203": {"typestr": "<f3"},
        "SUAI302": {"strides": (1,)},
        "SUAI501": {"syclobj": 7},
    }

    def __init__(self, **changes):
        self.__sycl_usm_array_interface__ = self.usual | changes


class Cuda:
    usual = {"shape": (6, 4), "typestr": "<f4", "data": (_address, False), "strides": None, "version": 3, "stream": 1}
    defects = {
        "CAI101": {"shape": [6, 4]},
        "CAI102": {"shape": (6, 4.0)},
        "CAI105": {"data": (None, False)},
        "CAI106": {"data": (_address, 0)},
        "CAI110": {"strides": [16, 4]},
        "CAI114": {"stream": "1"},
        "CAI201": {"typestr": "<f3"},
        "CAI301": {"shape": (6, -4)},
        "CAI302": {"strides": (16,)},
        "CAI601": {"stream": 0},
    }

    def __init__(self, **changes):
        self.__cuda_array_interface__ = self.usual | changes


class Numpy:
    usual = {"shape": (6, 4), "typestr": "<f4", "data": (_address, False), "strides": None, "version": 3}
    defects = {
        "NAI102": {"shape": [6, 4]},
        "NAI103": {"version": "3"},
        "NAI104": {"data": [_address, False]},
        "NAI201": {"typestr": "<f3"},
        "NAI302": {"shape": (2**40,)},
        "NAI402": {"data": (_frozen, False)},
    }

    def __init__(self, **changes):
        self.__array_interface__ = self.usual | changes


class _Struct(ctypes.Structure):
    _fields_ = [
        ("two", ctypes.c_int), ("nd", ctypes.c_int), ("typekind", ctypes.c_char), ("itemsize", ctypes.c_int),
        ("flags", ctypes.c_int), ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)), ("data", ctypes.c_void_p), ("descr", ctypes.c_void_p)]


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _destroy(capsule):
    pass


_destructor = ctypes.cast(_destroy, ctypes.c_void_p)


class NumpyStruct:
    usual = {
        "two": 2, "nd": 2, "typekind": b"f", "itemsize": 4, "flags": 0x701, "shape": (ctypes.c_ssize_t * 2)(6, 4),
        "strides": (ctypes.c_ssize_t * 2)(16, 4), "data": _address}
    defects = {
        "NAI109": {"two": 3},
        "NAI110": {"nd": -1},
        "NAI402": {"data": _frozen},
        "NAI305": {"flags": 0x702},
    }

    def __init__(self, **changes):
        self.struct = _Struct(**self.usual | changes)

    @property
    def __array_struct__(self):
        capsule = _api.PyCapsule_New(ctypes.addressof(self.struct), None, _destructor)
        _api.PyCapsule_SetContext(capsule, self)
        return capsule


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64)]


class _Legacy(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("manager_ctx", ctypes.c_void_p), ("deleter", _Deleter)]


class _Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("manager_ctx", ctypes.c_void_p),
        ("deleter", _Deleter), ("flags", ctypes.c_uint64), ("tensor", _Tensor)]


@_Deleter
def _delete(managed):
    pass


class Dlpack:
    usual = {
        "data": _address, "device_type": 1, "device_id": 0, "ndim": 2, "code": 2, "bits": 32, "lanes": 1,
        "shape": (ctypes.c_int64 * 2)(6, 4), "strides": (ctypes.c_int64 * 2)(4, 1)}
    defects = {
        "DLP201": {"code": 99},
        "DLP202": {"bits": 24},
        "DLP203": {"lanes": 0},
        "DLP303": {"strides": None},
        "DLP305": {"shape": (ctypes.c_int64 * 2)(6, -4)},
        "DLP402": {"data": None},
        "DLP407": {"data": 4096},
        "DLP502": {"device_id": 1},
    }

    def __init__(self, **changes):
        tensor = _Tensor(**self.usual | changes)
        self.legacy = _Legacy(tensor, 0, _delete)
        self.versioned = _Versioned(1, 3, 0, _delete, 0, tensor)

    def __dlpack_device__(self):
        return (1, self.legacy.tensor.device_id)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if max_version and max_version[0] >= 1:
            return _api.PyCapsule_New(ctypes.addressof(self.versioned), b"dltensor_versioned", _destructor)
        return _api.PyCapsule_New(ctypes.addressof(self.legacy), b"dltensor", _destructor)


_buffer_defects = {"BUF401": lambda: ctypes.c_double.from_address(_frozen)}

_counts = {Sycl: 170, Cuda: 170, Numpy: 165, NumpyStruct: 165, Dlpack: 165}
for _kind, _count in _counts.items():
    _rules = itertools.cycle(_kind.defects)
    for _i in range(_count):
        _rule = next(_rules) if _i < 50 else ""
        globals()[f"{_kind.__name__}{_i}_{_rule}"] = _kind(**_kind.defects.get(_rule, {}))
_rules = itertools.cycle(_buffer_defects)
for _i in range(165):
    _rule = next(_rules) if _i < 50 else ""
    globals()[f"Buffer{_i}_{_rule}"] = _buffer_defects[_rule]() if _rule else (ctypes.c_float * 24)()
