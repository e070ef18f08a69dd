# SPDX-License-Identifier: MIT
"""A thread exits the process while the main thread waits."""
import os
import threading
import time

threading.Timer(0.05, os._exit, [0]).start()
time.sleep(1000)
