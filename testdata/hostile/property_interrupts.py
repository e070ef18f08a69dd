# SPDX-License-Identifier: MIT
"""The interface raises KeyboardInterrupt."""
from healthy import good


class Bad:
    @property
    def __array_interface__(self):
        raise KeyboardInterrupt


bad = Bad()
