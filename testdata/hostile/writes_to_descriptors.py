# SPDX-License-Identifier: MIT
"""Writes random bytes to every descriptor."""
import os

from healthy import Healthy, good

for fd in range(3, 64):
    try:
        os.write(fd, b'junk' * 100)
    except OSError:
        pass

bad = Healthy()
