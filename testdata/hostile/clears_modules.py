# SPDX-License-Identifier: MIT
"""Takes the modules away."""
import sys

from healthy import Healthy, good

sys.modules.clear()

bad = Healthy()
