# SPDX-License-Identifier: MIT
"""Raises in atexit."""
import atexit

from healthy import Healthy, good

atexit.register(lambda: 1 / 0)

bad = Healthy()
