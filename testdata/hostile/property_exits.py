# SPDX-License-Identifier: MIT
"""The interface exits as a script does."""
import sys

from healthy import good


class Bad:
    @property
    def __array_interface__(self):
        sys.exit(0)


bad = Bad()
