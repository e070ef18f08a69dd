# SPDX-License-Identifier: MIT
"""What cannot be exported raises ArrowTypeError, a TypeError, and no BufferError.

Library: pyarrow
Clause: Python array API standard, version 2025.12, array.__dlpack__ Raises
Hurts: consumers take TypeError of `__dlpack__` for a keyword that the producer does not know, and call again.
"""

import pyarrow

try:
    pyarrow.array(["text"]).__dlpack__()
    raise AssertionError("exported")
except TypeError as error:
    assert not isinstance(error, BufferError) and "DLPack" in str(error)
