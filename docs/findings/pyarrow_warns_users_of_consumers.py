"""`__dlpack__()` emits a DeprecationWarning for a call that the user cannot change.

Library: pyarrow
Rules: DLP811
Clause: derived from Python array API standard, version 2025.12, array.__dlpack__ Notes
Impact: code that runs Python with -W error: `tvm_ffi.from_dlpack(array)`, which passes no version, raises an
    exception that only its authors can fix.
"""

import warnings

import pyarrow
import tvm_ffi

with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    tvm_ffi.from_dlpack(pyarrow.array([1, 2, 3]))
assert "unversioned DLPack capsule is deprecated" in str(warned[0].message)
