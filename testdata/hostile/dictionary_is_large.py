# SPDX-License-Identifier: MIT
"""The facts are larger than suai takes."""
from healthy import good


class Bad:
    __array_interface__ = dict(good.__array_interface__, descr=['x' * 1000] * 20000)


bad = Bad()
