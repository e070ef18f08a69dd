# SPDX-License-Identifier: MIT
"""Writes what a library itself reports about its arrays, without any protocol, as JSON to $TRUTH."""

import ctypes
import json
import os


def ends(pointer, shape, strides, itemsize):
    """The bytes at the first and at the last element, in order of address."""
    last = pointer + sum((n - 1) * stride for n, stride in zip(shape, strides))
    return [ctypes.string_at(at, itemsize) for at in (pointer, last)]


def write(arrays):
    if "TRUTH" in os.environ:
        with open(os.environ["TRUTH"], "w") as file:
            json.dump(arrays, file)
