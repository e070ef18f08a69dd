# SPDX-License-Identifier: MIT
"""A DLPack export of a gigabyte of mapped memory, and others with one false field."""
import ctypes
import mmap

_N_BYTES = 1 << 30
_api, _libc = ctypes.pythonapi, ctypes.CDLL(None)
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
_libc.mprotect.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
_kept = []


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int), ("device_id", ctypes.c_int),
                ("ndim", ctypes.c_int), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64)]


class _Legacy(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("manager_ctx", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class _Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("manager_ctx", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", _Tensor)]


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _nothing(_):
    pass


_nothing_at = ctypes.cast(_nothing, ctypes.c_void_p).value


def _keep(thing):
    _kept.append(thing)
    return thing


def _mapped(protection=mmap.PROT_READ | mmap.PROT_WRITE):
    memory = _keep(mmap.mmap(-1, _N_BYTES))
    address = ctypes.addressof(_keep(ctypes.c_char.from_buffer(memory)))
    _libc.mprotect(address, _N_BYTES, protection)
    return address


_memory = _mapped()


class Array:
    def __init__(self, shape=(2, 3), strides=(3, 1), told=(1, 0), version=(1, 3), flags=0, destructor=_nothing_at,
                 legacy=b"dltensor", versioned=b"dltensor_versioned", struct=None, **fields):
        def integers(items):
            return ctypes.addressof(_keep((ctypes.c_int64 * len(items))(*items))) if items else None

        self.told, self.destructor, self.struct, self.names = told, destructor, struct, (legacy, versioned)
        tensor = _Tensor(fields.get("data", _memory), 1, 0, 2 if shape is None else len(shape), 2, 32, 1, integers(shape),
                         integers(strides), 0)
        for field, value in fields.items():
            setattr(tensor, field, value)
        self.managed = (_keep(_Legacy(tensor, None, _nothing_at)),
                        _keep(_Versioned(*version, None, _nothing_at, flags, tensor)))

    def __dlpack_device__(self):
        return self.told

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        i = int(max_version is not None and self.names[1] != b"dltensor")
        address = self.struct or ctypes.addressof(self.managed[i])
        return _api.PyCapsule_New(address, self.names[i], self.destructor)


truth = Array()
truth_read_only = Array(data=_mapped(mmap.PROT_READ), flags=1)
truth_whole = Array(shape=(1 << 28,), strides=(1,))
truth_scalar = Array(shape=(), strides=())
truth_empty = Array(shape=(0, 3), data=0)
device_list = Array(told=[1, 0])
device_unknown = Array(told=(6, 0), device_type=6)
device_negative = Array(told=(2, -1), device_type=2, device_id=-1)
device_other = Array(told=(2, 0))
device_second_cpu = Array(told=(1, 1), device_id=1)
name_wrong = Array(versioned=b"tensor")
name_used = Array(versioned=b"used_dltensor_versioned")
name_not_legacy = Array(legacy=b"used_dltensor")
legacy_alone = Array(versioned=b"dltensor")
struct_nowhere = Array(struct=16)
shape_nowhere = Array()
shape_nowhere.managed[1].tensor.shape = 16
destructor_missing = Array(destructor=None)
version_later = Array(version=(2, 0))
version_earlier = Array(version=(1, 0), code=10, bits=8)
version_missing = Array(version=(0, 0))
flags_unknown = Array(flags=1 << 40)
flags_copied = Array(flags=2)
code_unknown = Array(code=18)
bits_odd = Array(bits=33)
bits_of_bool = Array(code=6, bits=1)
bits_of_float4 = Array(code=17, bits=8)
lanes_none = Array(lanes=0)
ndim_negative = Array(ndim=-1)
shape_missing = Array(shape=None)
shape_negative = Array(shape=(2, -3))
shape_huge = Array(shape=(1 << 62, 3))
shape_too_far = Array(shape=(1 << 40,), strides=(1,))
strides_missing = Array(strides=None)
strides_too_far = Array(strides=(1 << 40, 1))
strides_below = Array(strides=(-(1 << 40), 1))
strides_of_bytes = Array(shape=(1 << 28,), strides=(4,))
offset_too_far = Array(byte_offset=1 << 42)
offset_wraps = Array(byte_offset=2**64 - 1)
data_missing = Array(data=0)
data_nowhere = Array(data=4096)
data_unreadable = Array(data=_mapped(0))
data_read_only = Array(data=_mapped(mmap.PROT_READ))
data_unmapped = Array(data=1 << 45)  # between the heap and the mappings whose addresses the kernel chooses
