# SPDX-License-Identifier: MIT
"""What Python itself exports: array, bytes, bytearray, memoryview, mmap, ctypes."""

import array
import ctypes
import mmap
import os
import tempfile

import truth

TYPES = {"b": "int8", "B": "uint8", "u": None, "h": "int16", "H": "uint16", "i": "int32",
         "I": "uint32", "l": "int64", "L": "uint64", "q": "int64", "Q": "uint64",
         "f": "float32", "d": "float64"}

truths = {}


def tell(name, exported, pointer, shape, strides, **more):
    globals()[name] = exported
    truths[name] = {"pointer": pointer, "shape": shape, "strides_bytes": strides, **more}


def address_of(writable):
    return ctypes.addressof(ctypes.c_char.from_buffer(writable))


for code, dtype in TYPES.items():
    items = array.array(code, "ab" if code == "u" else [1, 2, 3])
    tell(f"array_{code}", items, items.buffer_info()[0], [len(items)], [items.itemsize],
         itemsize=items.itemsize, dtype=dtype, readonly=False,
         values=None if code == "u" else [1, 3])

raw = bytearray(range(24))
start = address_of(raw)
tell("raw", raw, start, [24], [1], readonly=False, dtype="uint8", **{"memory.kind": "host"})
view = memoryview(raw)
tell("sliced", view[4:20:3], start + 4, [6], [3], c_contiguous=False, values=[4, 19])
tell("backward", view[::-1], start + 23, [24], [-1], readonly=False, values=[23, 0])
tell("readonly", view.toreadonly(), start, [24], [1], readonly=True)
tell("shaped", view.cast("H", (3, 4)), start, [3, 4], [8, 2], dtype="uint16", itemsize=2,
     c_contiguous=True, f_contiguous=False)
tell("no_dims", view[:8].cast("d", ()), start, [], [], dtype="float64")
tell("empty", view[5:5], start + 5, [0], [1])

constant = b"constant bytes"
tell("constant", constant, ctypes.cast(constant, ctypes.c_void_p).value, [14], [1], readonly=True,
     checksum="b7cc10eb")


class Point(ctypes.Structure):
    _fields_ = [("x", ctypes.c_int), ("y", ctypes.c_double)]


matrix = (ctypes.c_float * 4 * 3)()
tell("matrix", matrix, ctypes.addressof(matrix), [3, 4], [16, 4], dtype="float32", readonly=False)
point = Point(1, 2)
tell("point", point, ctypes.addressof(point), [], [], itemsize=16)
points = (Point * 5)()
tell("points", points, ctypes.addressof(points), [5], [16], itemsize=16)
number = ctypes.c_long(7)
tell("number", number, ctypes.addressof(number), [], [], dtype="int64", values=[7, 7])

anonymous = mmap.mmap(-1, 3 * mmap.PAGESIZE)
tell("anonymous", anonymous, address_of(anonymous), [3 * mmap.PAGESIZE], [1], readonly=False,
     **{"memory.kind": "host", "memory.readable": True, "memory.writable": True})
with tempfile.NamedTemporaryFile(dir=os.environ.get("BATS_TEST_TMPDIR")) as file:
    file.write(b"x" * 5000)
    file.flush()
    mapped = mmap.mmap(file.fileno(), 5000, access=mmap.ACCESS_COPY)
    fixed = mmap.mmap(file.fileno(), 5000, access=mmap.ACCESS_READ)
    tell("mapped", mapped, address_of(mapped), [5000], [1],
         **{"memory.kind": "file", "memory.writable": True})
    tell("fixed", fixed, None, [5000], [1], readonly=True,
         **{"memory.kind": "file", "memory.writable": False, "memory.mapping": file.name + " (deleted)"})

del items, view
truth.write(truths)
