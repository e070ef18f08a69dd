# SPDX-License-Identifier: MIT
"""Handles the signals that suai may use."""
import signal

from healthy import Healthy, good

for number in (signal.SIGINT, signal.SIGTERM, signal.SIGABRT, signal.SIGCHLD, signal.SIGPIPE):
    signal.signal(number, signal.SIG_IGN)

bad = Healthy()
