# SPDX-License-Identifier: MIT
"""Leaves a temporary directory to atexit."""
import tempfile

from healthy import Healthy, good

folder = tempfile.TemporaryDirectory()

bad = Healthy()
