"""Capsules whose pointers, lists of extents and attributes of results are not what they should be; nothing reads them but suai trace."""
import ctypes
import sys
import types

import numpy as np

PROT_NONE, PROT_READ, PROT_READ_WRITE, PRIVATE_ANONYMOUS, PAGE = 0, 1, 3, 0x22, 4096
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
capsule_new = ctypes.pythonapi.PyCapsule_New
capsule_new.restype = ctypes.py_object
capsule_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Managed(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64),
                ("manager_ctx", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


def map_page(protection):
    return libc.mmap(None, PAGE, protection, PRIVATE_ANONYMOUS, -1, 0)


elements, extents = (ctypes.c_float * 4)(), (ctypes.c_int64 * 1)(4)
delete = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda managed: None)
unmapped = map_page(PROT_NONE)


def managed(shape):
    address = map_page(PROT_READ_WRITE)
    tensor = Managed.from_address(address)
    tensor.data, tensor.device_type = ctypes.addressof(elements), 1
    tensor.ndim, tensor.code, tensor.bits, tensor.lanes, tensor.shape = 1, 2, 32, 1, shape
    tensor.deleter = ctypes.cast(delete, ctypes.c_void_p).value
    return address


# Where no memory is.
for name in b"dltensor", b"dltensor_versioned", b"dlpack_exchange_api":
    capsule_new(unmapped, name, None)

# Extents where no memory is, which a consumer that rejects the device does not read.
capsule_new(managed(unmapped), b"dltensor", None)


# A struct that cannot be written.
class ReadOnlyStruct:
    address = managed(ctypes.addressof(extents))

    def __dlpack__(self, **keywords):
        return capsule_new(self.address, b"dltensor", None)

    def __dlpack_device__(self):
        return (1, 0)


libc.mprotect(ReadOnlyStruct.address, PAGE, PROT_READ)
np.from_dlpack(ReadOnlyStruct())

# Pages that a program protects between two tensors that are in them.
for protection in PROT_NONE, PROT_READ:
    page = map_page(PROT_READ_WRITE)
    tensors = managed(ctypes.addressof(extents)), managed(page)
    ctypes.c_int64.from_address(page).value = 4
    capsules = [capsule_new(tensor, b"dltensor", None) for tensor in tensors]
    libc.mprotect(tensors[0], PAGE, protection)
    libc.mprotect(page, PAGE, protection)
    capsules += [capsule_new(tensor, b"dltensor", None) for tensor in tensors]
    del capsules

# A struct of two pages, the second of which cannot be read.
page = libc.mmap(None, 2 * PAGE, PROT_READ_WRITE, PRIVATE_ANONYMOUS, -1, 0)
libc.mprotect(page + PAGE, PAGE, PROT_NONE)
capsule_new(page + PAGE - 16, b"dltensor", None)


# A result whose elements are said to have 2**32 bytes.
class Sized(np.ndarray):
    @property
    def itemsize(self):
        return 8 if hasattr(self, "is_source") else 1 << 32


package = types.ModuleType("package")
package.__dict__.update(__file__="/site-packages/package/__init__.py", np=np)
sys.modules["package"] = package
exec(compile("def copy(a):\n    return np.array(a, subok=True)", package.__file__, "exec"), package.__dict__)
source = np.arange(8.0).view(Sized)
source.is_source = True
package.copy(source)
print("ended")
