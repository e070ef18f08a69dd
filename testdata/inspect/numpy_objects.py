# SPDX-License-Identifier: MIT
"""NumPy arrays in every dtype, and in every layout that a view can have."""

import warnings
import zlib

import numpy as np
import truth

warnings.simplefilter("ignore")

NUMBERS = "?bBhHiIlLqQefdgFDG"
OTHERS = ["S5", "U3", "V7", "M8[ns]", "M8[25s]", "m8[D]", "O", [("a", "<i4"), ("b", ">f8", (2,))]]


def filled(dtype, shape):
    dtype = np.dtype(dtype)
    count = int(np.prod(shape))
    if dtype.kind in "SV":
        raw = np.frombuffer(bytes(range(1, 250)) * count, np.uint8)
        return raw[: count * dtype.itemsize].copy().view(dtype).reshape(shape)
    if dtype.kind in "UO":
        return np.array([str(i) for i in range(count)], dtype).reshape(shape)
    return np.arange(count).astype(dtype).reshape(shape)


def layouts(name, base):
    yield name, base
    yield name + "_sliced", base[1:, ::2]
    yield name + "_reversed", base[::-1, ::-1]
    yield name + "_transposed", base.T
    yield name + "_0d", base[1, 2, ...]
    yield name + "_empty", base[:0]
    readonly = base[:, 1:]
    readonly.flags.writeable = False
    yield name + "_readonly", readonly
    yield name + "_broadcast", np.broadcast_to(base[0], (5, 4))
    yield name + "_fortran", np.asfortranarray(base)


def make():
    for i, dtype in enumerate([*NUMBERS, *OTHERS]):
        yield from layouts(f"a{i}", filled(dtype, (3, 4)))
        yield f"swapped{i}", filled(dtype, (2, 3)).astype(np.dtype(dtype).newbyteorder())
    yield "field", filled([("a", "i1"), ("b", "f4")], (6,))["b"]
    yield "many_dims", np.zeros((1,) * 30 + (2, 3))
    yield "record", np.zeros(2, "f4,i8").view(np.recarray)
    yield "big", np.ones(1 << 20)[5:-5]


def plain(number):
    number = number.item() if number.dtype.kind not in "Mm" else number.astype("i8").item()
    if isinstance(number, (complex, np.complexfloating)):
        return [float(number.real), float(number.imag)]
    return float(number) if isinstance(number, np.floating) else number


# NumPy 2.4.6 clears all flags of __array_struct__ if a dtype has fields: they carry no information.
CLEARED_FLAGS = {"numpy-struct": {"readonly": None}}


def truth_of(a):
    ends = [(slice(1),) * a.ndim, (slice(-1, None),) * a.ndim] if a.size else []
    first_last = [a[end] if end else a for end in ends]
    if a.size and not a.dtype.hasobject:
        said = truth.ends(a.ctypes.data, a.shape, a.strides, a.itemsize)
        assert said == [element.tobytes() for element in first_last]
    return {
        "pointer": a.ctypes.data,
        "shape": a.shape,
        "strides_bytes": a.strides,
        "itemsize": a.itemsize,
        "dtype": a.dtype.name if a.dtype.kind in "biufcO" else None,
        "readonly": not a.flags.writeable,
        "c_contiguous": a.flags.c_contiguous,
        "f_contiguous": a.flags.f_contiguous,
        "device": {"type": "cpu", "id": 0, "name": None},
        "but": CLEARED_FLAGS if a.dtype.names else {},
        "values": [plain(each.ravel()[0]) for each in first_last] if a.dtype.kind in "?biufcMm" else None,
        "checksum": None if a.dtype.hasobject else f"{zlib.crc32(a.tobytes()):08x}",
    }


globals().update(make())
truth.write({k: truth_of(v) for k, v in globals().items() if isinstance(v, np.ndarray)})
