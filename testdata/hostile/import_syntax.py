# SPDX-License-Identifier: MIT
"""Is no Python."""

def
