# SPDX-License-Identifier: MIT
"""Consumers of DLPack tensors with one fault each, and `healthy`, which has none: it returns a NumPy array that shares
the memory of the tensor. bats/consumers.bats names the rule that each breaks."""

import ctypes
import functools
import math
import os
import time

import numpy as np

LEGACY, VERSIONED = b"dltensor", b"dltensor_versioned"
USED = {LEGACY: b"used_dltensor", VERSIONED: b"used_dltensor_versioned"}
KINDS = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}
READ_ONLY = 1
DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)

is_valid = ctypes.pythonapi.PyCapsule_IsValid
is_valid.argtypes = [ctypes.py_object, ctypes.c_char_p]
get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
get_pointer.argtypes, get_pointer.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_void_p
set_name = ctypes.pythonapi.PyCapsule_SetName
set_name.argtypes = [ctypes.py_object, ctypes.c_char_p]


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class Legacy(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]
    major, minor, flags = 1, 0, 0


class Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", Tensor)]


class Owner:
    """Owns a managed tensor; NumPy keeps it as the base of the array."""

    def __init__(self, managed, fault):
        self.managed, self.fault = managed, fault
        self.is_used = False

    def delete(self):
        if self.fault == "null context" and not self.managed.context:
            return
        if self.managed.deleter or self.fault == "null deleter":
            DELETER(self.managed.deleter or 0)(ctypes.addressof(self.managed))

    def __del__(self):
        if not self.is_used or self.fault not in ("leak", "early"):
            self.delete()
        if self.fault == "twice":
            self.delete()


def export(x, fault):
    try:
        return x.__dlpack__(max_version=(1, 3))
    except TypeError:
        if fault == "retry":
            raise
        return x.__dlpack__()


def require(condition, text):
    if not condition:
        raise BufferError(text)


def compact_strides(shape):
    return [math.prod(shape[i + 1:]) for i in range(len(shape))]


def array_of(managed, owner, fault):
    tensor = managed.tensor
    if fault == "ndim" and tensor.ndim > 64:
        tensor.shape[tensor.ndim - 1]
    require(0 <= tensor.ndim <= 64, "ndim")
    require(tensor.shape or not tensor.ndim, "shape is NULL")
    require((tensor.device_type, tensor.device_id) == (1, 0), "not on the CPU")
    require(tensor.strides or not tensor.ndim or (managed.major, managed.minor) < (1, 2), "strides is NULL")
    require(tensor.lanes == 1 or (fault == "lanes" and tensor.lanes), "lanes")
    require(tensor.code in KINDS and tensor.bits % 8 == 0, "dtype")
    try:
        dtype = np.dtype(f"{KINDS[tensor.code]}{tensor.bits // 8}")
    except TypeError:
        raise BufferError("dtype") from None
    shape = tensor.shape[:tensor.ndim]
    require(all(extent >= 0 for extent in shape), "negative extent")
    strides = tensor.strides[:tensor.ndim] if tensor.strides else compact_strides(shape)
    if fault == "strides":
        strides = compact_strides(shape)
    if fault == "stride signs":
        strides = [abs(stride) for stride in strides]
    strides = [stride * dtype.itemsize for stride in strides]
    size, data = math.prod(shape), tensor.data or 0
    require(data >= 4096 or not size, "data is not an address")
    if fault == "alignment":
        data -= data % 16
    address = data + (0 if fault == "byte_offset" else tensor.byte_offset)
    reach = [(extent - 1) * stride for extent, stride in zip(shape, strides)] if size else []
    low, high = sum(n for n in reach if n < 0), sum(n for n in reach if n > 0) + dtype.itemsize
    require(address + low >= 0 and address + high < 2**63 and size < 2**60, "overflow")
    if not size:
        return np.empty(shape, dtype)
    if fault == "exit":
        os._exit(0)
    while fault == "hang":
        time.sleep(1)
    if fault == "bounds":
        ctypes.string_at(address + low, high - low + 64)
    if fault == "write":
        ctypes.memset(address, 1, 1)
    owner.is_used = True
    if fault == "early":
        owner.delete()
    owner.__array_interface__ = {
        "version": 3, "shape": tuple(shape), "typestr": dtype.str, "strides": tuple(strides),
        "data": (address, bool(managed.flags & READ_ONLY) and fault != "read-only")}
    array = np.asarray(owner)
    if fault == "narrow" and dtype.itemsize == 8 and dtype.kind in "iuf":
        return array.astype(dtype.kind + "4")
    if fault == "sign" and dtype.kind == "i":
        return array.view(f"u{dtype.itemsize}").astype(object if dtype.itemsize == 8 else "i8")
    if fault == "absolute":
        return np.abs(array)
    if fault == "real" and dtype.kind in "iu":
        return array.astype("f8")
    if fault == "elements":
        array = array.copy()
        array[(-1,) * array.ndim] = 0
    return array


