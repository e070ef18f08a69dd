import ctypes


class Exporter:
    def __init__(self, memory, shape, typestr, **others):
        self.memory = memory
        self.__array_interface__ = {"shape": shape, "typestr": typestr, "data": (ctypes.addressof(memory), False),
                                    "version": 3, **others}


mask = Exporter((ctypes.c_bool * 3)(), (3,), "|b1")
array = Exporter((ctypes.c_float * 6)(), (2, 3), "<f4", mask=mask)
