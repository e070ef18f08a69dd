import dpctl
import dpctl.memory


class Array:
    def __init__(self, memory, **changes):
        self.memory = memory
        self.__sycl_usm_array_interface__ = {
            "shape": (24,), "typestr": "<f4", "data": (memory._pointer, False), "strides": None,
            "syclobj": memory.sycl_queue, "version": 1} | changes


# A sub-device has its own context, which no filter string selects.
_device = dpctl.SyclDevice("cpu")
_queue = dpctl.SyclQueue(_device.create_sub_devices(partition=1)[0])
array = Array(dpctl.memory.MemoryUSMShared(96, queue=_queue), syclobj=_device.filter_string)
