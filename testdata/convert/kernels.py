# SPDX-License-Identifier: MIT
"""USM arrays named after the kernel that copies each to C order (src/copy/kernels/kernels.list), and three random ones. The
kernels of larger arrays and of fast memory have none."""

import os
import random
import sys

import dpctl.memory

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "pairs"))

from layouts import draw

QUEUE = dpctl.SyclQueue("cpu")


class Array:
    """A layout, in elements, in its own memory with a pattern."""

    def __init__(self, typestr, shape, strides, offset=0):
        item = int(typestr[2:])
        last = offset + sum((n - 1) * s for n, s in zip(shape, strides) if s > 0)
        first = offset + sum((n - 1) * s for n, s in zip(shape, strides) if s < 0)
        assert first >= 0
        n_bytes = (last + 1) * item
        self.memory = dpctl.memory.MemoryUSMDevice(n_bytes, queue=QUEUE)
        pattern = bytes(range(251)) * (n_bytes // 251 + 1)
        self.memory.copy_from_host(pattern[:n_bytes])
        self.__sycl_usm_array_interface__ = {
            "version": 1,
            "shape": shape,
            "typestr": typestr,
            "data": (self.memory._pointer, False),
            "strides": strides,
            "offset": offset,
            "syclobj": QUEUE,
        }


TYPES = {1: "|u1", 2: "|u2", 4: "|f4", 8: "|f8", 16: "|c16"}

for _w in TYPES:
    globals()[f"fill{_w}"] = Array(TYPES[_w], (300, 9999) if _w < 8 else (100, 9999), (1, 0))
    globals()[f"gather{_w}"] = Array(TYPES[_w], (1000,), (2,))
for _w in 1, 2:
    globals()[f"rows{_w}"] = Array(TYPES[_w], (100, 30001), (30026, 1), 1)
    globals()[f"reverse{_w}"] = Array(TYPES[_w], (3000, 999), (999, -1), 998)
for _n, _w in (2, 1), (2, 2), (2, 8), (3, 1), (3, 2), (3, 4), (3, 8), (4, 1), (4, 2), (4, 4):
    globals()[f"deinterleave{_n}_{_w}"] = Array(TYPES[_w], (_n, 1 << (21 if _w == 1 else 20)), (1, _n))
interleave2_1 = Array("|u1", (1 << 21, 2), (1, 1 << 21))
interleave2_2 = Array("|u2", (4, 1 << 19, 2), (1 << 20, 1, 1 << 19))
interleave3_1 = Array("|u1", (1 << 20, 3), (1, 1 << 20))
interleave4_1 = Array("|u1", (1 << 20, 4), (1, 1 << 20))
transpose16 = Array("|c16", (64, 7, 10, 8, 7), (1, 448, 3136, 31360, 64))
transpose8 = Array("|f8", (10, 16, 8, 200), (1, 2000, 32000, 10))
transpose8_small = Array("|f8", (20, 300, 31), (1, 20, 6000))
transpose4 = Array("|f4", (640, 640), (1, 640))
transpose4_small = Array("|f4", (128, 31, 64), (1, 128, 3968))
transpose2_pairs = Array("|u2", (128, 200, 8), (1, 128, 25600))
transpose1_small = Array("|u1", (50, 10, 640), (1, 32000, 50))
turn2 = Array("|u2", (3, 64, 128, 16), (1, 3, 3072, 192))
turn1 = Array("|u1", (10, 50, 64, 20), (1, 10, 10000, 500))
narrow = Array("|u2", (8, 131072), (1, 8))
block16 = Array("|c16", (31, 31, 16, 8), (1, 31, 961, 15376))
block8 = Array("|f8", (7, 5, 100, 50, 5), (2500, 1, 5, 17500, 500))
block4_pairs = Array("|f4", (3, 50, 100, 5, 7), (50, 1, 150, 15000, 75000))
block2_wide = Array("|u2", (20, 8, 200, 31), (248, 1, 4960, 8))
block1 = Array("|u1", (50, 50, 100, 3, 10), (3, 15000, 150, 1, 750000))
block1_small = Array("|u1", (7, 3, 16, 200, 64), (1, 7168, 448, 21504, 7))
pack1 = Array("|u1", (5, 8, 200, 5, 50), (400, 1, 10000, 2000, 8))
flat8 = Array("|f8", (16, 10, 8, 20, 8), (1280, 20480, 1, 8, 160))
flat4 = Array("|f4", (3, 31, 3, 640), (3, 5760, 1, 9))
flat2 = Array("|u1", (7, 100, 200, 10), (10, 70, 7000, 1))
flat2_small = Array("|u2", (8, 640, 20), (12800, 1, 640))
flat1 = Array("|u1", (3, 128, 640), (81920, 1, 128))
flat1_small = Array("|u1", (8, 31, 100, 5), (100, 4000, 1, 800))


def drawn(rng):
    shape, strides, offset = draw(rng, {1: 5000, 2: 60, 3: 20, 4: 9, 5: 6})
    return Array(rng.choice(list(TYPES.values())), shape, strides, offset)


_rng = random.Random(os.environ.get("SEED", "1"))
drawn0, drawn1, drawn2 = drawn(_rng), drawn(_rng), drawn(_rng)
