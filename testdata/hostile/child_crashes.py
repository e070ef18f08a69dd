# SPDX-License-Identifier: MIT
"""Forks a child that crashes."""
import os

from healthy import Healthy, good

if os.fork() == 0:
    os.abort()
os.wait()

bad = Healthy()
