# SPDX-License-Identifier: MIT
"""Objects that exit, hang or crash their process after many uses, or when released as consumers do; the tests name the
rule. Their managed tensors are allocated by malloc and their deleter is free(), which any thread may call."""
import ctypes
import os
import time

_libc = ctypes.CDLL(None)
_libc.malloc.restype, _libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
_libc.free.argtypes = [ctypes.c_void_p]
_api = ctypes.PyDLL(None)
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
_api.PyCapsule_IsValid.argtypes = _api.PyCapsule_GetPointer.argtypes = ctypes.c_void_p, ctypes.c_char_p
_api.PyCapsule_GetPointer.restype = ctypes.c_void_p
_api.Py_DecRef.argtypes = [ctypes.py_object]
_Callback = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
_kept = []  # exports outlive their objects
_contexts = set()  # of live tensors
NAME, USED = b"dltensor_versioned", b"used_dltensor_versioned"
OFTEN = 61


class Managed(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("data", ctypes.c_void_p),
                ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64)]


class Interface(ctypes.Structure):
    """PyArrayInterface"""
    _fields_ = [("two", ctypes.c_int), ("nd", ctypes.c_int), ("typekind", ctypes.c_char), ("itemsize", ctypes.c_int),
                ("flags", ctypes.c_int), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("data", ctypes.c_void_p), ("descr", ctypes.c_void_p)]


def address_of(function):
    return ctypes.cast(function, ctypes.c_void_p).value


@_Callback
def _free_unused(capsule):
    if _api.PyCapsule_IsValid(capsule, NAME):
        _libc.free(_api.PyCapsule_GetPointer(capsule, NAME))


@_Callback
def _free_always(capsule):
    _libc.free(_api.PyCapsule_GetPointer(capsule, NAME if _api.PyCapsule_IsValid(capsule, NAME) else USED))


@_Callback
def _free_twice(capsule):
    if _api.PyCapsule_IsValid(capsule, NAME):
        address = _api.PyCapsule_GetPointer(capsule, NAME)
        _libc.free(address)
        _libc.free(address)


@_Callback
def _free_with_context(address):
    context = Managed.from_address(address).context
    _contexts.discard(context)
    _libc.free(context)
    _libc.free(address)


@_Callback
def _free_context_of_used(capsule):
    used = _api.PyCapsule_IsValid(capsule, USED)
    address = _api.PyCapsule_GetPointer(capsule, USED if used else NAME)
    if used and Managed.from_address(address).context in _contexts:
        _libc.free(Managed.from_address(address).context)
    elif not used:
        _free_with_context(address)


class Native:
    """Four floats."""

    deleter, destructor = address_of(_libc.free), address_of(_free_unused)

    def __init__(self):
        self.memory = (ctypes.c_float * 4)()
        self.shape = (ctypes.c_int64 * 2)(4, 1)
        _kept.extend([self.memory, self.shape])
        self.n = 0

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if max_version is None:
            raise BufferError("legacy capsules are not supported")
        self.n += 1
        self.use()
        address = _libc.malloc(ctypes.sizeof(Managed))
        shape = ctypes.addressof(self.shape)
        ctypes.memmove(address, ctypes.byref(Managed(1, 3, self.context(), self.deleter, 0, ctypes.addressof(self.memory),
            1, 0, 1, 2, 32, 1, shape, shape + 8, 0)), ctypes.sizeof(Managed))
        return _api.PyCapsule_New(address, NAME, self.destructor)

    def use(self):
        pass

    def context(self):
        return None


class FreesUsed(Native):
    destructor = address_of(_free_always)


class FreesContextOfUsed(Native):
    deleter, destructor = address_of(_free_with_context), address_of(_free_context_of_used)

    def context(self):
        context = _libc.malloc(1000)  # a size that nothing else frees: glibc notices a second free
        _contexts.add(context)
        return context


class FreesTwice(Native):
    destructor = address_of(_free_twice)


class DeleterAborts(Native):
    deleter = address_of(_libc.abort)


class Aborts:
    def use(self):
        if self.n == OFTEN:
            os.abort()


class Leaves:
    def use(self):
        if self.n == OFTEN:
            os._exit(0)


class Hangs:
    def use(self):
        if self.n == OFTEN:
            time.sleep(1000)


class Slow:
    def use(self):
        time.sleep(0.2)


class Loses:
    """Each use releases a reference to the object that belongs to someone else."""

    def use(self):
        if self.n > 5:
            _api.Py_DecRef(self)


class DLPackAborts(Aborts, Native): pass
class DLPackLeaves(Leaves, Native): pass
class DLPackHangs(Hangs, Native): pass
class DLPackLoses(Loses, Native): pass


class Dictionary:
    def __init__(self):
        self.memory = (ctypes.c_float * 4)()
        self.n = 0

    def read(self, **more):
        self.n += 1
        self.use()
        return {"shape": (4,), "typestr": "<f4", "data": (ctypes.addressof(self.memory), False), **more}


class Numpy(Dictionary):
    @property
    def __array_interface__(self):
        return self.read(version=3)


class Struct(Numpy):
    @property
    def __array_struct__(self):
        self.read()
        return self.struct()

    def struct(self):
        self.sizes = (ctypes.c_ssize_t * 2)(4, 4)
        interface = Interface(2, 1, b"f", 4, 0x701, ctypes.addressof(self.sizes), ctypes.addressof(self.sizes) + 8,
            ctypes.addressof(self.memory), None)
        self.interface = interface
        return _api.PyCapsule_New(ctypes.addressof(interface), None, None)


class Cuda(Dictionary):
    @property
    def __cuda_array_interface__(self):
        return self.read(version=3, stream=None)


class Sycl(Dictionary):
    @property
    def __sycl_usm_array_interface__(self):
        return self.read(version=1, syclobj="cpu")


class NumpyAborts(Aborts, Numpy): pass
class NumpyLeaves(Leaves, Numpy): pass
class NumpyLoses(Loses, Numpy): pass
class NumpySlow(Slow, Numpy): pass
class StructAborts(Aborts, Struct):
    __array_interface__ = property(lambda self: self.missing)
class CudaAborts(Aborts, Cuda): pass
class CudaLeaves(Leaves, Cuda): pass
class CudaLoses(Loses, Cuda): pass
class SyclAborts(Aborts, Sycl): pass
class SyclLeaves(Leaves, Sycl): pass
class SyclLoses(Loses, Sycl): pass

