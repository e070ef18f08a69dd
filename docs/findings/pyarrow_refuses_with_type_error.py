# SPDX-License-Identifier: MIT
"""Arrays that cannot be exported raise ArrowTypeError, a TypeError, instead of BufferError.

Library: pyarrow
Clause: Python array API standard, version 2025.12, array.__dlpack__ Raises
Impact: consumers that interpret a TypeError of `__dlpack__` as an unsupported keyword: they call it again.
"""

import pyarrow

try:
    pyarrow.array(["text"]).__dlpack__()
    raise AssertionError("exported")
except TypeError as error:
    assert not isinstance(error, BufferError) and "DLPack" in str(error)
