import dpctl
import dpctl.memory


class Array:
    def __init__(self, memory, **changes):
        self.memory = memory
        self.__sycl_usm_array_interface__ = {
            "shape": (24,), "typestr": "<f4", "data": (memory._pointer, False), "strides": None,
            "syclobj": memory.sycl_queue, "version": 1} | changes


# The whole device, in a context that also contains a sub-device.
_device = dpctl.SyclDevice("cpu")
_context = dpctl.SyclContext([_device, _device.create_sub_devices(partition=1)[0]])
array = Array(dpctl.memory.MemoryUSMDevice(96, queue=dpctl.SyclQueue(_context, _device)))
