# SPDX-License-Identifier: MIT
"""Clears sys.modules."""
import sys

from healthy import Healthy, good

sys.modules.clear()

bad = Healthy()
