# SPDX-License-Identifier: MIT
"""NumPy arrays of every layout that convert must handle, and consumers that check the result.

check, for --call, compares the new object with its source element by element and by address; the
sources are those listed in NAMES, in order.
"""

import os

import numpy as np

c_order = np.arange(12, dtype="f4").reshape(3, 4)
fortran = np.asfortranarray(np.arange(12, dtype="i8").reshape(3, 4))
sliced = np.arange(40, dtype="u2").reshape(5, 8)[1::2, 1:7:2]
reverse = np.arange(10, dtype="c16")[::-1]
transposed = np.arange(24, dtype="i2").reshape(2, 3, 4).transpose(2, 0, 1)
scalar = np.array(2.5)
empty = np.zeros((0, 3), dtype="u1")
ones = np.arange(4, dtype="f2").reshape(1, 4, 1)
repeated = np.broadcast_to(np.arange(3, dtype="i4"), (4, 3))
big_endian = np.arange(5, dtype=">f8")
boolean = np.array([[True, False], [False, True]])
readonly = np.arange(6, dtype="i4")
readonly.flags.writeable = False
structured = np.zeros(3, dtype=[("x", "<i4"), ("y", "<f8", (2,)), ("z", "S3")])
structured["x"] = [1, 2, 3]
structured["y"] = [[1, 2], [3, 4], [5, 6]]
aligned = np.zeros(2, dtype=np.dtype([("a", "i1"), ("b", "f8"), ("c", "i2")], align=True))
aligned["b"] = [1.5, 2.5]
swapped = np.zeros(2, dtype=[("a", ">i4"), ("b", [("c", "<u2"), ("d", "?")])])
swapped["a"] = [7, 8]
nested = np.array([((1,), 2), ((3,), 4)], dtype=[("a", [("b", ">i4")]), ("c", ">i4")])
unpadded = np.array([((1.5, 2), 3)], dtype=[("a", [("b", "f4"), ("c", ">i2")]), ("d", ">i2")])
field = structured["x"]
dates = np.array(["2020-02-29", "2021-01-01"], dtype="M8[D]")
text = np.array(["abc", "d\u00e9"])
raw_bytes = np.array([b"abc", b"d"])
void = np.array([b"\x01\x02\x03", b"\x04\x05\x06"], dtype="V3")
objects = np.array([1, "two", None], dtype=object)
large = np.arange(3_000_000, dtype="i4").reshape(1000, 3000)[:, ::-1].T

_names = iter(os.environ.get("NAMES", "").split())


def address(array):
    return array.__array_interface__["data"][0]


def take(new):
    """What NumPy makes of the only protocol that new exports."""
    if hasattr(new, "__dlpack__"):
        return np.from_dlpack(new)
    return np.asarray(new)


def compare(new):
    name = next(_names)
    source, got = globals()[name], take(new)
    assert got.shape == source.shape, name
    native = source.dtype.newbyteorder("=") if hasattr(new, "__dlpack__") else source.dtype
    if source.dtype.names:  # NumPy itself reads padding in a descr as fields named f1, f2
        assert all(got.dtype.fields[n] == source.dtype.fields[n] for n in source.dtype.names), name
        assert got.dtype.itemsize == source.dtype.itemsize, name
        got = got.view(source.dtype)
    if name != "void":  # "3x" to NumPy is a structure of no fields
        assert got.dtype == native, (name, got.dtype, source.dtype)
    want = source.astype(got.dtype) if hasattr(new, "__dlpack__") else source
    assert got.tobytes() == want.tobytes(), name
    return source, got


def check_shared(new):
    source, got = compare(new)
    if source.size:
        assert address(got) == address(source)
        assert got.strides == source.strides or 1 in source.shape
    assert got.flags.writeable == source.flags.writeable
    return got


def check_copied(new):
    source, got = compare(new)
    assert not np.shares_memory(got, source)
    assert got.flags.writeable
    return got


def check_c(new):
    source, got = compare(new)
    assert got.flags.c_contiguous
    assert source.size == 0 or (address(got) == address(source)) == source.flags.c_contiguous
    return got


def check_f(new):
    source, got = compare(new)
    assert got.flags.f_contiguous
    assert source.size == 0 or (address(got) == address(source)) == source.flags.f_contiguous
    return got


def check_k(new):
    """A copy in the source's own order: as numpy.copy(order="K"), but for broadcasts."""
    source, got = compare(new)
    if 0 not in source.strides and 1 not in source.shape:
        assert got.strides == source.copy(order="K").strides
    return got


def check_view(new):
    """memoryview, and bytes() of it, by PEP 3118."""
    name = next(_names)
    source, view = globals()[name], memoryview(new)
    assert view.shape == source.shape and view.ndim == source.ndim
    assert view.readonly == (not source.flags.writeable)
    assert bytes(new) == source.tobytes(), name
    assert np.asarray(view).tobytes() == source.tobytes(), name
    if source.dtype.names:
        assert np.asarray(view).dtype == source.dtype, np.asarray(view).dtype
    return np.asarray(view)
