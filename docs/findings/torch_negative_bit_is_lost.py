# SPDX-License-Identifier: MIT
"""`__dlpack__` of a lazily negated tensor exports the memory without the negation.

Library: PyTorch 2.15
Rules: XPR202
Clause: derived from Python array API standard, version 2025.12, array.__dlpack__ Raises
Impact: code that passes on `z.conj().imag`, or any view for which is_neg() is true: every sign is wrong. Tensors with
    the conjugate bit raise BufferError, and `Tensor.numpy()` refuses both.
"""

import numpy
import torch

negative = torch.tensor([1 + 2j, 3 - 4j]).conj().imag
assert negative.is_neg() and negative.tolist() == [-2, 4]
assert numpy.from_dlpack(negative).tolist() == [2, -4]
assert numpy.from_dlpack(negative.resolve_neg()).tolist() == [-2, 4]
