# SPDX-License-Identifier: MIT
"""Exits immediately, with success."""
import os

os._exit(0)
