# SPDX-License-Identifier: MIT
"""Leaves a daemon thread behind that runs all the time."""
import threading

from healthy import Healthy, good

def spin():
    while True:
        pass


threading.Thread(target=spin, daemon=True).start()

bad = Healthy()
