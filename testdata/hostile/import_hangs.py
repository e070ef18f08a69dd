# SPDX-License-Identifier: MIT
"""Hangs."""

while True:
    pass
