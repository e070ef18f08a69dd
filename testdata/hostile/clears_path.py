# SPDX-License-Identifier: MIT
"""Takes the import path away."""
import sys

from healthy import Healthy, good

sys.path.clear()

bad = Healthy()
