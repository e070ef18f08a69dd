# SPDX-License-Identifier: MIT
"""`fitsio.write` crashes on a column that has no dimensions.

Library: fitsio 1.4
Rules: DLC001
Clause: derived from Python array API standard, version 2025.12, from_dlpack
Impact: programs that write a table of one row from numbers: the process is killed by SIGSEGV.
"""

import subprocess
import sys

code = "import fitsio, numpy, tempfile; fitsio.write(tempfile.mkdtemp() + '/a.fits', {'x': numpy.array(1.0)})"
assert subprocess.run([sys.executable, "-c", code]).returncode == -11
