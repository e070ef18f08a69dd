"""Real USM, with one false field."""
import ctypes

import dpctl
import dpctl.memory

_queue = dpctl.SyclQueue("cpu")
_memory = dpctl.memory.MemoryUSMShared(96, queue=_queue)
_host = (ctypes.c_float * 24)()
_libc = ctypes.CDLL(None)
_libc.malloc.restype = ctypes.c_void_p


class Array:
    def __init__(self, memory=_memory, **changes):
        self.memory = memory
        self.__sycl_usm_array_interface__ = {
            "shape": (24,), "typestr": "<f4", "data": (memory._pointer, False), "strides": None,
            "syclobj": memory.sycl_queue, "version": 1} | changes


def _freed(n_bytes):
    return dpctl.memory.MemoryUSMDevice(n_bytes, queue=_queue)._pointer


truth = Array()
malloc_small = Array(data=(_libc.malloc(96), False))
malloc_large = Array(data=(_libc.malloc(1 << 24), False))
ctypes_array = Array(data=(ctypes.addressof(_host), False))
freed_small = Array(data=(_freed(96), False))
freed_large = Array(data=(_freed(300 << 20), False))
nowhere = Array(data=(4096, False))
no_address = Array(data=(None, False))
last_address = Array(data=(2**64 - 4, False))
past_the_end = Array(shape=(25,))
far_past_the_end = Array(shape=(1 << 40,))
below_the_start = Array(strides=(-1,))
offset_too_far = Array(shape=(8,), offset=17)
offset_below = Array(shape=(8,), offset=-1)
offset_behind = Array(shape=(8,), offset=24)
pointer_too_far = Array(data=(_memory._pointer + 4, False))
strides_too_far = Array(shape=(6, 4), strides=(5, 1))
strides_in_bytes = Array(shape=(4, 6), strides=(4, 16))
strides_and_offset_in_bytes = Array(shape=(4, 4), strides=(4, 16), offset=32)
typestr_too_wide = Array(typestr="<f8")
elsewhere_by_filter = Array(syclobj="opencl:cpu:0", data=(ctypes.addressof(_host), False))
_parts = _queue.sycl_device.create_sub_devices(partition=1)
_context = dpctl.SyclContext(_parts)
_first, _second = [dpctl.SyclQueue(_context, part) for part in _parts[:2]]
foreign_context = Array(syclobj=_context)
foreign_queue = Array(syclobj=_first)
foreign_memory = Array(dpctl.memory.MemoryUSMShared(96, queue=_first), syclobj=_queue)
foreign_memory_by_filter = Array(dpctl.memory.MemoryUSMShared(96, queue=_first), syclobj="cpu")
wrong_device = Array(dpctl.memory.MemoryUSMDevice(96, queue=_first), syclobj=_second)
wrong_device_shared = Array(dpctl.memory.MemoryUSMShared(96, queue=_first), syclobj=_second)
host_memory_of_both_devices = Array(dpctl.memory.MemoryUSMHost(96, queue=_first), syclobj=_second)
