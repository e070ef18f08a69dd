# SPDX-License-Identifier: MIT
"""`Tensor.expand` returns a writable view whose rows share the same memory.

Library: PyTorch 2.11
Rules: CAI308, DLP311
Clause: CUDA Array Interface, version 3, data
Impact: kernels that write through it: their threads race for the same bytes. PyTorch itself rejects in-place writes.
"""

import torch

interface = torch.arange(4.0, device="cuda").expand(3, 4).__cuda_array_interface__
assert interface["strides"] == (0, 4)
assert interface["data"][1] is False
