# SPDX-License-Identifier: MIT
"""Waits in C without the interpreter lock being taken back."""
import ctypes

ctypes.PyDLL(None).pause()
