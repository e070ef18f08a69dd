# SPDX-License-Identifier: MIT
"""Overwrites the memory shared with suai."""
import ctypes
import time

from healthy import good


class Bad:
    @property
    def __array_interface__(self):
        time.sleep(0.1)
        with open('/proc/self/maps') as maps:
            low, high = next(line for line in maps if 'memfd:suai' in line).split()[0].split('-')
        ctypes.memset(int(low, 16), 0xFF, int(high, 16) - int(low, 16))
        return good.__array_interface__


bad = Bad()
