# SPDX-License-Identifier: MIT
"""Leaves a busy daemon thread behind."""
import threading

from healthy import Healthy, good

def spin():
    while True:
        pass


threading.Thread(target=spin, daemon=True).start()

bad = Healthy()
