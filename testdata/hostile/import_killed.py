# SPDX-License-Identifier: MIT
"""Is killed, as when memory runs out."""
import os
import signal

os.kill(os.getpid(), signal.SIGKILL)
