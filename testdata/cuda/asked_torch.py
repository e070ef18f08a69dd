# SPDX-License-Identifier: MIT
"""A few of PyTorch tensors for --calls and --lifetime, which call each of them many times, in separate workers."""

import torch

plain = torch.arange(12.0, device="cuda").reshape(3, 4)
transposed = plain.T
empty = plain[:0]
pinned = torch.arange(12.0).pin_memory()
with torch.cuda.stream(torch.cuda.Stream()):
    on_stream = plain * 2
torch.cuda.synchronize()
