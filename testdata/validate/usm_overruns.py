"""Overruns of real USM: by how much, for three block sizes and three kinds, 20 blocks each."""
import dpctl
import dpctl.memory

_queue = dpctl.SyclQueue("cpu", property="in_order")


class Array:
    def __init__(self, memory, n_bytes):
        self.memory = memory
        self.__sycl_usm_array_interface__ = {
            "shape": (n_bytes,), "typestr": "|u1", "data": (memory._pointer, False), "strides": None,
            "syclobj": _queue, "version": 1}


for _kind in (dpctl.memory.MemoryUSMDevice, dpctl.memory.MemoryUSMShared, dpctl.memory.MemoryUSMHost):
    for _size in (1000, 100_000, 5_000_000):
        for _i, _memory in enumerate([_kind(_size, queue=_queue) for _ in range(20)]):
            for _by in (1, 64, _size // 2, _size):
                globals()[f"{_kind.__name__}_{_size}_{_i}_by_{_by}"] = Array(_memory, _size + _by)
