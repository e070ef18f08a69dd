import ctypes
import mmap

libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]


class Record(ctypes.Structure):
    """Uses one page of memory, followed by an unmapped one."""

    _fields_ = [("bytes", ctypes.c_char * 4100)]


page = libc.mmap(0x100000000000, 4096, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
array = Record.from_address(page)
