import dpctl.memory


class Array:
    def __init__(self, memory, **changes):
        self.memory = memory
        self.__sycl_usm_array_interface__ = {
            "shape": (24,), "typestr": "<f4", "data": (memory._pointer, False), "strides": None,
            "syclobj": memory.sycl_queue, "version": 1} | changes


class Holder:
    def __init__(self, queue):
        self._get_capsule = queue._get_capsule


_memory = dpctl.memory.MemoryUSMShared(96)
array = Array(_memory, syclobj=Holder(_memory.sycl_queue))
