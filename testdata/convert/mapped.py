# SPDX-License-Identifier: MIT
"""A cl_mem that reports how many of its mappings are left: to a consumer, and when Python exits."""

import atexit
import ctypes
import time

from kernels_opencl import array
from opencl_buffer import cl

MAP_COUNT = 0x1104
a = array("f4", (100, 300), (1, 100))


def count():
    n = ctypes.c_uint32(1)
    failed = cl.clGetMemObjectInfo(
        ctypes.c_void_p(a.address), ctypes.c_uint32(MAP_COUNT), ctypes.c_size_t(4), ctypes.byref(n), None
    )
    if failed:
        raise OSError(f"clGetMemObjectInfo: {failed}")
    return n.value


def tell(when):
    ends = time.monotonic() + 1
    while count() and time.monotonic() < ends:  # PoCL decrements its count of mappings after clFinish has returned
        time.sleep(0.001)
    print(f"{when}: {count()} maps left", flush=True)


def seen(_):
    tell("call")


atexit.register(tell, "end")
