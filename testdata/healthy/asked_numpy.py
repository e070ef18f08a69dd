# SPDX-License-Identifier: MIT
"""NumPy: arrays for --calls and --lifetime, one for each kind of owner and layout; created again for each trial."""

import tempfile

import numpy as np


def plain():
    return np.arange(12.0).reshape(3, 4)


def view():
    return plain()[1:, ::2]


def reversed_rows():
    return plain()[::-1]


def zero_d():
    return np.array(1.5)


def empty():
    return np.zeros((0, 3))


def readonly():
    array = np.arange(6.0)
    array.flags.writeable = False
    return array


def broadcast():
    return np.broadcast_to(np.arange(4.0), (3, 4))


def broadcast_arrays():
    return np.broadcast_arrays(np.arange(3.0), np.zeros((4, 3)))[0]


def structured():
    return np.zeros(3, [("a", "i4"), ("b", "f8")])


def field():
    return structured()["b"]


def dates():
    return np.array(["2020-01-01"], "M8[D]")


def swapped():
    return np.arange(4, dtype=">i4")


def text():
    return np.array(["abc", "d"])


def objects():
    return np.array([1, "two", None], object)


def boolean():
    return np.array([True, False])


def half():
    return np.arange(3, dtype="f2")


def long_double():
    return np.arange(3, dtype="g")


def of_bytes():
    return np.frombuffer(b"12345678", "f4")


def mapped():
    return np.memmap(tempfile.TemporaryFile(), shape=8, dtype="f4", mode="w+")


def taken():
    return np.from_dlpack(np.arange(6.0))


def masked():
    return np.ma.array([1.0, 2, 3], mask=[0, 1, 0])


def windows():
    return np.lib.stride_tricks.sliding_window_view(np.arange(8.0), 3)


def large():
    return np.ones((1 << 20) + 1)


def scalar():
    return np.float64(1.5)
