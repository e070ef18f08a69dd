# SPDX-License-Identifier: MIT
"""The standard library: buffers for --calls and --lifetime."""

import array
import ctypes
import mmap


def numbers():
    return array.array("d", [1, 2])


def ctypes_matrix():
    return (ctypes.c_int * 3 * 2)()


def memory_map():
    return mmap.mmap(-1, 4096)


def view():
    return memoryview(bytearray(8))[::2]


def constant():
    return b"12345678"
