# SPDX-License-Identifier: MIT
"""Aborts, as a failed assertion in C does."""
import os

os.abort()
