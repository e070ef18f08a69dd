"""Raises while it is imported."""

raise ValueError('no')
