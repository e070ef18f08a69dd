# SPDX-License-Identifier: MIT
"""`__dlpack__` of a read-only buffer returns a legacy capsule, which cannot express read-only.

Library: nanoarrow 0.9
Rules: DLP807
Clause: Python array API standard, version 2025.12, array.__dlpack__ Notes
Impact: consumers that trust the capsule, such as PyTorch: they write to a bytes object, which is immutable.
"""

import nanoarrow

data = bytes(16)
buffer = nanoarrow.c_array_from_buffers(nanoarrow.int32(), 4, [None, data]).view().buffer(1)
assert memoryview(buffer).readonly and '"dltensor"' in repr(buffer.__dlpack__())
