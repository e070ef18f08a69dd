# SPDX-License-Identifier: MIT
"""Removes the standard streams."""
import sys

from healthy import Healthy, good

sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = sys.stdin = None

bad = Healthy()
