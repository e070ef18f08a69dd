# SPDX-License-Identifier: MIT
"""`__cuda_array_interface__` of a lazily conjugated or negated tensor exports the memory without the conjugation or
negation.

Library: PyTorch 2.11
Rules: XPR202
Clause: derived from CUDA Array Interface, version 3, Python Interface Specification
Impact: code that passes on `z.conj()`, `z.mH` or `z.conj().imag`: every imaginary part has the wrong sign. `__dlpack__`
    refuses the conjugate bit, but also ignores the negation.
"""

import torch


class Read:
    def __init__(self, tensor):
        self.kept, self.__cuda_array_interface__ = tensor, tensor.__cuda_array_interface__


z = torch.tensor([1 + 2j, 3 - 4j], device="cuda")
assert z.conj().tolist() == [1 - 2j, 3 + 4j] and torch.as_tensor(Read(z.conj())).tolist() == [1 + 2j, 3 - 4j]
assert z.conj().imag.tolist() == [-2, 4] and torch.as_tensor(Read(z.conj().imag)).tolist() == [2, -4]
