# SPDX-License-Identifier: MIT
"""Reads address 0."""
import ctypes

ctypes.string_at(0)
