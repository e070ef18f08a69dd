# SPDX-License-Identifier: MIT
"""USM arrays named after the kernel that copies each to C order (src/copy/kernels/kernels.list), and three random ones."""

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

rows16 = Array("|f4", (100, 1000), (1024, 1))
rows8 = Array("|f8", (100, 999), (1024, 1), 1)
rows4 = Array("|f4", (100, 999), (1024, 1), 1)
rows2 = Array("|u2", (100, 999), (1024, 1), 1)
rows1 = Array("|u1", (100, 999), (1024, 1), 1)
for _w in TYPES:
    globals()[f"fill{_w}"] = Array(TYPES[_w], (100, 200), (1, 0))
    globals()[f"transpose{_w}"] = Array(TYPES[_w], (100, 300), (1, 100))
transpose4_small = Array("|f4", (33, 31), (1, 33))
transpose2_small = Array("|u2", (40, 40), (1, 40))
block1_small = Array("|u1", (40, 40), (1, 40))
block8_small = Array("|f8", (10, 10, 5), (5, 50, 1))
for _name, _w in ("block16", 16), ("block4_small", 4):
    globals()[_name] = Array(TYPES[_w], (41, 39, 5), (5, 205, 1))
block2_small = Array("|u2", (41, 80, 5), (5, 205, 1))
for _w in 1, 2, 4, 8:
    globals()[f"block{_w}"] = Array(TYPES[_w], (300, 200, 5), (5, 1500, 1))
for _n, _w in (2, 1), (2, 2), (3, 1), (3, 2), (3, 4), (3, 8), (4, 1), (4, 2):
    globals()[f"interleave{_n}_{_w}"] = Array(TYPES[_w], (4096, _n), (1, 4096))
    globals()[f"deinterleave{_n}_{_w}"] = Array(TYPES[_w], (_n, 4096), (1, _n))
for _w in 1, 2, 4:
    globals()[f"reverse{_w}"] = Array(TYPES[_w], (1000,), (-1,), 999)
pack4 = Array("|f4", (1000,), (3,))
pack2 = Array("|u2", (1000,), (2,))
pack1 = Array("|u1", (1000,), (2,))
gather16 = Array("|c16", (1000,), (2,))
gather8 = Array("|f8", (1000,), (-1,), 999)
gather4 = Array("|f4", (3,), (3,))
gather2 = Array("|u2", (1,), (1,))
gather1 = Array("|u1", (1,), (1,))


def drawn(rng):
    shape, strides, offset = draw(rng, {1: 5000, 2: 60, 3: 20, 4: 9, 5: 6})
    return Array(rng.choice(list(TYPES.values())), shape, strides, offset)


_rng = random.Random(os.environ.get("SEED", "1"))
drawn0, drawn1, drawn2 = drawn(_rng), drawn(_rng), drawn(_rng)
