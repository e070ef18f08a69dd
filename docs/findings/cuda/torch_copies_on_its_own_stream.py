# SPDX-License-Identifier: MIT
"""`__dlpack__(stream=..., copy=True)` copies on PyTorch's current stream instead of the one passed.

Library: PyTorch 2.11
Rules: DLP611
Clause: Python array API standard, version 2025.12, array.__dlpack__ copy
Impact: code that expects the copy to be ordered after the work already queued on its stream.
"""

import torch

array, stream = torch.full((4,), 3.0, device="cuda"), torch.cuda.Stream()
torch.from_dlpack(array.__dlpack__(stream=stream.cuda_stream, copy=True))
torch.cuda.synchronize()
with torch.cuda.stream(stream):
    torch.cuda._sleep(1_000_000_000)
copy = torch.from_dlpack(array.fill_(4).__dlpack__(stream=stream.cuda_stream, copy=True))
assert copy.tolist() == [4, 4, 4, 4] and not stream.query()
