# SPDX-License-Identifier: MIT
"""Leaves with another status at its end."""
import atexit
import os

from healthy import Healthy, good

atexit.register(os._exit, 5)

bad = Healthy()
