# SPDX-License-Identifier: MIT
"""Closes all descriptors but the standard ones."""
import os

from healthy import Healthy, good

os.closerange(3, 65536)

bad = Healthy()
