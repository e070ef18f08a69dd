# SPDX-License-Identifier: MIT
"""Never ends at its end."""
import atexit
import time

from healthy import Healthy, good

atexit.register(time.sleep, 1000)

bad = Healthy()
