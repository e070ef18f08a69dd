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

rows8 = Array("|f8", (1000, 999), (1024, 1), 1)
rows4 = Array("|f4", (400, 999), (1024, 1), 1)
rows2 = Array("|u2", (800, 999), (1024, 1), 1)
rows1 = Array("|u1", (1200, 999), (1024, 1), 1)
for _w in TYPES:
    globals()[f"fill{_w}"] = Array(TYPES[_w], (100, 200), (1, 0))
    globals()[f"gather{_w}"] = Array(TYPES[_w], (9, 7, 5), (5, 45, 1) if _w < 16 else (35, 5, 315))
transpose4 = Array("|f4", (640, 640), (1, 640))
transpose4_small = Array("|f4", (128, 1024), (1, 128))
transpose8 = Array("|f8", (10, 640, 128), (81920, 1, 640))
transpose8_small = Array("|f8", (10, 5, 20, 300), (30000, 1, 1500, 5))
transpose2_pairs = Array("|u2", (310, 2000), (1, 310))
transpose1_small = Array("|u1", (3, 128, 1024), (131072, 1, 128))
turn2 = Array("|u2", (2007, 1019), (1, 2007))
turn1 = Array("|u1", (3001, 1999), (1, 3001))
narrow = Array("|u2", (8, 131072), (1, 8))
block8_pairs = Array("|f8", (5, 100, 8, 10, 10), (1, 4000, 500, 5, 50))
block4_quads = Array("|f4", (640, 2, 8, 100), (200, 1, 128000, 2))
block4_pairs = Array("|f4", (30, 300, 20, 5), (30000, 5, 1500, 1))
block2_wide = Array("|u2", (7, 200, 3, 640), (2, 14, 1792000, 2800))
block2_small = Array("|u2", (200, 200, 4, 7), (1400, 7, 280000, 1))
block1_small = Array("|u1", (3, 300, 200, 5), (300000, 5, 1500, 1))
for _n, _w in (2, 1), (2, 2), (2, 4), (2, 8), (3, 1), (3, 2), (3, 4), (3, 8), (4, 1), (4, 2), (4, 4):
    _plane = 1 << 21 if _n * _w == 4 else 1 << 19
    globals()[f"interleave{_n}_{_w}"] = Array(TYPES[_w], (_plane, _n), (1, _plane))
    globals()[f"deinterleave{_n}_{_w}"] = Array(TYPES[_w], (_n, 1 << 19), (1, _n))
for _w in 1, 2, 4:
    globals()[f"reverse{_w}"] = Array(TYPES[_w], (1000000,), (-1,), 999999)
pack4 = Array("|f4", (128, 16, 100, 7), (1600, 100, 1, 204800))
pack1 = Array("|u1", (1000000,), (2,))


def drawn(rng):
    shape, strides, offset = draw(rng, {1: 5000, 2: 60, 3: 20, 4: 9, 5: 6})
    return Array(rng.choice(list(TYPES.values())), shape, strides, offset)


_rng = random.Random(os.environ.get("SEED", "1"))
drawn0, drawn1, drawn2 = drawn(_rng), drawn(_rng), drawn(_rng)
