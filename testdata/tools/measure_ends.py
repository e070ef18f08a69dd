#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How often checking both ends misses an overrun that the exact extent detects.

Run with a Python that has dpctl and an OpenCL device: measure_ends.py [SEED]. Both queries are those of
src/devices/sycl/sycl.c and sycl_extent.c: type and device of the last byte, and OpenCL's base and size of the
allocation. Prints a Markdown table: overruns detected of overruns tried.
"""

import ctypes
import os
import random
import sys

import dpctl
import dpctl.memory

N_BLOCKS = 60
BLOCK_BYTES = {"1 kB": 1000, "100 kB": 100_000, "5 MB": 5_000_000}
OVERRUNS = {"1 B": lambda n: 1, "64 B": lambda n: 64, "1/2 block": lambda n: n // 2, "2 blocks": lambda n: 2 * n}
CLASSES = {
    "device": dpctl.memory.MemoryUSMDevice,
    "shared": dpctl.memory.MemoryUSMShared,
    "host": dpctl.memory.MemoryUSMHost,
}


def function(library, name, result, *arguments):
    found = getattr(library, name)
    found.restype, found.argtypes = result, arguments
    return found


class Runtime:
    """dpctl's C library and the OpenCL library that it uses, as loaded in the process."""

    def __init__(self, queue):
        void = ctypes.c_void_p
        dpctl_c = ctypes.CDLL("libDPCTLSyclInterface.so", os.RTLD_NOLOAD)
        opencl = ctypes.CDLL("libOpenCL.so.1", os.RTLD_NOLOAD)
        self.type_of = function(dpctl_c, "DPCTLUSM_GetPointerType", ctypes.c_int, void, void)
        self.device_of = function(dpctl_c, "DPCTLUSM_GetPointerDevice", void, void, void)
        self.alike = function(dpctl_c, "DPCTLDevice_AreEq", ctypes.c_bool, void, void)
        self.delete = function(dpctl_c, "DPCTLDevice_Delete", None, void)
        native = function(dpctl_c, "_ZNK4sycl3_V17context9getNativeEv", void, void)
        pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
        pointer_of.restype, pointer_of.argtypes = void, [ctypes.py_object, ctypes.c_char_p]
        self.capsule = queue.sycl_context._get_capsule()
        self.context = pointer_of(self.capsule, b"SyclContextRef")
        self.native = native(self.context)
        self.ask = self.find_extension(opencl)

    def find_extension(self, opencl):
        devices, platform = (ctypes.c_void_p * 64)(), ctypes.c_void_p()
        native = ctypes.c_void_p(self.native)
        opencl.clGetContextInfo(native, 0x1081, ctypes.c_size_t(512), devices, None)
        device = ctypes.c_void_p(devices[0])
        opencl.clGetDeviceInfo(device, 0x1031, ctypes.c_size_t(8), ctypes.byref(platform), None)
        find = opencl.clGetExtensionFunctionAddressForPlatform
        find.restype = ctypes.c_void_p
        void, size = ctypes.c_void_p, ctypes.c_size_t
        prototype = ctypes.CFUNCTYPE(ctypes.c_int, void, void, ctypes.c_uint, size, void, void)
        return prototype(find(platform, b"clGetMemAllocInfoINTEL"))

    def ends_catch(self, first, last):
        kind = self.type_of(first, self.context)
        if self.type_of(last, self.context) != kind:
            return True
        one, other = self.device_of(first, self.context), self.device_of(last, self.context)
        different = not self.alike(one, other)
        self.delete(one)
        self.delete(other)
        return different

    def exact_catches(self, first, last):
        base, size = ctypes.c_void_p(), ctypes.c_size_t()
        self.ask(self.native, first, 0x419B, 8, ctypes.addressof(base), None)
        self.ask(self.native, first, 0x419C, 8, ctypes.addressof(size), None)
        return not base.value <= last < base.value + size.value


def measure(runtime, queue, kind, n_bytes):
    blocks = [CLASSES[kind](n_bytes, queue=queue) for _ in range(N_BLOCKS)]
    random.shuffle(blocks)
    ends = {name: 0 for name in OVERRUNS}
    exact = 0
    for block in blocks:
        for name, overrun in OVERRUNS.items():
            last = block._pointer + n_bytes + overrun(n_bytes) - 1
            ends[name] += runtime.ends_catch(block._pointer, last)
            exact += runtime.exact_catches(block._pointer, last)
    return ends, exact


def main():
    random.seed(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    queue = dpctl.SyclQueue("opencl")
    runtime = Runtime(queue)
    print("| kind | block | " + " | ".join(f"by {name}" for name in OVERRUNS) + " | ends | exact |")
    print("|---|---|" + "---|" * (len(OVERRUNS) + 2))
    total = N_BLOCKS * len(OVERRUNS)
    for kind in CLASSES:
        for size, n_bytes in BLOCK_BYTES.items():
            ends, exact = measure(runtime, queue, kind, n_bytes)
            cells = " | ".join(f"{ends[name]}/{N_BLOCKS}" for name in OVERRUNS)
            print(f"| {kind} | {size} | {cells} | {sum(ends.values())}/{total} | {exact}/{total} |")


main()
