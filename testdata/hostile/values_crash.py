# SPDX-License-Identifier: MIT
"""The values of the dictionary crash when they are converted."""
import ctypes

from healthy import good


class Number:
    def __index__(self):
        return ctypes.string_at(0)

    __int__ = __len__ = __iter__ = __str__ = __repr__ = __eq__ = __hash__ = __index__


class Bad:
    __array_interface__ = dict(good.__array_interface__, shape=(Number(),), version=Number())


bad = Bad()
