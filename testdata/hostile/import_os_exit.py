# SPDX-License-Identifier: MIT
"""Leaves at once, with success."""
import os

os._exit(0)
