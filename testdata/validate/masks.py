# SPDX-License-Identifier: MIT
"""NumPy's array interface with masks, valid and invalid ones."""
import ctypes


class _Exporter:
    def __init__(self, mask=None, shape=(2, 3), typestr="<f4"):
        self.memory = (ctypes.c_float * 6)()
        self.__array_interface__ = {"shape": shape, "typestr": typestr, "data": (ctypes.addressof(self.memory), False),
                                    "version": 3, "mask": mask}


class _Raises:
    @property
    def __array_interface__(self):
        raise ValueError("not now")


class _Struct:
    __array_struct__ = None


def _mask(*shape):
    return _Exporter(shape=shape, typestr="|b1")


none = _Exporter()
whole = _Exporter(_mask(2, 3))
row = _Exporter(_mask(3))
column = _Exporter(_mask(2, 1))
scalar = _Exporter(_mask())
by_struct = _Exporter(_Struct())
raises = _Exporter(_Raises())
too_long = _Exporter(_mask(4))
too_many_dimensions = _Exporter(_mask(1, 2, 3))
list_of_bools = _Exporter([True, False, True])
number = _Exporter(7)
looks_like_facts = _Exporter({"exposes": True})
nothing = _Exporter(object())
