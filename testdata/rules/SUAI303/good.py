import dpctl.memory


class Array:
    def __init__(self, memory, **changes):
        self.memory = memory
        self.__sycl_usm_array_interface__ = {
            "shape": (24,), "typestr": "<f4", "data": (memory._pointer, False), "strides": None,
            "syclobj": memory.sycl_queue, "version": 1} | changes


# Three columns of eight elements each, in Fortran order; strides in elements.
array = Array(dpctl.memory.MemoryUSMShared(96), shape=(8, 3), strides=(1, 8))
