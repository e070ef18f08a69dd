# SPDX-License-Identifier: MIT
"""`__dlpack__` of a Fortran-ordered array with zero-size elements kills the process with SIGFPE.

Library: numpy
Clause: Python array API standard, version 2025.12, array.__dlpack__ Raises (BufferError if the data cannot be
    exported; NumPy divides by the element size before it checks the element type)
Impact: code that passes an array to a DLPack consumer and catches BufferError: the process is killed, and there
    is no exception to catch.
"""

import signal
import subprocess
import sys

code = "import numpy; numpy.zeros((3, 4), 'V0').copy('F').__dlpack__()"
assert subprocess.run([sys.executable, "-c", code]).returncode == -signal.SIGFPE
