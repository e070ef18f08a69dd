# SPDX-License-Identifier: MIT
"""Stops its own process."""
import os
import signal

os.kill(os.getpid(), signal.SIGSTOP)
