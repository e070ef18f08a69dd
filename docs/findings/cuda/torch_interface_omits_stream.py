# SPDX-License-Identifier: MIT
"""`__cuda_array_interface__` reports no stream, although work is pending on one.

Library: PyTorch 2.11
Rules: CAI606
Clause: CUDA Array Interface, version 3, Interface Requirements
Impact: consumers that import it on another stream: they read partially written elements. Version 2 has no key for a
    stream, and PyTorch does not wait either.
"""

import torch

array, stream = torch.zeros(4, device="cuda").fill_(1), torch.cuda.Stream()
torch.cuda.synchronize()
with torch.cuda.stream(stream):
    torch.cuda._sleep(1_000_000_000)
    interface = array.fill_(7).__cuda_array_interface__
assert "stream" not in interface and not stream.query()
assert array.tolist() == [1, 1, 1, 1]
