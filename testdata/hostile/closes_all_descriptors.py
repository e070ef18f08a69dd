# SPDX-License-Identifier: MIT
"""Closes all descriptors, and opens others in their place."""
import os

from healthy import Healthy, good

os.closerange(0, 65536)
files = [open('/dev/null') for _ in range(8)]

bad = Healthy()
