# SPDX-License-Identifier: MIT
"""Recurses without end."""

def recurse():
    return recurse()


recurse()
