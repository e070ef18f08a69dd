# SPDX-License-Identifier: MIT
"""The results of the new object for each keyword, flag and thread (array API 2025.12, PEP 3118)."""

import ctypes
import gc
import sys
import threading
import weakref

import numpy as np

a = np.arange(6, dtype="f4").reshape(2, 3)
b = np.arange(6, dtype="f4")
b.flags.writeable = False
c = np.arange(6, dtype="f4").reshape(2, 3).T

api = ctypes.pythonapi
api.PyCapsule_GetName.restype = ctypes.c_char_p
api.PyCapsule_GetName.argtypes = [ctypes.py_object]
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
LEGACY, VERSIONED, USED = b"dltensor", b"dltensor_versioned", b"used_dltensor_versioned"


class Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager_ctx", ctypes.c_void_p),
        ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
        ("flags", ctypes.c_uint64),
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


def name(capsule):
    return api.PyCapsule_GetName(capsule)


def tensor(capsule):
    return Versioned.from_address(api.PyCapsule_GetPointer(capsule, VERSIONED))


def raises(kind, call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except kind:
        return
    raise AssertionError(f"no {kind.__name__}: {args} {kwargs}")


def only_protocol(new, wanted):
    found = [n for n in dir(new) if n.startswith("__dlpack") or "interface" in n or "struct" in n]
    assert found == wanted, found
    try:
        memoryview(new)
    except TypeError:
        return
    raise AssertionError("it also exports a buffer")


def keywords(new):
    only_protocol(new, ["__dlpack__", "__dlpack_device__"])
    call = new.__dlpack__
    assert new.__dlpack_device__() == (1, 0)
    assert name(call()) == name(call(max_version=None)) == name(call(max_version=(0, 8))) == LEGACY
    for version in [(1, 0), (1, 1), (1, 2), (1, 3), (1, 99), (2, 0), (99, 0)]:
        capsule = call(max_version=version)
        assert name(capsule) == VERSIONED
        assert (tensor(capsule).major, tensor(capsule).minor) == min((1, 3), version)
    assert tensor(call(max_version=(1, 0))).flags == 0
    assert tensor(call(max_version=(1, 0))).data == a.ctypes.data
    assert tensor(call(max_version=(1, 0), copy=False, stream=None)).data == a.ctypes.data
    assert tensor(call(max_version=(1, 0), dl_device=(1, 0))).data == a.ctypes.data
    copied = call(max_version=(1, 0), copy=True)
    assert tensor(copied).data != a.ctypes.data and tensor(copied).flags == 2
    assert (np.from_dlpack(new, copy=True) == a).all()
    for wrong in [dict(stream=1), dict(stream=-1), dict(stream=0), dict(stream="x")]:
        raises(Exception, call, **wrong)
    raises(BufferError, call, dl_device=(2, 0))
    raises(BufferError, call, dl_device=(1, 1))
    raises(TypeError, call, dl_device=1)
    raises(TypeError, call, max_version=1)
    raises(TypeError, call, max_version=("1", "0"))
    raises(TypeError, call, copy=1)
    raises(TypeError, call, None)
    raises(TypeError, call, streams=None)
    return np.from_dlpack(new)


def read_only(new):
    assert tensor(new.__dlpack__(max_version=(1, 3))).flags == 1
    raises(BufferError, new.__dlpack__)
    assert name(new.__dlpack__(copy=True)) == LEGACY
    assert tensor(new.__dlpack__(max_version=(1, 3), copy=True)).flags == 2
    assert not np.from_dlpack(new).flags.writeable
    return new


def legacy(new):
    assert name(new.__dlpack__(max_version=(1, 3))) == LEGACY
    return np.from_dlpack(new)


def lifetimes(new):
    """Capsules that are dropped, consumed, or released by a thread without the GIL leave no reference."""
    start = sys.getrefcount(new)
    dropped = [new.__dlpack__(max_version=(1, 3)) for _ in range(3)] + [new.__dlpack__()]
    assert sys.getrefcount(new) == start + 4
    del dropped
    assert sys.getrefcount(new) == start

    taken = np.from_dlpack(new)
    assert sys.getrefcount(new) == start + 1
    assert (taken == a).all()
    del taken
    assert sys.getrefcount(new) == start

    capsule = new.__dlpack__(max_version=(1, 3))
    managed = api.PyCapsule_GetPointer(capsule, VERSIONED)
    deleter = ctypes.cast(Versioned.from_address(managed).deleter, ctypes.c_void_p).value
    api.PyCapsule_SetName(capsule, USED)
    del capsule
    gc.collect()
    assert sys.getrefcount(new) == start + 1
    # CFUNCTYPE, unlike PYFUNCTYPE, releases the GIL around the call.
    thread = threading.Thread(target=ctypes.CFUNCTYPE(None, ctypes.c_void_p)(deleter), args=(managed,))
    thread.start()
    thread.join()
    assert sys.getrefcount(new) == start
    assert weakref.ref(new)() is new
    return new


def resident_kib():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * 4


def many(new):
    """10,000 exports, half of them consumed, some with copies: memory stays constant."""
    for round in range(3):
        for _ in range(5000):
            new.__dlpack__()
            np.from_dlpack(new)
            new.__dlpack__(copy=True, max_version=(1, 3))
        if round == 0:
            start = resident_kib()
    assert resident_kib() - start < 512, resident_kib() - start
    return new


def buffer_requests(new):
    """PyBUF flags: which requests c (Fortran order, 3 x 2) can and cannot grant."""

    class View(ctypes.Structure):
        _fields_ = [
            ("buf", ctypes.c_void_p), ("obj", ctypes.c_void_p), ("len", ctypes.c_ssize_t),
            ("itemsize", ctypes.c_ssize_t), ("readonly", ctypes.c_int), ("ndim", ctypes.c_int),
            ("format", ctypes.c_char_p), ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
            ("strides", ctypes.POINTER(ctypes.c_ssize_t)), ("suboffsets", ctypes.c_void_p),
            ("internal", ctypes.c_void_p),
        ]

    SIMPLE, WRITABLE, FORMAT, ND, STRIDES = 0, 1, 4, 8, 0x18
    C, F, ANY = 0x38, 0x58, 0x98

    def request(flags):
        view = View()
        api.PyObject_GetBuffer(ctypes.py_object(new), ctypes.byref(view), flags)
        api.PyBuffer_Release(ctypes.byref(view))
        return view

    for refused in [SIMPLE, ND, FORMAT, C, C | WRITABLE]:
        raises(BufferError, request, refused)
    for granted in [STRIDES, F, ANY, F | WRITABLE | FORMAT]:
        view = request(granted)
        assert (view.len, view.itemsize, view.ndim, view.readonly) == (24, 4, 2, 0)
        assert view.shape[:2] == [3, 2] and view.strides[:2] == [4, 12]
        assert view.format == (b"f" if granted & FORMAT else None)
        assert not view.suboffsets
    assert not [n for n in dir(new) if "dlpack" in n or "array" in n]
    return new


def numpy_dictionary(new):
    only_protocol(new, ["__array_interface__"])
    assert new.__array_interface__ == {
        "version": 3, "shape": (2, 3), "typestr": a.dtype.str, "strides": None,
        "data": (a.ctypes.data, False),
    }
    return np.asarray(new)
