# SPDX-License-Identifier: MIT
"""`asarray` crashes on a NumPy array of 64 dimensions.

Library: blosc2 4.14
Rules: DLC001
Clause: derived from Python array API standard, version 2025.12, from_dlpack
Impact: users who pass arrays of 64 dimensions, the most that NumPy has: the process is killed by SIGSEGV. Arrays of 17 dimensions raise
    RuntimeError.
"""

import subprocess
import sys

code = "import blosc2, numpy; blosc2.asarray(numpy.zeros((1,) * 64))"
assert subprocess.run([sys.executable, "-c", code]).returncode == -11
