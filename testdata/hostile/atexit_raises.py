# SPDX-License-Identifier: MIT
"""Raises at its end."""
import atexit

from healthy import Healthy, good

atexit.register(lambda: 1 / 0)

bad = Healthy()
