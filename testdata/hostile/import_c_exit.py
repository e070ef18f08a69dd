# SPDX-License-Identifier: MIT
"""Leaves by C's exit, which runs what suai registered there."""
import ctypes

ctypes.CDLL(None).exit(0)
