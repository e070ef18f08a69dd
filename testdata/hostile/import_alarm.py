# SPDX-License-Identifier: MIT
"""Is terminated by a timer while it waits."""
import signal
import time

# GNU parallel, which runs the tests, leaves the signal ignored.
signal.signal(signal.SIGALRM, signal.SIG_DFL)
signal.setitimer(signal.ITIMER_REAL, 0.05)
time.sleep(1000)
