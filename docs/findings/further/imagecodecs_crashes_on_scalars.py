# SPDX-License-Identifier: MIT
"""`png_encode` and `jpeg8_encode` crash on an array without dimensions.

Library: imagecodecs 2026.3
Rules: DLC001
Clause: derived from Python array API standard, version 2025.12, from_dlpack
Impact: functions that encode what they are passed: a reduced image kills the process by SIGSEGV.
"""

import subprocess
import sys

for encode in "png_encode", "jpeg8_encode":
    code = f"import imagecodecs, numpy; imagecodecs.{encode}(numpy.array(1, 'u1'))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == -11
