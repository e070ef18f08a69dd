# SPDX-License-Identifier: MIT
"""Crashes at its end."""
import atexit
import os

from healthy import Healthy, good

atexit.register(os.abort)

bad = Healthy()
