import dpctl.memory


class Array:
    def __init__(self, memory, **changes):
        self.memory = memory
        self.__sycl_usm_array_interface__ = {
            "shape": (24,), "typestr": "<f4", "data": (memory._pointer, False), "strides": None,
            "syclobj": memory.sycl_queue, "version": 1} | changes


# The same array with strides in bytes, as in NumPy.
array = Array(dpctl.memory.MemoryUSMShared(96), shape=(8, 3), strides=(4, 32))
