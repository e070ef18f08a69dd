# SPDX-License-Identifier: MIT
"""Arrays in USM of the CPU device, whose elements are written by a kernel at different times."""

from ctypes import c_float

import dpctl.memory
import dpctl.program

_fill = "__kernel void fill(__global float *to, float value) { to[get_global_id(0)] = value; }"
_slow = """__kernel void fill(__global float *to, float value) {
    uint x = get_global_id(0);
    for (uint i = 0; i < 400000000; i++) x = x * 1664525 + 1013904223 + i;
    to[get_global_id(0)] = value + (x == 7);
}"""


class Array:
    """waits: in the property; writes: the property submits a kernel each time it is read."""

    source = _fill
    waits = writes = True
    order = ()

    def __init__(self):
        self.queue = dpctl.SyclQueue("cpu", property=self.order)
        self.memory = dpctl.memory.MemoryUSMShared(8, queue=self.queue)
        self.kernel = dpctl.program.create_program_from_source(self.queue, self.source).get_sycl_kernel("fill")
        self.value = 0.0
        if not self.writes:
            self.submit()

    def submit(self):
        self.value += 1
        self.event = self.queue.submit_async(self.kernel, [self.memory, c_float(self.value)], [2])

    @property
    def __sycl_usm_array_interface__(self):
        if self.writes:
            self.submit()
        if self.waits:
            self.queue.wait()
        return {"shape": (2,), "typestr": "<f4", "data": (self.memory._pointer, False), "strides": None,
                "syclobj": self.queue, "version": 1}


class Waits(Array):
    pass


class WaitsForSlow(Array):
    source, writes = _slow, False


class Hurries(Array):
    waits = False


class HurriesInOrder(Array):
    waits, order = False, ("in_order",)


class StillBusy(Array):
    """A long kernel is running when the object is created."""

    source, waits, writes = _slow, False, False


class Done(Array):
    """Its work is done, although nothing waits: a healthy object."""

    waits = writes = False

    def submit(self):
        super().submit()
        self.event.wait()
