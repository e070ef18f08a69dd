# SPDX-License-Identifier: MIT
"""Leaves a thread behind that never exits."""
import threading
import time

from healthy import Healthy, good

threading.Thread(target=time.sleep, args=[1000]).start()

bad = Healthy()
