# SPDX-License-Identifier: MIT
"""Forks, and both processes continue."""
import os

from healthy import Healthy, good

os.fork()

bad = Healthy()
