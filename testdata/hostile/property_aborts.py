# SPDX-License-Identifier: MIT
"""The interface aborts."""
import os

from healthy import good


class Bad:
    @property
    def __array_interface__(self):
        os.abort()


bad = Bad()
