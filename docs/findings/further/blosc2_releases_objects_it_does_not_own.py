# SPDX-License-Identifier: MIT
"""`asarray` ignores `__dlpack__` and stores the address of the object, and each read takes a reference from it.

Library: blosc2 4.14
Rules: DLC001
Clause: derived from Python array API standard, version 2025.12, from_dlpack
Impact: users who pass tensors of other libraries, or arrays of Python objects: the process crashes when an object that
    was read is released again.
"""

import sys

import blosc2

tensor = type("Tensor", (), {"__dlpack__": lambda self, **keywords: 1 / 0, "__dlpack_device__": lambda self: (1, 0)})()
references = [tensor] * 9
array, before = blosc2.asarray(tensor), sys.getrefcount(tensor)
assert array.dtype == object and array[()].shape == ()
assert sys.getrefcount(tensor) == before - 1
