# SPDX-License-Identifier: MIT
"""`tiff_encode` and `zfp_encode` crash on an array without elements.

Library: imagecodecs 2026.3
Rules: DLC001
Clause: derived from Python array API standard, version 2025.12, from_dlpack
Impact: programs that encode crops or selections, which can be empty: the process is killed by SIGFPE or SIGBUS.
"""

import signal
import subprocess
import sys

for encode, dtype in ("tiff_encode", "u1"), ("zfp_encode", "f4"):
    code = f"import imagecodecs, numpy; imagecodecs.{encode}(numpy.zeros(0, '{dtype}'))"
    assert -subprocess.run([sys.executable, "-c", code]).returncode in (signal.SIGFPE, signal.SIGBUS, signal.SIGSEGV)
