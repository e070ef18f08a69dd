# SPDX-License-Identifier: MIT
"""The object reports another class, and its attributes raise."""
from healthy import good


class Bad:
    @property
    def __class__(self):
        raise SystemExit

    def __getattribute__(self, name):
        raise SystemExit(name)


bad = Bad()
