import ctypes
import mmap
import tempfile


class Array:
    """Three Python objects in a file."""

    def __init__(self):
        with tempfile.TemporaryFile() as file:
            file.truncate(4096)
            self.memory = mmap.mmap(file.fileno(), 4096)
        elements = (ctypes.py_object * 3).from_buffer(self.memory)
        elements[:] = ["x", 1, None]
        self.__array_interface__ = {"shape": (3,), "typestr": "|O", "data": (ctypes.addressof(elements), False),
                                    "version": 3}


array = Array()
