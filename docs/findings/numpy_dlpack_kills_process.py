# SPDX-License-Identifier: MIT
"""`__dlpack__` of a Fortran-ordered array whose elements have no bytes kills the process by SIGFPE.

Library: numpy
Clause: Python array API standard, version 2025.12, array.__dlpack__ Raises (BufferError where the data
    cannot be exported; NumPy divides by the element's size before it looks at the element's type)
Hurts: who offers an array to a DLPack consumer and counts on BufferError to go another way: the process is
    gone, with no exception to catch.
"""

import signal
import subprocess
import sys

code = "import numpy; numpy.zeros((3, 4), 'V0').copy('F').__dlpack__()"
assert subprocess.run([sys.executable, "-c", code]).returncode == -signal.SIGFPE
