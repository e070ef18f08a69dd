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
reverse2 = Array("|u2", (3000, 2999), (2999, -1), 2998)
reverse1 = Array("|u1", (3000, 999), (999, -1), 998)
for _n, _w in (2, 1), (2, 2), (2, 8), (3, 1), (3, 2), (3, 4), (3, 8), (4, 2), (4, 4):
    globals()[f"deinterleave{_n}_{_w}"] = Array(TYPES[_w], (_n, 1 << (21 if _w == 1 else 20)), (1, _n))
interleave2_1 = Array("|u1", (1 << 21, 2), (1, 1 << 21))
interleave2_2 = Array("|u2", (4, 1 << 19, 2), (1 << 20, 1, 1 << 19))
interleave3_1 = Array("|u1", (1 << 20, 3), (1, 1 << 20))
interleave4_1 = Array("|u1", (1 << 20, 4), (1, 1 << 20))
square1 = Array("|u1", (64, 16, 4800), (76800, 1, 16))
square2 = Array("|u2", (200, 4, 3000), (12000, 1, 4))
square4 = Array("|f4", (16, 12, 3136), (37632, 1, 12))
square8 = Array("|f8", (8, 24, 2288), (54912, 1, 24))
transpose16 = Array("|c16", (7, 4, 64, 128), (4, 1, 28, 1792))
transpose8 = Array("|f8", (1021, 100, 50), (100, 1, 102100))
transpose8_small = Array("|f8", (300, 300, 3), (1, 300, 90000))
transpose4 = Array("|f4", (1021, 129, 64), (8256, 1, 129))
transpose4_small = Array("|f4", (127, 127, 16), (1, 2032, 127))
transpose2_pairs = Array("|u2", (18, 16, 127, 18), (16, 1, 5184, 288))
transpose1_small = Array("|u1", (63, 20, 127, 16), (1, 8001, 63, 160020))
turn2 = Array("|u2", (7, 16, 50, 50, 3), (800, 1, 16800, 16, 5600))
turn1 = Array("|u1", (7, 16, 199, 255), (4080, 1, 28560, 16))
narrow = Array("|u2", (8, 131072), (1, 8))
block16 = Array("|c16", (20, 200, 8, 20), (1, 400, 80000, 20))
block8 = Array("|f8", (7, 5, 100, 50, 5), (2500, 1, 5, 17500, 500))
block4_pairs = Array("|f4", (5, 50, 100, 10, 3), (150000, 1, 500, 50, 50000))
block2_wide = Array("|u2", (200, 16, 50, 3, 7), (48, 3, 67200, 1, 9600))
block1 = Array("|u1", (50, 50, 100, 3, 10), (3, 15000, 150, 1, 750000))
block1_small = Array("|u1", (127, 999, 5), (1, 127, 126873))
pack1 = Array("|u1", (4000000,), (2,))
flat8 = Array("|f8", (63, 3, 999, 3), (8991, 999, 1, 2997))
flat4 = Array("|f4", (50, 3, 128, 8), (128, 51200, 1, 6400))
flat2 = Array("|u2", (640, 4, 8, 3, 7), (1, 640, 7680, 2560, 61440))
flat2_small = Array("|u2", (8, 640, 20), (12800, 1, 640))
flat1 = Array("|u1", (1021, 640, 9), (5760, 1, 640))
flat1_small = Array("|u1", (20, 640, 7, 3), (3, 60, 38400, 1))


def drawn(rng):
    shape, strides, offset = draw(rng, {1: 5000, 2: 60, 3: 20, 4: 9, 5: 6})
    return Array(rng.choice(list(TYPES.values())), shape, strides, offset)


_rng = random.Random(os.environ.get("SEED", "1"))
drawn0, drawn1, drawn2 = drawn(_rng), drawn(_rng), drawn(_rng)
