# SPDX-License-Identifier: MIT
"""`torch.as_tensor` of an object with negative strides aborts the process.

Library: PyTorch 2.11
Rules: DLC001, DLC002
Clause: CUDA Array Interface, version 3, strides
Impact: reversed views: a C++ exception ("Storage size calculation overflowed") is not caught, so that the process ends
    with SIGABRT instead of an exception of Python.
"""

import subprocess
import sys

code = """import torch
class Reversed:
    owner = torch.arange(3, device="cuda")
    __cuda_array_interface__ = dict(owner.__cuda_array_interface__, strides=(-8,), data=(owner.data_ptr() + 16, False))
torch.as_tensor(Reversed(), device="cuda")"""
ended = subprocess.run([sys.executable, "-c", code], capture_output=True)
assert ended.returncode == -6 and b"Storage size calculation overflowed" in ended.stderr
