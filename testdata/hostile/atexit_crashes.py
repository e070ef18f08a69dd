# SPDX-License-Identifier: MIT
"""Crashes in atexit."""
import atexit
import os

from healthy import Healthy, good

atexit.register(os.abort)

bad = Healthy()
