# SPDX-License-Identifier: MIT
"""Consumers with planted faults, each for one type of elements; others arrive as views."""
import ctypes
import os
import time

import numpy


def view(array):
    return numpy.asarray(array)[...]


def crash(array):
    if view(array).dtype == "int8":
        ctypes.string_at(1)
    return view(array)


def hang(array):
    if view(array).dtype == "int8":
        time.sleep(60)
    return view(array)


def leave(array):
    if view(array).dtype == "int8":
        os._exit(0)
    return view(array)


def narrow(array):
    return view(array).astype("float32") if view(array).dtype == "float64" else view(array)


def reinterpret(array):
    """The bytes of int32 as elements of float32."""
    return view(array).view("float32") if view(array).dtype == "int32" else view(array)


def round_integers(array):
    return view(array).astype("float32") if view(array).dtype == "int64" else view(array)


def flatten(array):
    return view(array).ravel() if view(array).ndim == 3 else view(array)


class Numbers(list):
    """A list whose items are not Python numbers."""

    tolist = list.copy


def listed(array):
    return Numbers(view(array).ravel()) if view(array).dtype == "float32" and view(array).ndim == 1 else view(array)


def ignore_strides(array):
    """Elements that are consecutive in memory, whatever the strides are."""
    array = view(array)
    if array.ndim != 2 or array.flags.c_contiguous or array.strides[0] < 0 or array.strides[1] < 0:
        return array
    return numpy.lib.stride_tricks.as_strided(array, strides=(array.shape[1] * array.itemsize, array.itemsize))


def guess(array):
    """Elements that differ in another way each time."""
    if view(array).dtype != "int32":
        return view(array)
    return numpy.random.default_rng().integers(10, 2**30, view(array).shape, dtype="int32")


def same(array):
    return array


def refuse(array):
    raise BufferError(f"the array at {hex(id(array))} is refused")


def scatter(array):
    """A copy in memory of any alignment that malloc has."""
    block = numpy.empty(array.nbytes + 128, "uint8")
    start = -block.ctypes.data % 64 + 16 * int.from_bytes(os.urandom(1)) % 64
    copy = block[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def copy_unaligned(array):
    """Shares memory only if it is aligned to 64 bytes."""
    return view(array).copy() if view(array).ctypes.data % 64 else view(array)
