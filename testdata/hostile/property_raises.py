# SPDX-License-Identifier: MIT
"""The interface raises."""
from healthy import good


class Bad:
    @property
    def __array_interface__(self):
        raise ValueError('no')


bad = Bad()
