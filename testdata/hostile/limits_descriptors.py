# SPDX-License-Identifier: MIT
"""Sets its limit on descriptors to those in use."""
import resource

from healthy import Healthy, good

resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))

bad = Healthy()
