# SPDX-License-Identifier: MIT
"""The interface forks, and both processes return."""
import os

from healthy import good


class Bad:
    @property
    def __array_interface__(self):
        os.fork()
        return good.__array_interface__


bad = Bad()
