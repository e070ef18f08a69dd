# SPDX-License-Identifier: MIT
"""Leaves the process group."""
import os

from healthy import Healthy, good

os.setpgid(0, 0)

bad = Healthy()
