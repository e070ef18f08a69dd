# SPDX-License-Identifier: MIT
"""Leaves a temporary folder to atexit."""
import tempfile

from healthy import Healthy, good

folder = tempfile.TemporaryDirectory()

bad = Healthy()
