# SPDX-License-Identifier: MIT
"""Hangs, and blocks all signals."""
import signal
import time

signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
time.sleep(1000)
