# SPDX-License-Identifier: MIT
"""NumPy's dictionary and struct and a PEP 3118 buffer for a mebibyte of mapped memory, and others with one false field."""
import ctypes
import mmap
import os

_N_BYTES = 1 << 20
_api, _libc = ctypes.pythonapi, ctypes.CDLL(None)
_libc.mprotect.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
_api.PyCapsule_New.restype = _api.PyType_FromSpec.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
_kept = []


def _keep(thing):
    _kept.append(thing)
    return thing


def _mapped(protection=mmap.PROT_READ | mmap.PROT_WRITE):
    address = ctypes.addressof(_keep(ctypes.c_char.from_buffer(_keep(mmap.mmap(-1, _N_BYTES)))))
    _libc.mprotect(address, _N_BYTES, protection)
    return address


def _integers(items):
    return ctypes.addressof(_keep((ctypes.c_ssize_t * len(items))(*items))) if items else None


def _truncated():
    """Two pages of a file, of which one is left."""
    file = os.memfd_create("truncated")
    os.ftruncate(file, 2 * mmap.PAGESIZE)
    pages = mmap.mmap(file, 2 * mmap.PAGESIZE)
    os.ftruncate(file, mmap.PAGESIZE)
    return ctypes.addressof(ctypes.c_char.from_buffer(pages)), pages


_memory, _read_only, _unreadable, _nowhere, _far = _mapped(), _mapped(mmap.PROT_READ), _mapped(0), 4096, 1 << 40


class Dictionary:
    def __init__(self, **changes):
        self.__array_interface__ = {"shape": (2, 3), "typestr": "<f4", "data": (_memory, False), "strides": (12, 4),
                                    "version": 3} | changes


class _Struct(ctypes.Structure):
    _fields_ = [("two", ctypes.c_int), ("nd", ctypes.c_int), ("typekind", ctypes.c_char), ("itemsize", ctypes.c_int),
                ("flags", ctypes.c_int), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("data", ctypes.c_void_p), ("descr", ctypes.c_void_p)]


class Struct:
    def __init__(self, name=None, **changes):
        fields = {"two": 2, "nd": 2, "typekind": b"f", "itemsize": 4, "flags": 0x701, "shape": _integers((2, 3)),
                  "strides": _integers((12, 4)), "data": _memory} | changes
        self.__array_struct__ = _api.PyCapsule_New(ctypes.addressof(_keep(_Struct(**fields))), _keep(name), None)


class _View(ctypes.Structure):
    _fields_ = [("buf", ctypes.c_void_p), ("obj", ctypes.c_void_p), ("len", ctypes.c_ssize_t),
                ("itemsize", ctypes.c_ssize_t), ("readonly", ctypes.c_int), ("ndim", ctypes.c_int),
                ("format", ctypes.c_char_p), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("suboffsets", ctypes.c_void_p), ("internal", ctypes.c_void_p)]


class _Slot(ctypes.Structure):
    _fields_ = [("slot", ctypes.c_int), ("function", ctypes.c_void_p)]


class _Spec(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("basicsize", ctypes.c_int), ("itemsize", ctypes.c_int),
                ("flags", ctypes.c_uint), ("slots", ctypes.POINTER(_Slot))]


@ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(_View), ctypes.c_int)
def _get_buffer(exporter, view, flags):
    for field, value in exporter.fields.items():
        asked = {"format": 0x4, "shape": 0x8, "strides": 0x10, "suboffsets": 0x100}.get(field, 0)
        setattr(view.contents, field, value if flags & asked == asked else None)
    view.contents.obj, view.contents.internal = id(exporter), None
    _api.Py_IncRef(ctypes.py_object(exporter))
    return 0


_slots = (_Slot * 2)(_Slot(1, ctypes.cast(_get_buffer, ctypes.c_void_p)), _Slot(0, None))  # Py_bf_getbuffer
_spec = _Spec(b"host_lies._Exporter", object.__basicsize__, 0, 1 << 18 | 1 << 10, _slots)
_Exporter = _api.PyType_FromSpec(ctypes.byref(_spec))


class Buffer(_Exporter):
    def __init__(self, **changes):
        self.fields = {"buf": _memory, "len": 24, "itemsize": 4, "readonly": 0, "ndim": 2, "format": b"f",
                       "shape": _integers((2, 3)), "strides": _integers((12, 4)), "suboffsets": None} | changes



