# SPDX-License-Identifier: MIT
"""The interface closes all descriptors."""
import os

from healthy import good


class Bad:
    @property
    def __array_interface__(self):
        os.closerange(0, 65536)
        return good.__array_interface__


bad = Bad()
