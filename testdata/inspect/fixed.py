# SPDX-License-Identifier: MIT
"""Interfaces with the same content in every run: the goldens contain what inspect prints for them."""


class Exporter:
    def __init__(self, name, declared):
        setattr(self, f"__{name}_interface__", declared)


class Count(int):
    pass


class Index:
    def __index__(self):
        return 3

    def __repr__(self):
        raise RuntimeError("no __repr__ may be run")


class Words(str):
    pass


def cuda(**more):
    return {"shape": (2, 3), "typestr": "<f4", "data": (0x2000, False), "version": 3} | more


cuda_0 = Exporter("cuda_array", cuda(version=0))
cuda_1 = Exporter("cuda_array", cuda(version=1, data=(0x2000, True)))
cuda_2 = Exporter("cuda_array", cuda(version=2, strides=(4, 8)))
cuda_3 = Exporter("cuda_array", cuda(strides=None, stream=2, descr=[("", "<f4")]))
masked = Exporter("cuda_array", cuda(mask=Exporter("cuda_array", cuda(typestr="|b1"))))

cycle = {"shape": (Count(2), Index(), True, 1.0), "typestr": Words("<i4")}
cycle.update(self=cycle, version=2**64, data=(-(2**70), 0), text="\ud800\n", raw=b"\0\xff")
cycle.update(nan=float("nan"), type=Index, object=Index())
cycle[5] = cycle[None] = [(), {}, cycle]
odd = Exporter("array", cycle)
listed = Exporter("array", {"shape": [2], "typestr": "<i4", "data": [0x1000, True], "version": 3})
wild = Exporter("array", {"shape": (2,), "typestr": "<i4", "data": (0x1000, True), "version": 3})
deep = []
for _ in range(100):
    deep = [deep]
deep = Exporter("array", {"deep": deep, "long": list(range(200000)), "wide": 10**5000})
no_dictionary = Exporter("array", 5)


class Raises:
    """One interface that raises does not affect the others."""

    __cuda_array_interface__ = cuda()

    @property
    def __array_interface__(self):
        raise RuntimeError("not today")

    @property
    def __array_struct__(self):
        raise BufferError("refused")

    @property
    def __sycl_usm_array_interface__(self):
        raise AttributeError("not exported")

    def __dlpack__(self, max_version=None):
        raise BufferError("cannot export")

    def __dlpack_device__(self):
        raise RuntimeError("no device")


class Old:
    def __dlpack__(self):
        return "no capsule"


raises, old, again = Raises(), Old(), cuda_0
