# SPDX-License-Identifier: MIT
"""Waits in C without reacquiring the GIL."""
import ctypes

ctypes.PyDLL(None).pause()
