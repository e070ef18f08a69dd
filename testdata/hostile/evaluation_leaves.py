# SPDX-License-Identifier: MIT
"""Evaluating the target exits the process."""
import os

from healthy import good


def __getattr__(name):
    if name == 'bad':
        os._exit(0)
    raise AttributeError(name)
