"""Without `max_version`, `__dlpack__` returns a legacy capsule for immutable memory.

Library: pyarrow
Rules: DLP807
Clause: derived from Python array API standard, version 2025.12, array.__dlpack__ Notes
Impact: consumers that pass no version, such as tvm-ffi: they export writable views of Arrow's immutable memory.
"""

import numpy
import pyarrow
import tvm_ffi

array = pyarrow.array([1, 2, 3])
assert not numpy.from_dlpack(array).flags.writeable
numpy.from_dlpack(tvm_ffi.from_dlpack(array))[0] = 7
assert array[0].as_py() == 7
