# SPDX-License-Identifier: MIT
"""The facts exceed suai's limit."""
from healthy import good


class Bad:
    __array_interface__ = dict(good.__array_interface__, descr=['x' * 1000] * 20000)


bad = Bad()
