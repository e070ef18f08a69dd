# SPDX-License-Identifier: MIT
"""USM arrays by the kernel that copies each to C order (src/copy/kernels.list), and three that a seed draws."""

import os
import random

import dpctl.memory

QUEUE = dpctl.SyclQueue("cpu")


class Array:
    """A layout, in elements, over memory of its own that holds a pattern."""

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


def draw(rng):
    """Up to five dimensions, strides of any sign and order with gaps, or 0."""
    n_dims = rng.randint(1, 5)
    shape = tuple(rng.randint(1, (5000, 60, 20, 9, 6)[n_dims - 1]) for _ in range(n_dims))
    strides, stride, offset = [0] * n_dims, 1, rng.randint(0, 5)
    for dim in rng.sample(range(n_dims), n_dims):
        stride += rng.choice((0, 0, 1, 3))
        strides[dim] = rng.choice((1, 1, 1, -1, 0)) * stride
        offset += max(0, -strides[dim]) * (shape[dim] - 1)
        stride *= shape[dim]
    return Array(rng.choice(list(TYPES.values())), shape, tuple(strides), offset)


_rng = random.Random(os.environ.get("SEED", "1"))
drawn0, drawn1, drawn2 = draw(_rng), draw(_rng), draw(_rng)
