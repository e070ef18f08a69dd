# SPDX-License-Identifier: MIT
"""memoryview over each built-in exporter, cast to each format and shape, in each slice."""

import array
import ctypes
import io
import multiprocessing.shared_memory
import pickle

import numpy as np

FORMATS = "cbB?hHiIlLqQnNfdP"


def slices(name, view):
    yield name, view
    yield name + "_part", view[1:3]
    yield name + "_stepped", view[::2]
    yield name + "_reversed", view[::-1]
    yield name + "_empty", view[2:2]
    yield name + "_empty_at_end", view[len(view):]
    yield name + "_readonly", view.toreadonly()


def casts():
    for code in FORMATS:
        label = code.replace("?", "b1")
        raw = memoryview(bytearray(24 * 16))
        yield from slices("cast_" + label, raw.cast(code))
        yield f"cast_{label}_shaped", raw[: 24 * raw.cast(code).itemsize].cast(code, (2, 3, 4))
        yield f"cast_{label}_0d", raw[: raw.cast(code).itemsize].cast(code, ())
        yield f"cast_{label}_bytes", raw.cast(code).cast("B")
    yield "cast_units", memoryview(bytearray(3)).cast("B", (1, 3, 1))


def exporters():
    yield from slices("of_bytes", memoryview(b"some bytes"))
    yield from slices("of_array", memoryview(array.array("d", range(5))))
    yield from slices("of_ctypes", memoryview((ctypes.c_int * 5)()))
    yield from slices("of_numpy", memoryview(np.arange(12.0).reshape(3, 4)[:, 0]))
    yield "of_numpy_shaped", memoryview(np.arange(12.0).reshape(3, 4)[:, ::-2])
    yield "of_numpy_fortran", memoryview(np.zeros((3, 4), order="F"))
    yield "of_numpy_0d", memoryview(np.array(1.0))
    yield "of_numpy_empty", memoryview(np.zeros((0, 3)))
    yield "of_numpy_record", memoryview(np.zeros(3, "i4,f8"))
    yield "of_bytes_io", io.BytesIO(b"some bytes").getbuffer()
    yield "of_pickle_buffer", memoryview(pickle.PickleBuffer(b"some bytes"))


def make():
    yield from casts()
    yield from exporters()
    yield "constant", b"some bytes"
    yield "no_bytes", b""
    yield "changeable", bytearray(b"some bytes")
    yield "no_changeable", bytearray()
    yield "cut_in_front", CUT
    yield "pickle_buffer", pickle.PickleBuffer(bytearray(10))
    yield "shared", SHARED.buf


CUT = bytearray(b"some bytes")
del CUT[:3]
SHARED = multiprocessing.shared_memory.SharedMemory(create=True, size=100)
SHARED.unlink()
globals().update(make())
