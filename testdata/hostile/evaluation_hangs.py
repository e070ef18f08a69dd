# SPDX-License-Identifier: MIT
"""Evaluating the target hangs."""
import time

from healthy import good


def __getattr__(name):
    if name == 'bad':
        time.sleep(1000)
    raise AttributeError(name)
