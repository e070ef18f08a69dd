# SPDX-License-Identifier: MIT
"""Requests more memory than is available."""

bytearray(1 << 60)
