# SPDX-License-Identifier: MIT
"""The interface reads address 0."""
import ctypes

from healthy import good


class Bad:
    @property
    def __array_interface__(self):
        return ctypes.string_at(0)


bad = Bad()
