"""Counts copies between host and device, and between devices, by NVIDIA's profiler, CUPTI. As a program: cupti_copies.py OUT
PROGRAM runs PROGRAM, and writes the counts of this process to OUT, under the keys of suai trace's "transfers"."""

import ctypes
import glob
import json
import os
import runpy
import sys

KIND_MEMCPY, KIND_MEMCPY2 = 1, 22
DIRECTIONS = {1: "to_device", 2: "to_host", 10: "between_devices"}
BUFFER_BYTES = 1 << 20
counts = {name + unit: 0 for name in DIRECTIONS.values() for unit in ("", "_bytes")}
buffers, sizes = {}, []


def find_cupti():
    names = ["libcupti.so.13", "libcupti.so.12", "libcupti.so"]
    roots = [*sys.path, "/usr/local/cuda", "/usr/local/cuda/extras/CUPTI"]
    below = ["nvidia/cu13/lib", "nvidia/cuda_cupti/lib", "lib64", "lib"]
    paths = [os.path.join(root, part, name) for name in names for root in roots for part in below]
    for path in [path for path in paths if os.path.exists(path)] + names:
        try:
            return ctypes.CDLL(path)
        except OSError:
            pass
    sys.exit("cupti_copies.py: no libcupti.so")


@ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(ctypes.c_size_t))
def give_buffer(buffer, n_bytes, n_records):
    memory = ctypes.create_string_buffer(BUFFER_BYTES + 8)
    address = (ctypes.addressof(memory) + 7) & ~7
    buffers[address] = memory
    buffer[0], n_bytes[0], n_records[0] = address, BUFFER_BYTES, 0


@ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
def take_buffer(context, stream, buffer, n_bytes, n_valid):
    record = ctypes.c_void_p()
    while cupti.cuptiActivityGetNextRecord(ctypes.c_void_p(buffer), ctypes.c_size_t(n_valid), ctypes.byref(record)) == 0:
        # The beginning is the same in all versions and both kinds: kind, copyKind, srcKind, dstKind, flags, bytes.
        if ctypes.c_uint32.from_address(record.value).value not in (KIND_MEMCPY, KIND_MEMCPY2):
            continue
        direction = DIRECTIONS.get(ctypes.c_uint8.from_address(record.value + 4).value)
        if direction:
            counts[direction] += 1
            counts[direction + "_bytes"] += ctypes.c_uint64.from_address(record.value + 8).value
    del buffers[buffer]


def check(status, function):
    if status:
        sys.exit("cupti_copies.py: %s: CUPTI error %d" % (function, status))


if __name__ == "__main__":
    out, program = sys.argv[1:3]
    cupti = find_cupti()
    check(cupti.cuptiActivityRegisterCallbacks(give_buffer, take_buffer), "cuptiActivityRegisterCallbacks")
    for kind in KIND_MEMCPY, KIND_MEMCPY2:
        check(cupti.cuptiActivityEnable(kind), "cuptiActivityEnable")
    runpy.run_path(program, run_name="__main__")
    check(cupti.cuptiActivityFlushAll(1), "cuptiActivityFlushAll")
    json.dump(counts, open(out, "w"))
