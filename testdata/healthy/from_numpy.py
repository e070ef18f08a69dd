# SPDX-License-Identifier: MIT
"""NumPy: each element type in each view, and its other kinds of arrays."""

import array
import ctypes
import io
import mmap
import tempfile
import warnings

import numpy as np
from views import chains, views

warnings.simplefilter("ignore")

NUMBERS = "?bBhHiIlLqQefdgFDG"
TEXTS = ["S5", "S1", "S0", "U3", "U0", "V7", "V1", "V0", "O"]
TIMES = [f"{kind}8[{unit}]" for kind in "Mm" for unit in (
    "Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", "25s", "10us")]
RECORDS = {
    "plain": [("a", "<i4"), ("b", "<f8")],
    "big": [("a", ">i4"), ("b", ">f8")],
    "mixed": [("a", "<i2"), ("b", ">f4"), ("c", "?")],
    "aligned": np.dtype([("a", "i1"), ("b", "f8"), ("c", "i2")], align=True),
    "subarray": [("a", "i1", (2, 3)), ("b", "f4", 2)],
    "nested": [("a", "u1"), ("b", [("c", "f4"), ("d", "i2")])],
    "nested_twice": [("a", [("b", "i4", 2), ("c", [("d", "f8")])], (2,))],
    "nested_aligned": np.dtype([("a", "i1"), ("b", np.dtype([("c", "i8"), ("d", "i1")], align=True))], align=True),
    "nested_big": np.dtype([("a", "i1"), ("b", np.dtype([("c", ">i8"), ("d", ">i1")], align=True))], align=True),
    "titled": [(("a title", "a"), "i4"), ("b", "f4")],
    "texts": [("name", "S7"), ("word", "U3"), ("raw", "V5")],
    "objects": [("a", "O"), ("b", "i4")],
    "times": [("t", "M8[ns]"), ("dt", "m8[s]")],
    "halves": [("h", "e"), ("c", "F"), ("g", "g"), ("z", "G")],
    "gap": {"names": ["a", "b"], "formats": ["i1", "i4"], "offsets": [0, 8]},
    "tail": {"names": ["a"], "formats": ["i4"], "itemsize": 12},
    "lead": {"names": ["a"], "formats": ["i4"], "offsets": [4]},
    "overlapping": {"names": ["a", "b"], "formats": ["i4", "i2"], "offsets": [0, 2]},
    "backward": {"names": ["a", "b"], "formats": ["i4", "i4"], "offsets": [4, 0]},
    "no_fields": [],
    "odd_names": [("a b", "i4"), ("", "f4"), ("ä:{}", "i2")],
}


def filled(dtype):
    dtype = np.dtype(dtype)
    if dtype.kind in "biufcmM":
        return np.arange(12).astype(dtype).reshape(3, 4)
    array = np.zeros((3, 4), dtype)
    if dtype.kind in "SUOT":
        array[...] = [[str(4 * i + j) for j in range(4)] for i in range(3)]
    return array


def unaligned(base):
    raw = np.zeros(base.nbytes + 1, "u1")[1:]
    return raw.view(base.dtype).reshape(base.shape) if base.itemsize else base


def read_only(base):
    frozen = base.copy()
    frozen.flags.writeable = False
    return frozen


def layouts(name, base):
    yield from views(name, base)
    yield name + "_fortran", np.asfortranarray(base)
    yield name + "_readonly", read_only(base)
    yield name + "_readonly_0d", read_only(base)[1, 2, ...]
    yield name + "_readonly_empty", read_only(base)[:0]
    yield name + "_broadcast", np.broadcast_to(base[0], (5, 4))
    yield name + "_broadcast_rows", np.broadcast_to(base[:, :1], (3, 4))
    yield name + "_broadcast_writable", np.broadcast_arrays(base[:1], base)[0]
    yield name + "_expanded", base[:, :, None][:, ::2]
    yield name + "_swapped", filled(base.dtype).astype(base.dtype.newbyteorder())
    yield name + "_allocated_empty", np.empty((0, 3, 4), base.dtype)
    if base.dtype != object and not base.dtype.hasobject:
        yield name + "_unaligned", unaligned(base)


