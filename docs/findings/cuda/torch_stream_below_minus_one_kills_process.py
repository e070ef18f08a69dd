# SPDX-License-Identifier: MIT
"""`__dlpack__(stream=-2)` kills the process with SIGSEGV.

Library: PyTorch 2.11
Rules: DLP614
Clause: Python array API standard, version 2025.12, array.__dlpack__ stream ("an integer larger than or equal to -1")
Impact: code that passes an invalid stream: the process is killed without an exception.
"""

import signal
import subprocess
import sys

code = "import torch; torch.ones(3, device='cuda').__dlpack__(stream=-2)"
assert subprocess.run([sys.executable, "-c", code]).returncode == -signal.SIGSEGV
