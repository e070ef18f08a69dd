# SPDX-License-Identifier: MIT
"""Reads an empty standard input."""

input()
