# SPDX-License-Identifier: MIT
"""dpnp: each element type in each view over each kind of USM, as arrays and as tensors."""

import dpctl
import dpnp
import dpnp.tensor as dpt
import numpy as np
from views import chains, views

DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
DEVICE = dpctl.SyclDevice()
if not DEVICE.has_aspect_fp16:
    DTYPES.remove("f2")
if not DEVICE.has_aspect_fp64:
    DTYPES = [dtype for dtype in DTYPES if dtype not in ("f8", "c16")]


def frozen(base):
    base.flags.writable = False
    return base


def layouts(name, module, base):
    yield from views(name, base)
    yield name + "_broadcast", module.broadcast_to(base[0], (5, 4))
    yield name + "_fortran", module.asarray(base, order="F", copy=True)
    yield name + "_readonly", frozen(module.asarray(base, copy=True))
    yield name + "_readonly_0d", frozen(module.asarray(base, copy=True))[1, 2, ...]
    yield name + "_readonly_empty", frozen(module.asarray(base, copy=True))[:0]
    yield name + "_shifted_reversed", base[1:, ::-2]
    yield name + "_allocated_empty", module.empty((0, 3, 4), dtype=base.dtype)
    yield name + "_allocated_0d", module.asarray(1, dtype=base.dtype)


def others():
    complexes = dpnp.arange(6, dtype="c8")
    yield "real", complexes.real
    yield "imag", complexes.imag
    yield "from_numpy", dpnp.asarray(np.arange(12.0).reshape(3, 4)[:, ::2])
    yield "from_memory", dpt.usm_ndarray((3, 4), "f4", buffer=dpctl.memory.MemoryUSMShared(96))
    yield "from_memory_part", dpt.usm_ndarray((3, 4), "f4", buffer=dpctl.memory.MemoryUSMShared(96), offset=12)
    yield "in_order", dpnp.ones((2, 3), sycl_queue=dpctl.SyclQueue(property="in_order"))
    yield "own_context", dpnp.ones((2, 3), sycl_queue=dpctl.SyclQueue(dpctl.SyclContext(DEVICE), DEVICE))
    part = dpctl.SyclQueue(DEVICE.create_sub_devices(partition=1)[0])
    yield "on_part", dpnp.ones((2, 3), sycl_queue=part)
    yield "on_part_reversed", dpnp.ones((2, 3), sycl_queue=part)[::-1, ::-1]
    yield "broadcast_arrays", dpnp.broadcast_arrays(dpnp.ones(3), dpnp.ones((2, 3)))[0]
    yield "meshgrid", dpnp.meshgrid(dpnp.arange(3), dpnp.arange(4), copy=False)[0]
    yield "diagonal", dpnp.eye(4).diagonal()
    yield "viewed", dpnp.ones(4, dtype="f4").view("c8")
    yield "unaligned", dpt.usm_ndarray((3,), "f4", buffer=dpctl.memory.MemoryUSMDevice(17), offset=1)
    yield "large", dpnp.ones((1 << 20) + 1)[1:]
    yield "many_dims", dpnp.ones((1,) * 20 + (2, 3))
    yield "round_trip", dpt.from_dlpack(dpnp.arange(12.0).reshape(3, 4)[1:].get_array())


def make():
    for kind in ("device", "shared", "host"):
        for dtype in DTYPES:
            for part, module in (("array", dpnp), ("tensor", dpt)):
                base = module.reshape(module.asarray(np.arange(12).astype(dtype), usm_type=kind), (3, 4))
                yield from layouts(f"{part}_{kind}_{dtype.replace('?', 'b')}", module, base)
    yield from chains(lambda shape: dpnp.zeros(shape, dtype="f4"))
    yield from others()


globals().update(make())
