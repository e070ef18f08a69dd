# SPDX-License-Identifier: MIT
"""The main thread ends and another lives on."""
import ctypes
import threading
import time

threading.Thread(target=time.sleep, args=[1000]).start()
ctypes.CDLL(None).pthread_exit(None)
