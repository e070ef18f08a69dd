# SPDX-License-Identifier: MIT
"""Allows itself no further descriptor."""
import resource

from healthy import Healthy, good

resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))

bad = Healthy()
