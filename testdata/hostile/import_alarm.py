# SPDX-License-Identifier: MIT
"""Is ended by a timer while it waits."""
import signal
import time

signal.setitimer(signal.ITIMER_REAL, 0.05)
time.sleep(1000)
