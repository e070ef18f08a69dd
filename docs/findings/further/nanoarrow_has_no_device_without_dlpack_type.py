# SPDX-License-Identifier: MIT
"""Both methods of DLPack raise ValueError instead of BufferError for element types that DLPack lacks.

Library: nanoarrow 0.9
Rules: DLP808
Clause: Python array API standard, version 2025.12, array.__dlpack__ Raises; array.__dlpack_device__ Returns
Impact: consumers that fall back to another protocol after a BufferError: the exception propagates.
"""

import nanoarrow

bits = nanoarrow.c_array([True, False], nanoarrow.bool_()).view().buffer(1)
for method in bits.__dlpack_device__, bits.__dlpack__:
    try:
        method()
        raise SystemExit("no exception")
    except ValueError:
        pass
