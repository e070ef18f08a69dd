# SPDX-License-Identifier: MIT
"""Raises while it is imported."""

raise ValueError('no')
