# SPDX-License-Identifier: MIT
"""Raises during the import."""

raise ValueError('no')
