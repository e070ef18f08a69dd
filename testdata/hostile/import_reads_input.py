# SPDX-License-Identifier: MIT
"""Reads standard input, where there is none."""

input()
