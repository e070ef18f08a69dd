# SPDX-License-Identifier: MIT
"""dpnp arrays in every layout over each kind of USM, and dpctl's memory objects."""

import zlib

import dpctl
import dpctl.memory
import dpnp
import truth

DTYPES = ["?", "i1", "u2", "i4", "i8", "u8", "f4", "f8", "c8", "c16"]
MEMORIES = [dpctl.memory.MemoryUSMDevice, dpctl.memory.MemoryUSMShared, dpctl.memory.MemoryUSMHost]


def layouts(name, base):
    yield name, base
    yield name + "_sliced", base[1:, ::2]
    yield name + "_reversed", base[::-1, ::-1]
    yield name + "_transposed", base.T
    yield name + "_0d", base[1, 2]
    yield name + "_empty", base[:0]


def make():
    for kind in ("device", "shared", "host"):
        for dtype in DTYPES:
            base = dpnp.arange(12, usm_type=kind).astype(dtype).reshape(3, 4)
            yield from layouts(f"{kind}_{dtype.replace('?', 'b')}", base)
    readonly = dpnp.ones(4)
    readonly.flags.writable = False
    yield "readonly", readonly
    for memory in MEMORIES:
        yield memory.__name__, memory(96)


def place_of(found):
    devices = dpctl.get_devices()
    return {
        "device": {
            "type": "oneapi",
            "id": devices.index(found.sycl_device),
            "name": found.sycl_device.name,
        },
        "memory.kind": "usm-" + dpctl.memory.as_usm_memory(found).get_usm_type(),
    }


def truth_of_array(a):
    inner = a.get_array()
    strides = [step * a.itemsize for step in inner.strides]
    host = dpnp.asnumpy(a)
    if a.size:
        said = truth.ends(inner._pointer, a.shape, strides, a.itemsize)
        assert said == [host[(at,) * a.ndim].tobytes() for at in (0, -1)]
    return {
        "pointer": inner._pointer,
        "shape": a.shape,
        "strides_bytes": strides,
        "itemsize": a.itemsize,
        "dtype": str(a.dtype),
        "readonly": not a.flags.writable,
        "c_contiguous": a.flags.c_contiguous,
        "f_contiguous": a.flags.f_contiguous,
        "checksum": f"{zlib.crc32(host.tobytes()):08x}",
        # dpnp 0.20.0 exports every 0-d array as read-only.
        "but": {"dlpack": {"readonly": True}} if a.ndim == 0 else {},
        **place_of(a),
    }


def memory_of_runtime(memory):
    return {
        "memory.base": hex(memory._pointer),
        "memory.size": memory.nbytes,
        **place_of(memory),
    }


def truth_of_memory(memory):
    return {
        "pointer": memory._pointer,
        "shape": (memory.nbytes,),
        "but": {"sycl": memory_of_runtime(memory)},
    }


def truth_of(found):
    return truth_of_array(found) if isinstance(found, dpnp.ndarray) else truth_of_memory(found)


globals().update(make())
KINDS = (dpnp.ndarray, *MEMORIES)
truth.write({k: truth_of(v) for k, v in globals().items() if isinstance(v, KINDS)})
