# SPDX-License-Identifier: MIT
"""Recurses infinitely."""

def recurse():
    return recurse()


recurse()
