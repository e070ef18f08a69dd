# SPDX-License-Identifier: MIT
"""The dictionary contains itself."""
from healthy import good


class Bad:
    __array_interface__ = dict(good.__array_interface__)


Bad.__array_interface__['descr'] = [Bad.__array_interface__]
bad = Bad()
