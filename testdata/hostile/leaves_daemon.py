# SPDX-License-Identifier: MIT
"""Leaves a daemon in its own session behind."""
import os
import time

from healthy import Healthy, good

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(1000)
    os._exit(0)
os.wait()

bad = Healthy()
