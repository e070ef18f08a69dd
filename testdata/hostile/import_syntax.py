# SPDX-License-Identifier: MIT
"""Is not valid Python."""

def
