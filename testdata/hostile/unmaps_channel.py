# SPDX-License-Identifier: MIT
"""Unmaps the memory shared with suai."""
import ctypes

from healthy import good


class Bad:
    @property
    def __array_interface__(self):
        with open('/proc/self/maps') as maps:
            low, high = next(line for line in maps if 'memfd:suai' in line).split()[0].split('-')
        ctypes.CDLL(None).munmap(
            ctypes.c_void_p(int(low, 16)), ctypes.c_size_t(int(high, 16) - int(low, 16))
        )
        return good.__array_interface__


bad = Bad()
