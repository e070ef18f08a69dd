import dpctl
import dpctl.memory


class Array:
    def __init__(self, memory, **changes):
        self.memory = memory
        self.__sycl_usm_array_interface__ = {
            "shape": (24,), "typestr": "<f4", "data": (memory._pointer, False), "strides": None,
            "syclobj": memory.sycl_queue, "version": 1} | changes


# A sub-device has its own context.
_part = dpctl.SyclDevice("cpu").create_sub_devices(partition=1)[0]
array = Array(dpctl.memory.MemoryUSMShared(96), syclobj=dpctl.SyclContext(_part))
