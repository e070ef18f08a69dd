"""Dictionaries as libraries export them for healthy arrays, taken from their sources: checking them needs no GPU."""
import types


class Array:
    def __init__(self, interface, **own):
        self.__cuda_array_interface__ = interface
        self.__dict__.update(own)


class Mapping:
    """Has the keys of a dictionary without being one, as versions 0 and 1 allowed."""

    def __init__(self, items):
        self.items = items

    def keys(self):
        return self.items.keys()

    def __getitem__(self, key):
        return self.items[key]


def cupy(shape, strides=None, pointer=0x7F0000000200, typestr="<f4"):
    return Array({"shape": shape, "typestr": typestr, "descr": [("", typestr)], "stream": 1, "version": 3,
                  "strides": strides, "data": (pointer, False)})


cupy_plain = cupy((3, 4))
cupy_fortran = cupy((3, 4), strides=(4, 12))
cupy_column = cupy((3,), strides=(16,))
cupy_scalar = cupy(())
cupy_empty = cupy((0, 3), pointer=0)
cupy_complex = cupy((3,), typestr="<c16")
cupy_bool = cupy((3,), typestr="|b1", pointer=0x7F0000000201)

torch_plain = Array({"typestr": "<f4", "shape": (3, 4), "strides": None, "data": (0x7F0000000200, False), "version": 2},
                    device="cuda:0", dtype="torch.float32")
torch_transposed = Array({"typestr": "<i8", "shape": (3, 4), "strides": (8, 24), "data": (0x7F0000000200, False),
                          "version": 2}, device="cuda:0", dtype="torch.int64")

jax_plain = Array({"shape": (3, 4), "typestr": "<f4", "data": (0x7F0000000200, True), "version": 2},
                  device="cuda:0", dtype="float32")

numba_plain = Array({"shape": (3, 4), "strides": None, "data": (0x7F0000000200, False), "typestr": "<f8",
                     "stream": None, "version": 3}, strides=(32, 8), dtype="float64")
numba_on_stream = Array({"shape": (3,), "strides": (16,), "data": (0x7F0000000200, False), "typestr": "<f8",
                         "stream": 94230480, "version": 3}, strides=(16,), dtype="float64")

rmm_buffer = Array({"data": (0x7F0000000200, False), "shape": (100,), "strides": None, "typestr": "|u1", "version": 0})
rmm_empty = Array({"data": (0, False), "shape": (0,), "strides": None, "typestr": "|u1", "version": 0})

warp_vectors = Array({"data": (0x7F0000000200, False), "shape": (10, 3), "strides": (12, 4), "typestr": "<f4",
                      "version": 2}, strides=(12,), device="cuda:0")

old_mapping = Array(Mapping({"shape": (3,), "typestr": "<f4", "data": (0x7F0000000200, False), "version": 1}))
read_only = Array(types.MappingProxyType({"shape": (3,), "typestr": "<f4", "data": (0x7F0000000200, False), "version": 3}))
