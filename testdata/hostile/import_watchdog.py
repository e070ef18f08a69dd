# SPDX-License-Identifier: MIT
"""A watchdog kills the process."""
import faulthandler
import time

faulthandler.dump_traceback_later(0.05, exit=True)
time.sleep(1000)
