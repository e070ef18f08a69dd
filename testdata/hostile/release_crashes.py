# SPDX-License-Identifier: MIT
"""Giving the object back crashes."""
import os

from healthy import Healthy, good


class Bad(Healthy):
    def __del__(self):
        os.abort()
