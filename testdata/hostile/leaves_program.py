# SPDX-License-Identifier: MIT
"""Leaves a program running."""
import subprocess

from healthy import Healthy, good

program = subprocess.Popen(['sleep', '1000'])

bad = Healthy()
