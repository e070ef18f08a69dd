from ctypes import c_float

import dpctl.memory
import dpctl.program

_source = "__kernel void fill(__global float *to, float value) { to[get_global_id(0)] = value; }"


class Array:
    def __init__(self):
        self.memory = dpctl.memory.MemoryUSMShared(96, queue=dpctl.SyclQueue("cpu"))
        self.kernel = dpctl.program.create_program_from_source(self.memory.sycl_queue, _source).get_sycl_kernel("fill")
        self.value = 0.0

    @property
    def __sycl_usm_array_interface__(self):
        self.value += 1
        self.event = self.memory.sycl_queue.submit_async(self.kernel, [self.memory, c_float(self.value)], [24])
        self.event.wait()
        return {"shape": (24,), "typestr": "<f4", "data": (self.memory._pointer, False), "strides": None,
                "syclobj": self.memory.sycl_queue, "version": 1}


array = Array()
