"""Objects whose documents have every key and status that suai writes."""
import array
import os

import numpy as np

floats = np.arange(12, dtype="f4").reshape(3, 4)
alias = floats
reversed_columns = floats.T[:, ::-1]
empty = np.zeros((0, 3), dtype=">i2")
scalar = np.array(3.5)
records = np.zeros(2, dtype=[("a", "i1"), ("b", [("x", "<f4"), ("y", ">i2", (2,))])])
buffer_only = array.array("d", [1, 2])


class Cuda:
    def __init__(self, **declared):
        self.__cuda_array_interface__ = declared


good = Cuda(shape=(3, 4), typestr="<f4", data=(0x7000, False), strides=None, version=3)
odd = Cuda(
    shape=[3, np.int64(4)],
    typestr="yes",
    data=(2**64, np.True_),
    strides=(float("nan"), 1e22, -0.0, float("-inf")),
    version=b"\x00\\3",
    mask=object(),
    descr={"a.b": "\udc80\\", "['x']": "a\nb", "": {"~": "0x10"}, "€": 2**70},
)


class Raises:
    @property
    def __cuda_array_interface__(self):
        raise RuntimeError("no device\n\udc80 \x1b[31m")

    @property
    def __array_interface__(self):
        return {"shape": (2,), "typestr": "<i4", "data": memoryview(b"12345678"), "version": 3}

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **keywords):
        raise BufferError("not now")


class Leaves:
    @property
    def __cuda_array_interface__(self):
        os._exit(0)


raises = Raises()
leaves = Leaves()
