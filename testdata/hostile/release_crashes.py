# SPDX-License-Identifier: MIT
"""Releasing the object crashes."""
import os

from healthy import Healthy, good


class Bad(Healthy):
    def __del__(self):
        os.abort()
