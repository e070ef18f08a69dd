# SPDX-License-Identifier: MIT
"""Sources and consumers that raise, crash, hang, exit, or declare false facts."""

import ctypes
import os
import time

import numpy as np

a = np.arange(12, dtype="f4").reshape(3, 4)


class Lying:
    """Claims memory that is not mapped."""

    __array_interface__ = {
        "version": 3, "shape": (1 << 12,), "typestr": "<f8", "data": (64, False),
    }


class Overflowing:
    __array_interface__ = {
        "version": 3, "shape": (1 << 40, 1 << 40), "typestr": "<f8", "strides": (0, 0),
        "data": (a.ctypes.data, False),
    }


class Raising:
    @property
    def __array_interface__(self):
        raise ValueError("not today")


class Masked:
    __array_interface__ = dict(a.__array_interface__, mask=np.zeros((3, 4), dtype=bool))


class Short:
    __array_interface__ = {"version": 3, "shape": (4,), "typestr": "<f8", "data": bytearray(31)}


class CrashingExport:
    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **keywords):
        os.abort()


class Plain:
    pass


lying, overflowing, raising, masked = Lying(), Overflowing(), Raising(), Masked()
crashing, plain, short = CrashingExport(), Plain(), Short()
huge = np.broadcast_to(np.zeros(1 << 12), (1 << 20, 1 << 12))


def raises(new):
    raise RuntimeError("the consumer is unwell")


def leaves(new):
    os._exit(0)


def exits(new):
    raise SystemExit(0)


def crashes(new):
    ctypes.string_at(0)


def hangs(new):
    time.sleep(3600)


def prints(new):
    print("noise on standard output")
    os.write(1, b"more noise\n")
    return np.asarray(new)
