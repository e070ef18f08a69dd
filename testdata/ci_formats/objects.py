# SPDX-License-Identifier: MIT
# Ten defective objects and a healthy one; objects.yaml is their dump.


class Array:
    def __init__(self, **interface):
        self.interface = interface

    def read(self):
        return self.interface


class Sycl(Array):
    __sycl_usm_array_interface__ = property(Array.read)


class Cuda(Array):
    __cuda_array_interface__ = property(Array.read)


class Numpy(Array):
    __array_interface__ = property(Array.read)


class Raises:
    @property
    def __cuda_array_interface__(self):
        raise RuntimeError("no device:\nit left, 100 % <gone> & ]]> ::error::\x1b[1m")


class Silent:
    pass


def sycl(**changes):
    return Sycl(**{"shape": (2, 3), "typestr": "<f4", "data": (4096, False), "version": 1,
                   "strides": (3, 1), "syclobj": "cpu", **changes})


def cuda(**changes):
    return Cuda(**{"shape": (2, 3), "typestr": "<f4", "data": (4096, False), "version": 3,
                   "strides": None, **changes})


def leave():
    raise ValueError("no such array\nat all")


extents = sycl(shape=(2, 3.5), typestr="|f4")
short_strides = sycl(strides=(1,))
listed = sycl(shape=[2, 3], version=2)
many, other = sycl(shape=(2, -3), data=[4096, 0]), 1
stream_zero = cuda(stream=0)
no_typestr = cuda(typestr=4)
old: Cuda = cuda(version=True)
table = {"<&>, #1: 100%": Numpy(shape=(2,), typestr="<f3", version=3, data=(4096, False))}
raises = Raises()
silent = Silent()
healthy = memoryview(b"abc")
