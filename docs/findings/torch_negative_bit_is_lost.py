# SPDX-License-Identifier: MIT
"""`__dlpack__` of a lazily negated tensor exports its memory, to which the negation is not applied.

Library: PyTorch 2.15
Rules: XPR202
Clause: derived from Python array API standard, version 2025.12, array.__dlpack__ Raises
Hurts: whoever passes `z.conj().imag` on, or any view that is_neg(): every sign is wrong. A tensor with the conjugate bit is
    refused with BufferError, and `Tensor.numpy()` refuses both.
"""

import numpy
import torch

negative = torch.tensor([1 + 2j, 3 - 4j]).conj().imag
assert negative.is_neg() and negative.tolist() == [-2, 4]
assert numpy.from_dlpack(negative).tolist() == [2, -4]
assert numpy.from_dlpack(negative.resolve_neg()).tolist() == [-2, 4]
