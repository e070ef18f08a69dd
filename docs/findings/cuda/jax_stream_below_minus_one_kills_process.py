# SPDX-License-Identifier: MIT
"""`__dlpack__(stream=-2)` kills the process by SIGSEGV.

Library: JAX 0.11.2
Rules: DLP614
Clause: Python array API standard, version 2025.12, array.__dlpack__ stream ("a positive integer or -1")
Hurts: who passes a stream that is none: the process is gone, with no exception to tell of it.
"""

import signal
import subprocess
import sys

code = "import jax.numpy; jax.numpy.ones(3).__dlpack__(stream=-2)"
assert subprocess.run([sys.executable, "-c", code]).returncode == -signal.SIGSEGV
