import ctypes


class Array:
    """Three Python objects in memory of this process."""

    def __init__(self):
        self.memory = (ctypes.py_object * 3)("x", 1, None)
        self.__array_interface__ = {"shape": (3,), "typestr": "|O", "data": (ctypes.addressof(self.memory), False),
                                    "version": 3}


array = Array()