def others():
    records = np.zeros(6, [("a", "i1"), ("b", "f4"), ("c", "f8", 2)])
    for field in records.dtype.names:
        yield "field_" + field, records[field]
    yield "fields_picked", records[["a", "c"]]
    yield "recarray", records.view(np.recarray)
    yield "record", records.view(np.recarray)[0]
    yield "void", records[0]
    complexes = np.arange(6, dtype="F") * 1j
    yield "real", complexes.real
    yield "imag", complexes.imag
    yield "matrix", np.matrix([[1, 2], [3, 4]])
    yield "masked", np.ma.masked_array([1.0, 2.0], [True, False])
    yield "masked_rows", np.ma.zeros((2, 3))[:, ::2]
    yield "chars", np.char.array(["a", "bc"])
    yield "strings", np.array(["a", "a text of more than sixteen bytes"], np.dtypes.StringDType())
    yield "strings_missing", np.array(["a", None], np.dtypes.StringDType(na_object=None))
    yield "strings_empty", np.array([], np.dtypes.StringDType())
    yield "subclass", np.zeros(3).view(type("Sub", (np.ndarray,), {}))
    yield "window", np.lib.stride_tricks.sliding_window_view(np.arange(10.0), 3)
    yield "window_2d", np.lib.stride_tricks.sliding_window_view(np.zeros((5, 5)), (2, 2))
    yield "strided_readonly", np.lib.stride_tricks.as_strided(np.zeros(4), (3, 3), (8, 0), writeable=False)
    yield "diagonal", np.zeros((3, 3)).diagonal()
    yield "many_dims", np.zeros((1,) * 62 + (2, 3))
    yield "many_empty_dims", np.zeros((0,) * 64)
    yield "huge_and_empty", np.empty((1 << 40, 0, 1 << 10))
    yield "three_pages", np.zeros(3 * 4096 // 8)[1:-1]
    yield "two_mappings", np.zeros(8 << 20, "u1")[1:]
    yield "virtual", np.zeros(1 << 30, "u1")[::-1]
    yield "bytes", np.frombuffer(b"twelve bytes", "i4")
    yield "bytes_shifted", np.frombuffer(b"thirteen byte", "i4", offset=1)
    yield "zero_strided", np.ndarray((4, 3), "i4", np.arange(3, dtype="i4"), strides=(0, 4))[:1]
    yield "anonymous_map", np.frombuffer(mmap.mmap(-1, 1 << 16), "f8")
    for code in NUMBERS + "SUVO":
        yield f"empty_list_{code.replace('?', 'b1')}", np.array([], code)


def scalars():
    for code in NUMBERS:
        yield f"scalar_{code.replace('?', 'b1')}", np.dtype(code).type(1)
    yield "scalar_date", np.datetime64("2026-01-01")
    yield "scalar_span", np.timedelta64(5, "s")
    yield "scalar_text", np.str_("text")
    yield "scalar_no_text", np.str_("")
    yield "scalar_bytes", np.bytes_(b"bytes")
    yield "scalar_void", np.void(b"raw")


def file_maps():
    with tempfile.NamedTemporaryFile() as file:
        np.arange(1000.0).tofile(file.name)
        for mode in ("r", "r+", "c"):
            yield "file_" + mode.replace("+", "_plus"), np.memmap(file.name, "f8", mode)
            yield f"file_{mode.replace('+', '_plus')}_part", np.memmap(file.name, "f4", mode, 4, (10, 7))[::-2]


def more():
    """Other sources of arrays: files, ctypes, records of other kinds, custom strides."""
    yield "records_of_lists", np.rec.fromarrays([[1, 2], [3.0, 4.0]], names="a,b")
    yield "masked_records", np.ma.array([(1, 2.0)], [("a", "i4"), ("b", "f8")], mask=[(1, 0)])
    yield "masked_record", np.ma.array([(1, 2.0)], mask=[(1, 0)], dtype=[("a", "i4"), ("b", "f8")])[0]
    yield "record_of_number", np.zeros(3, np.dtype(("i4", [("low", "i2"), ("high", "i2")])))
    yield "record_empty_field", np.zeros(3, [("a", "f4", (0,)), ("b", "i4")])
    yield "record_deep_objects", np.zeros(3, [("a", [("b", "i1"), ("c", "f8", 2)], (2,)), ("d", "O")])
    yield "record_many_fields", np.zeros(3, [(f"f{i}", "i1") for i in range(300)])
    yield "record_scalar_array", np.zeros((), [("a", "i4"), ("b", "f8")])
    yield "field_of_matrix", np.zeros((4, 4), [("a", "i1"), ("b", "f4")])["b"][::2, ::-1]
    yield "part_of_complex", np.zeros(3, "c16").getfield("f8", 8)
    yield "part_of_integer", np.zeros(3, "i8").getfield("i2", 2)
    yield "of_ctypes", np.ctypeslib.as_array(((ctypes.c_short * 3) * 2)())
    yield "of_stdlib_array", np.frombuffer(array.array("d", [1, 2, 3]))
    yield "of_stdlib_view", np.asarray(memoryview(array.array("H", [1, 2, 3, 4]))[::-2])
    yield "of_stream", np.frombuffer(io.BytesIO(bytes(16)).getbuffer(), "f4")
    yield "meshgrid", np.meshgrid(np.arange(3), np.arange(4), copy=False)[0]
    yield "overlapping", np.lib.stride_tricks.as_strided(np.zeros(10), (4, 4), (8, 8))
    yield "huge_stride_of_one", np.lib.stride_tricks.as_strided(np.zeros(10), (1, 4), (1 << 62, 8))
    yield "huge_stride_of_empty", np.lib.stride_tricks.as_strided(np.zeros(10), (0, 4), (1 << 62, 1 << 62))
    yield "empty_behind_page", np.frombuffer(mmap.mmap(-1, 4096), "u1")[4096:]
    yield "empty_behind_reversed", np.zeros(5)[5:][::-1]
    with tempfile.TemporaryDirectory() as folder:
        np.save(folder + "/a.npy", np.arange(20.0).reshape(4, 5))
        for mode in ("r", "c", "r+"):
            yield f"loaded_{mode.replace('+', '_plus')}", np.load(folder + "/a.npy", mode)[:, ::-2]


def make():
    yield from chains(np.zeros)
    yield from chains(lambda shape: read_only(np.zeros(shape, [("a", "i1"), ("b", ">f4")]))["b"], "chain_field")
    yield from more()
    for i, dtype in enumerate([*NUMBERS, *TEXTS, *TIMES]):
        yield from layouts(f"{np.dtype(dtype).name.replace('[', '_').rstrip(']')}_{i}", filled(dtype))
    for name, dtype in RECORDS.items():
        yield from layouts("record_" + name, filled(dtype))
    yield from others()
    yield from scalars()
    yield from file_maps()


globals().update(make())
