# SPDX-License-Identifier: MIT
"""Breaks builtins that nearly everything calls."""
import builtins

from healthy import Healthy, good

builtins.__import__ = builtins.compile = builtins.getattr = builtins.repr = None

bad = Healthy()
