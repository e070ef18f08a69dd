# SPDX-License-Identifier: MIT
"""`__dlpack__` of a plane of a big-endian format raises NotImplementedError instead of BufferError.

Library: av 18.1
Rules: DLP808
Clause: Python array API standard, version 2025.12, array.__dlpack__ Raises
Impact: consumers that catch BufferError to use another interface of the plane, such as its buffer: they fail.
"""

import av

try:
    av.VideoFrame(5, 3, "gray16be").planes[0].__dlpack__()
    raise SystemExit("no exception")
except NotImplementedError as error:
    assert not isinstance(error, BufferError)
