# SPDX-License-Identifier: MIT
"""Every attribute exits the process; each is one step."""
import os

from healthy import good


class Bad:
    def __getattribute__(self, name):
        os._exit(0)


bad = Bad()
