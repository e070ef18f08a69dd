# SPDX-License-Identifier: MIT
"""Hangs."""
import time

time.sleep(1000)
