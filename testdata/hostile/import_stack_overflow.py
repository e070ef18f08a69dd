# SPDX-License-Identifier: MIT
"""Overflows the C stack with a pattern nested a million times."""
import ctypes

pattern = b'(' * 1000000
ctypes.CDLL(None).regcomp(ctypes.create_string_buffer(1024), pattern, 1)
