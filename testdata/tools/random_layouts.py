# SPDX-License-Identifier: MIT
"""Arrays of random layouts at random positions of mapped memory between guard pages, and the findings that each must have,
predicted by counting every byte of every element. As a module: o0, o1, ... for suai validate. As a program:
random_layouts.py SEED N DOCUMENT compares the errors and warnings of suai's JSON document with the prediction."""

import ctypes
import itertools
import json
import os
import random
import sys

N_BYTES = 1 << 16
READ, WRITE = 1, 2
TYPES = {"|u1": (1, 1, 8), "|b1": (1, 6, 8), "<i2": (2, 0, 16), "<f2": (2, 2, 16), "<i4": (4, 0, 32), "<f4": (4, 2, 32),
         "<u8": (8, 1, 64), "<f8": (8, 2, 64), "<c8": (8, 5, 64), "<c16": (16, 5, 128)}  # typestr: bytes, code and bits of DLPack
RULES = {"numpy": {"outside": "NAI402", "overlap": "NAI308", "written": "NAI402"},
         "dlpack": {"outside": "DLP407", "overlap": "DLP311", "written": "DLP407", "misaligned": "DLP404", "empty": "DLP401"}}


def compact(shape, n_bytes, order):
    strides, step = [0] * len(shape), n_bytes
    for d in order:
        strides[d] = step
        step *= max(shape[d], 1)
    return strides


def draw_strides(r, shape, n_bytes):
    forward = range(len(shape))
    kind = r.choice(["C", "C", "F", "permuted", "padded", "reversed", "broadcast", "overlapping", "any"])
    strides = compact(shape, n_bytes, forward if kind == "F" else reversed(forward))
    if kind == "permuted":
        strides = compact(shape, n_bytes, r.sample(forward, len(shape)))
    elif kind == "padded":
        strides = compact([n + r.randrange(3) for n in shape], n_bytes, reversed(forward))
    elif kind == "reversed":
        strides = [s * r.choice([1, -1]) for s in strides]
    elif kind == "broadcast":
        strides = [s * r.choice([0, 1, 1]) for s in strides]
    elif kind == "overlapping":
        strides = [n_bytes * r.choice([1, 2, 3, 5]) for _ in shape]
    elif kind == "any":
        strides = [n_bytes * r.randrange(-40, 41) for _ in shape]
    return strides


def draw(seed, i):
    """The layout of object i, its position in the memory, and the names of RULES that it violates."""
    r = random.Random(f"{seed}/{i}")
    typestr = r.choice(list(TYPES))
    n_bytes = TYPES[typestr][0]
    shape = [r.choice([0, 1, 2, 2, 3, 3, 4, 5, 7]) for _ in range(r.choice([0, 1, 1, 2, 2, 3, 3, 4]))]
    strides = draw_strides(r, shape, n_bytes)
    starts = [sum(k * s for k, s in zip(index, strides)) for index in itertools.product(*map(range, shape))]
    bytes_of_elements = [start + k for start in starts for k in range(n_bytes)]
    low, high = (min(starts), max(starts) + n_bytes) if starts else (0, 0)
    first = r.choice([-low, -low + r.randrange(200), N_BYTES - high, -low + n_bytes * r.randrange(50),
                      N_BYTES - high + r.choice([1, n_bytes]), -low - r.choice([1, n_bytes])])
    is_protected, is_read_only = r.random() < 0.2, r.random() < 0.3
    faults = {"outside": bool(starts) and not (0 <= first + low and first + high <= N_BYTES),
              "overlap": len(set(bytes_of_elements)) < len(bytes_of_elements) and not is_read_only,
              "written": bool(starts) and is_protected and not is_read_only,
              "misaligned": bool(starts) and first % n_bytes != 0,
              "empty": not starts}
    protocol = r.choice(list(RULES))
    needs_strides = strides != compact(shape, n_bytes, reversed(range(len(shape))))
    return {"protocol": protocol, "typestr": typestr, "shape": tuple(shape), "first": first if starts else 0,
            "strides": tuple(strides) if protocol == "dlpack" or needs_strides or r.random() < 0.5 else None,
            "is_protected": is_protected, "is_read_only": is_read_only,
            "rules": {rule for fault, rule in RULES[protocol].items() if faults[fault]}}


class Dictionary:
    def __init__(self, drawn, memory):
        self.__array_interface__ = {"version": 3, "typestr": drawn["typestr"], "shape": drawn["shape"], "strides": drawn["strides"],
                                    "data": (memory + drawn["first"], drawn["is_read_only"])}


def map_memory(protection):
    """The address of N_BYTES with this protection, between pages without access."""
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    memory = libc.mmap(None, 3 * N_BYTES, 0, 0x22, -1, 0) + N_BYTES  # MAP_PRIVATE | MAP_ANONYMOUS
    assert libc.mprotect(memory, N_BYTES, protection) == 0
    return memory


def tensor(drawn, memory):
    from arrays import Tensor  # of testdata/cuda

    n_bytes, code, bits = TYPES[drawn["typestr"]]
    return Tensor(memory + drawn["first"], (1, 0), code, bits, drawn["shape"], [s // n_bytes for s in drawn["strides"]],
                  drawn["is_read_only"])


def main(seed, n, document):
    with open(document) as file:
        targets = json.load(file)["targets"]
    wrong = 0
    for target in targets:
        drawn = draw(seed, int(target["target"].rpartition(":o")[2]))
        found = {finding["rule"] for finding in target["findings"] if finding["severity"] != "note"}
        if found != drawn["rules"]:
            wrong += 1
            print(f"{target['target']}: found {sorted(found)}, expected {sorted(drawn.pop('rules'))}: {drawn}")
    print(f"{len(targets)} layouts, {wrong} wrong")
    sys.exit(bool(wrong) or len(targets) != int(n))


if __name__ == "__main__":
    main(*sys.argv[1:])
else:
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cuda"))
    _memory = {False: map_memory(READ | WRITE), True: map_memory(READ)}
    for _i in range(int(os.environ["SUAI_TEST_LAYOUTS"])):
        _drawn = draw(os.environ["SUAI_TEST_SEED"], _i)
        globals()[f"o{_i}"] = (Dictionary if _drawn["protocol"] == "numpy" else tensor)(_drawn, _memory[_drawn["is_protected"]])
