# SPDX-License-Identifier: MIT
"""An audit hook raises at every attribute and import."""
import sys

from healthy import Healthy, good

def hook(event, arguments):
    if event in ('import', 'object.__getattr__', 'open'):
        raise RuntimeError(event)


sys.addaudithook(hook)

bad = Healthy()
