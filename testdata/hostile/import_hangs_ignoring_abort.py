# SPDX-License-Identifier: MIT
"""Hangs, and ignores SIGABRT."""
import signal
import time

signal.signal(signal.SIGABRT, signal.SIG_IGN)
time.sleep(1000)
