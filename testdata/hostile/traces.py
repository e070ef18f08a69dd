# SPDX-License-Identifier: MIT
"""A trace function raises at every call."""
import sys

from healthy import Healthy, good

def trace(frame, event, argument):
    raise RuntimeError(event)


sys.settrace(trace)
sys.setprofile(trace)

bad = Healthy()
