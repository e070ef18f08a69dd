"""SYCL dictionaries over host memory: a legal one, and some whose layout can be read only in part."""
import ctypes

_memory = (ctypes.c_float * 6)()


class _Sycl:
    def __init__(self, **changes):
        self.__sycl_usm_array_interface__ = {
            "data": (ctypes.addressof(_memory), False),
            "shape": (6,),
            "typestr": "<f4",
            "version": 1,
            "syclobj": "cpu",
            **changes,
        }


legal = _Sycl()
listed = _Sycl(shape=[6])
far = _Sycl(offset=2**62)
untyped = _Sycl(typestr="<q4")
