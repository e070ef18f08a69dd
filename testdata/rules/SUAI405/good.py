import dpctl.memory


class Array:
    def __init__(self, memory, **changes):
        self.memory = memory
        self.__sycl_usm_array_interface__ = {
            "shape": (24,), "typestr": "<f4", "data": (memory._pointer, False), "strides": None,
            "syclobj": memory.sycl_queue, "version": 1} | changes


_memory = dpctl.memory.MemoryUSMShared(96)
array = Array(_memory, shape=(20,), offset=4)
