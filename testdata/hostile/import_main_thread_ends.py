# SPDX-License-Identifier: MIT
"""The main thread exits and another keeps running."""
import ctypes
import threading
import time

threading.Thread(target=time.sleep, args=[1000]).start()
ctypes.CDLL(None).pthread_exit(None)
