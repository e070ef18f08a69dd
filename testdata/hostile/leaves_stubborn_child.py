# SPDX-License-Identifier: MIT
"""Leaves a child that ignores all signals it can, with its own child."""
import os
import signal
import time

from healthy import Healthy, good

if os.fork() == 0:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.fork()
    time.sleep(1000)

bad = Healthy()
