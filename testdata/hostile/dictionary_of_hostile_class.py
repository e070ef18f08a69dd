# SPDX-License-Identifier: MIT
"""The dictionary is a subclass whose every method exits."""
import os

from healthy import good


def leave(*arguments):
    os._exit(0)


class Dictionary(dict):
    __getitem__ = __iter__ = __len__ = __contains__ = __eq__ = __repr__ = leave
    get = keys = items = values = leave


class Bad:
    __array_interface__ = Dictionary(good.__array_interface__)


bad = Bad()
