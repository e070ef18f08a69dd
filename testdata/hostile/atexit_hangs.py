# SPDX-License-Identifier: MIT
"""Hangs in atexit."""
import atexit
import time

from healthy import Healthy, good

atexit.register(time.sleep, 1000)

bad = Healthy()
