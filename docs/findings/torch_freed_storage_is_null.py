# SPDX-License-Identifier: MIT
"""`__dlpack__` of a tensor without memory, such as one whose storage was freed, exports NULL as `data` of its elements.

Library: PyTorch 2.15
Rules: DLP402
Clause: dlpack.h, version 1.3, DLTensor.data ("points to the allocated data")
Impact: code that passes on a tensor whose storage was resized to 0 to save memory, or a zero tensor of forward-mode
    differentiation: `numpy.from_dlpack` and JAX return uninitialized memory. `Tensor.tolist()` raises RuntimeError.
"""

import ctypes
import torch

freed = torch.ones(3)
freed.untyped_storage().resize_(0)
get_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
for tensor in freed, torch._efficientzerotensor(3):
    capsule = tensor.__dlpack__()
    data = ctypes.c_void_p.from_address(get_pointer(capsule, b"dltensor")).value
    assert tensor.numel() == 3 and data is None
