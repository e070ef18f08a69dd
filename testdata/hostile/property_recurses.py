# SPDX-License-Identifier: MIT
"""The interface recurses infinitely."""
from healthy import good


class Bad:
    @property
    def __array_interface__(self):
        return self.__array_interface__


bad = Bad()
