# SPDX-License-Identifier: MIT
"""The dictionary is 100,000 lists deep."""
from healthy import good

nested = []
for _ in range(100000):
    nested = [nested]


class Bad:
    __array_interface__ = dict(good.__array_interface__, descr=nested)


bad = Bad()
