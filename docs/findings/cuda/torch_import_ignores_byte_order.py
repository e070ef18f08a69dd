# SPDX-License-Identifier: MIT
"""`torch.as_tensor` reads elements of the other byte order as native ones.

Library: PyTorch 2.11
Rules: DLC305
Clause: CUDA Array Interface, version 3, typestr
Impact: arrays that were read from files or networks in big-endian order: all numbers are wrong, without an exception.
"""

import cupy
import torch


class Swapped:
    owner = cupy.array([1, 2], "i4")
    __cuda_array_interface__ = dict(owner.__cuda_array_interface__, typestr=">i4")


assert torch.as_tensor(Swapped(), device="cuda").tolist() == [1, 2]
