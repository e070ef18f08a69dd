# SPDX-License-Identifier: MIT
"""The interface hangs."""
from healthy import good


class Bad:
    @property
    def __array_interface__(self):
        while True:
            pass


bad = Bad()
