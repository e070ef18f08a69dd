import ctypes
import mmap
import tempfile

libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]


class Array:
    """A file mapped read-only."""

    def __init__(self, readonly):
        with tempfile.TemporaryFile() as file:
            file.truncate(4096)
            page = libc.mmap(None, 4096, mmap.PROT_READ, mmap.MAP_SHARED, file.fileno(), 0)
        self.__array_interface__ = {"shape": (1024,), "typestr": "<f4", "data": (page, readonly), "version": 3}


array = Array(readonly=False)
