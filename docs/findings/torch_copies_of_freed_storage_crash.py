# SPDX-License-Identifier: MIT
"""`__dlpack__(copy=True)` of a tensor whose storage was freed kills the process with SIGSEGV.

Library: PyTorch 2.15
Clause: Python array API standard, version 2025.12, array.__dlpack__ Raises
Impact: consumers that request a copy, such as `numpy.from_dlpack(tensor, copy=True)`: PyTorch copies from a null pointer,
    as `Tensor.clone()` does, so there is no exception to catch. `Tensor.tolist()` raises RuntimeError.
"""

import os
import signal
import torch

freed = torch.ones(3)
freed.untyped_storage().resize_(0)
child = os.fork()
if not child:
    os._exit(freed.__dlpack__(copy=True) is None)
assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGSEGV
