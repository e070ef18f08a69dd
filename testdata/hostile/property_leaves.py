# SPDX-License-Identifier: MIT
"""The interface exits immediately, with success."""
import os

from healthy import good


class Bad:
    @property
    def __array_interface__(self):
        os._exit(0)


bad = Bad()
