import ctypes
import mmap

libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]


class Array:
    """One page of memory, followed by an unmapped one, read backwards from its last element."""

    def __init__(self):
        page = libc.mmap(0x100000000000, 4096, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
        self.__array_interface__ = {"shape": (1024,), "strides": (-4,), "typestr": "<f4", "data": (page + 4092, False),
                                    "version": 3}


array = Array()
