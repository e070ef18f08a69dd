# SPDX-License-Identifier: MIT
"""`__cuda_array_interface__` names no stream, although work is pending on one.

Library: PyTorch 2.11
Rules: CAI606
Clause: CUDA Array Interface, version 3, Interface Requirements
Hurts: who imports by it on another stream: it reads what is half written. Version 2 has no key for it; PyTorch waits for nothing either.
"""

import torch

array, stream = torch.zeros(4, device="cuda").fill_(1), torch.cuda.Stream()
torch.cuda.synchronize()
with torch.cuda.stream(stream):
    torch.cuda._sleep(1_000_000_000)
    interface = array.fill_(7).__cuda_array_interface__
assert "stream" not in interface and not stream.query()
assert array.tolist() == [1, 1, 1, 1]
