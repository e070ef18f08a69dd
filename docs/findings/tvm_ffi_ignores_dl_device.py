"""Without `max_version`, `__dlpack__` ignores `dl_device` and always returns host memory.

Library: apache-tvm-ffi
Rules: DLP505
Clause: Python array API standard, version 2025.12, array.__dlpack__ dl_device; Python array API standard, version
    2025.12, array.__dlpack__ Raises
Impact: consumers that request a capsule on the GPU and pass its address to a kernel.
"""

import numpy
import tvm_ffi

tensor = tvm_ffi.from_dlpack(numpy.zeros(3))
assert '"dltensor"' in repr(tensor.__dlpack__(dl_device=(2, 0)))
try:
    tensor.__dlpack__(dl_device=(2, 0), max_version=(1, 0))
    raise AssertionError("ignored")
except BufferError:
    pass
