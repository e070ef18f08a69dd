# SPDX-License-Identifier: MIT
"""`__dlpack__` of an array on a sub-device raises DLPackCreationError, which is not a BufferError.

Library: dpnp
Clause: Python array API standard, version 2025.12, array.__dlpack__ Raises
Impact: consumers that try DLPack first and catch only BufferError: they fail with an unexpected exception.
"""

import dpctl
import dpnp

part = dpctl.SyclDevice("cpu").create_sub_devices(partition=1)[0]
try:
    dpnp.ones(3, sycl_queue=dpctl.SyclQueue(part)).__dlpack__()
    raise AssertionError("exported")
except Exception as error:
    assert type(error).__name__ == "DLPackCreationError" and not isinstance(error, BufferError)
