# SPDX-License-Identifier: MIT
"""Raises KeyboardInterrupt."""

raise KeyboardInterrupt
