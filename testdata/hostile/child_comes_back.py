# SPDX-License-Identifier: MIT
"""Forks, and both processes go on."""
import os

from healthy import Healthy, good

os.fork()

bad = Healthy()
