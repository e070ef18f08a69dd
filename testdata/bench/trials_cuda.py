# SPDX-License-Identifier: MIT
"""20 arrays of CuPy and PyTorch on a GPU, for tools/bench-trials."""
import cupy as cp
import torch

a0, a1, a2, a3, a4 = cp.arange(12), cp.ones((3, 4), "f4"), cp.ones((3, 4)).T, cp.arange(10)[::2], cp.asarray(3.0)
a5, a6, a7, a8, a9 = cp.ones(4, bool), cp.arange(4) + 1j, cp.zeros((2, 3), order="F"), cp.arange(9)[::-1], cp.zeros(5, "i2")
b0, b1, b2, b3 = [torch.arange(12, device="cuda") for _ in range(4)]
b4, b5, b6 = torch.ones(3, 4, device="cuda"), torch.ones(3, 4, device="cuda").T, torch.arange(10, device="cuda")[::2]
b7, b8, b9 = [torch.zeros(3, dtype=dtype, device="cuda") for dtype in (torch.float16, torch.bfloat16, torch.int8)]
