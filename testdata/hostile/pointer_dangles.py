# SPDX-License-Identifier: MIT
"""The pointer is not mapped."""
from healthy import good


class Bad:
    __array_interface__ = dict(good.__array_interface__, data=(8, False))


bad = Bad()
