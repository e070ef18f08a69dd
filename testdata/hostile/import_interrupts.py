"""Raises KeyboardInterrupt."""

raise KeyboardInterrupt