def consume(x, fault=None):
    if fault == "argument":
        x.__dlpack_device__()
        return x
    require(tuple(x.__dlpack_device__()) == (1, 0), "not on the CPU")
    try:
        capsule = export(x, fault)
    except BufferError:
        if fault == "exception":
            return np.zeros(3)
        raise
    names = [name for name in (LEGACY, VERSIONED) if is_valid(capsule, name)]
    if fault == "used" and is_valid(capsule, USED[VERSIONED]):
        names = [VERSIONED]
        set_name(capsule, VERSIONED)
    require(names, "not a capsule of DLPack")
    managed = (Legacy if names == [LEGACY] else Versioned).from_address(get_pointer(capsule, names[0]))
    if fault != "rename":
        set_name(capsule, USED[names[0]])
    if fault == "raise" and managed.tensor.bits == 16:
        raise BufferError("16 bits")
    owner = Owner(managed, fault)
    require(managed.major == 1 or fault == "version", "version")
    if fault == "system" and managed.tensor.bits == 16:
        raise SystemError("returned NULL without setting an exception")
    return array_of(managed, owner, fault)


class Table(ctypes.Structure):
    """DLPackExchangeAPI."""


Table._fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("prev", ctypes.POINTER(Table)),
                  ("allocate", ctypes.c_void_p), ("export", ctypes.c_void_p), ("functions", ctypes.c_void_p * 3)]
EXPORT = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(ctypes.c_void_p))


def consume_exchange(x, fault=None):
    """Through the C exchange API, if the type has one."""
    capsule = getattr(type(x), "__dlpack_c_exchange_api__", None)
    if capsule is None or not is_valid(capsule, b"dlpack_exchange_api"):
        return consume(x, fault)
    table = Table.from_address(get_pointer(capsule, b"dlpack_exchange_api"))
    while table.major != 1 and fault != "version":
        require(table.prev, "major version")
        table = table.prev.contents
    out = ctypes.c_void_p()
    EXPORT(table.export)(x, ctypes.byref(out))
    managed = Versioned.from_address(out.value)
    return array_of(managed, Owner(managed, fault), fault)


def ignores_tensor(x):
    return np.asarray(x, dtype=object)


def leaks_tensor(x):
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(x))
    return consume(x)


def over_releases(x):
    ctypes.pythonapi.Py_DecRef(ctypes.py_object(x))
    return consume(x)


class Address:
    """Of an array that it does not keep."""

    def __init__(self, array):
        self.interface = dict(array.__array_interface__)

    def tolist(self):
        return np.asarray(type("View", (), {"__array_interface__": self.interface})()).tolist()


def keeps_address(x):
    return Address(consume(x))


def transposes(x):
    return consume(x).T


def reads_whole_steps(x):
    """The step after the last element, too."""
    array = consume(x)
    if array.ndim and array.size and array.strides[0] > 0:
        ctypes.string_at(array.ctypes.data, array.shape[0] * array.strides[0])
    return array


def ignores_read_only_of_scalars(x):
    array = consume(x)
    return np.asarray(type("View", (), {"base": array, "__array_interface__": array.__array_interface__ | {
        "data": (array.ctypes.data, False)}})()) if not array.ndim else array


def copies_without_stride_signs(x):
    return ignores_stride_signs(x).copy()


healthy = consume
ignores_byte_offset = functools.partial(consume, fault="byte_offset")
ignores_strides = functools.partial(consume, fault="strides")
ignores_stride_signs = functools.partial(consume, fault="stride signs")
ignores_lanes = functools.partial(consume, fault="lanes")
ignores_version = functools.partial(consume, fault="version")
ignores_read_only = functools.partial(consume, fault="read-only")
ignores_exception = functools.partial(consume, fault="exception")
requires_alignment = functools.partial(consume, fault="alignment")
requires_keywords = functools.partial(consume, fault="retry")
narrows = functools.partial(consume, fault="narrow")
changes_element = functools.partial(consume, fault="elements")
ignores_sign = functools.partial(consume, fault="sign")
returns_absolute = functools.partial(consume, fault="absolute")
converts_to_real = functools.partial(consume, fault="real")
leaks = functools.partial(consume, fault="leak")
leaks_if_it_raises = functools.partial(consume, fault="raise")
deletes_twice = functools.partial(consume, fault="twice")
deletes_early = functools.partial(consume, fault="early")
calls_null = functools.partial(consume, fault="null deleter")
requires_context = functools.partial(consume, fault="null context")
does_not_rename = functools.partial(consume, fault="rename")
accepts_used = functools.partial(consume, fault="used")
trusts_ndim = functools.partial(consume, fault="ndim")
reads_past_end = functools.partial(consume, fault="bounds")
writes = functools.partial(consume, fault="write")
raises_system_error = functools.partial(consume, fault="system")
returns_argument = functools.partial(consume, fault="argument")
exits = functools.partial(consume, fault="exit")
hangs = functools.partial(consume, fault="hang")
for planted, fault in {"healthy": None, "ignores_byte_offset": "byte_offset", "ignores_strides": "strides", "narrows": "narrow",
                       "ignores_read_only": "read-only", "leaks": "leak", "deletes_twice": "twice", "deletes_early": "early",
                       "ignores_version": "version"}.items():
    globals()[f"exchange_{planted}"] = functools.partial(consume_exchange, fault=fault)