_file, _pages = _truncated()
dict_truth = Dictionary()
dict_truth_file = Dictionary(data=(_file + mmap.PAGESIZE - 24, False))
dict_truth_read_only = Dictionary(data=(_read_only, True))
dict_truth_whole = Dictionary(shape=(_N_BYTES,), typestr="|u1", strides=None)
dict_truth_reversed = Dictionary(data=(_memory + 20, False), strides=(-12, -4))
dict_truth_buffer = Dictionary(data=bytearray(28), offset=4)
dict_truth_empty = Dictionary(shape=(0, 3), data=(_nowhere, False), strides=None)
dict_data_nowhere = Dictionary(data=(_nowhere, False))
dict_data_missing = Dictionary(data=(0, False))
dict_data_last = Dictionary(data=(2**64 - 8, False))
dict_data_unreadable = Dictionary(data=(_unreadable, True))
dict_file_truncated = Dictionary(data=(_file + mmap.PAGESIZE - 20, False))
dict_flag_lies = Dictionary(data=(_read_only, False))
dict_shape_too_far = Dictionary(shape=(_far,), strides=None)
dict_shape_huge = Dictionary(shape=(1 << 62, 3), strides=None)
dict_strides_too_far = Dictionary(strides=(_far, 4))
dict_strides_below = Dictionary(strides=(-_far, 4))
dict_strides_below_zero = Dictionary(strides=(-(1 << 60), 4))
dict_typestr_too_wide = Dictionary(shape=(1,), strides=None, typestr=f"|V{2**31 - 1}")
dict_buffer_too_short = Dictionary(data=bytearray(20), strides=None)
dict_buffer_offset_too_far = Dictionary(data=bytearray(24), offset=4)
dict_buffer_offset_below = Dictionary(data=bytearray(24), offset=-4)
dict_buffer_strides_below = Dictionary(data=bytearray(24), strides=(-12, 4))
struct_truth = Struct()
struct_truth_read_only = Struct(data=_read_only, flags=0x301)
struct_data_nowhere = Struct(data=_nowhere)
struct_data_last = Struct(data=2**64 - 8)
struct_data_missing = Struct(data=0)
struct_data_unreadable = Struct(data=_unreadable)
struct_flag_lies = Struct(data=_read_only)
struct_shape_too_far = Struct(shape=_integers((_far, 3)))
struct_shape_nowhere = Struct(shape=_nowhere)
struct_strides_too_far = Struct(strides=_integers((_far, 4)), flags=0x700)
struct_strides_below = Struct(strides=_integers((-_far, 4)), flags=0x700)
struct_strides_below_zero = Struct(strides=_integers((-(1 << 60), 4)), flags=0x700)
struct_strides_nowhere = Struct(strides=_nowhere)
struct_itemsize_too_wide = Struct(itemsize=2**31 - 1, typekind=b"V")
struct_two_lies = Struct(two=3)
struct_nd_lies = Struct(nd=65)
struct_named = Struct(name=b"array")
buffer_truth = Buffer()
buffer_truth_read_only = Buffer(buf=_read_only, readonly=1)
buffer_truth_scalar = Buffer(ndim=0, len=4, shape=None, strides=None)
buffer_nowhere = Buffer(buf=_nowhere)
buffer_last = Buffer(buf=2**64 - 8)
buffer_missing = Buffer(buf=None)
buffer_unreadable = Buffer(buf=_unreadable, readonly=1)
buffer_file_truncated = Buffer(buf=_file + mmap.PAGESIZE)
buffer_flag_lies = Buffer(buf=_read_only)
buffer_too_long = Buffer(shape=_integers((_far, 3)), len=12 * _far)
buffer_len_lies = Buffer(len=28)
buffer_strides_too_far = Buffer(strides=_integers((_far, 4)))
buffer_strides_below = Buffer(strides=_integers((-_far, 4)))
buffer_strides_below_zero = Buffer(strides=_integers((-(1 << 60), 4)))
buffer_itemsize_lies = Buffer(itemsize=8, len=48, strides=_integers((24, 8)))
buffer_ndim_lies = Buffer(ndim=65)
buffer_format_missing = Buffer(format=None)
buffer_format_nowhere = Buffer(format=_nowhere)
buffer_shape_nowhere = Buffer(shape=_nowhere)
buffer_strides_nowhere = Buffer(strides=_nowhere)
buffer_suboffsets_lie = Buffer(suboffsets=_integers((-1, -1)))
_hole = 1 << 45  # between the heap and the mappings whose addresses the kernel chooses
dict_data_unmapped = Dictionary(data=(_hole, False))
struct_data_unmapped = Struct(data=_hole)
buffer_unmapped = Buffer(buf=_hole)
