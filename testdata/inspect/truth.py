# SPDX-License-Identifier: MIT
"""What a library says of its arrays by another road than any protocol, as JSON into $TRUTH."""

import ctypes
import json
import os


def ends(pointer, shape, strides, itemsize):
    """The bytes at the first and at the last element, as the addresses have them."""
    last = pointer + sum((n - 1) * stride for n, stride in zip(shape, strides))
    return [ctypes.string_at(at, itemsize) for at in (pointer, last)]


def write(arrays):
    if "TRUTH" in os.environ:
        with open(os.environ["TRUTH"], "w") as file:
            json.dump(arrays, file)
