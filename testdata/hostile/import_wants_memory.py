# SPDX-License-Identifier: MIT
"""Asks for more memory than there is."""

bytearray(1 << 60)
