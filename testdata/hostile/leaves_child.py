# SPDX-License-Identifier: MIT
"""Forks a child that never exits."""
import os
import time

from healthy import Healthy, good

if os.fork() == 0:
    time.sleep(1000)

bad = Healthy()
