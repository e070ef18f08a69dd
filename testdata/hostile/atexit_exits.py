# SPDX-License-Identifier: MIT
"""Exits with another status in atexit."""
import atexit
import os

from healthy import Healthy, good

atexit.register(os._exit, 5)

bad = Healthy()
