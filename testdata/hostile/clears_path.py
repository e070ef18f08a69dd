# SPDX-License-Identifier: MIT
"""Clears the import path."""
import sys

from healthy import Healthy, good

sys.path.clear()

bad = Healthy()
