# SPDX-License-Identifier: MIT
"""Numbers and strings that no C type can hold."""
from healthy import good


class Bad:
    __array_interface__ = dict(
        good.__array_interface__,
        shape=(10**5000, -1),
        typestr='\ud800\x00',
        data=(2**64, 'no'),
        version=float('nan'),
    )


bad = Bad()
