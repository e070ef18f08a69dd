import dpctl
import dpctl.memory


class Array:
    def __init__(self, memory, **changes):
        self.memory = memory
        self.__sycl_usm_array_interface__ = {
            "shape": (24,), "typestr": "<f4", "data": (memory._pointer, False), "strides": None,
            "syclobj": memory.sycl_queue, "version": 1} | changes


# Two sub-devices in one context: memory of the first, the queue of the second.
_parts = dpctl.SyclDevice("cpu").create_sub_devices(partition=1)
_context = dpctl.SyclContext(_parts)
_first, _second = [dpctl.SyclQueue(_context, part) for part in _parts[:2]]
array = Array(dpctl.memory.MemoryUSMDevice(96, queue=_first), syclobj=_second)
