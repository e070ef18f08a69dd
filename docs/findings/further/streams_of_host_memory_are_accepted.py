# SPDX-License-Identifier: MIT
"""`__dlpack__` of host memory accepts streams, and none of `max_version`, `dl_device` and `copy`.

Library: drjit 1.5, nanoarrow 0.9
Rules: DLP005, DLP602
Clause: Python array API standard, version 2025.12, array.__dlpack__ stream ("only None is accepted"); array.__dlpack__
    max_version
Impact: consumers that pass `max_version`: TypeError, and then a capsule that cannot express read-only memory.
"""

import drjit.scalar
import nanoarrow

for array in drjit.scalar.TensorXf([1, 2]), nanoarrow.c_array([1, 2], nanoarrow.int32()).view().buffer(1):
    assert '"dltensor"' in repr(array.__dlpack__(stream=-1))
    try:
        array.__dlpack__(max_version=(1, 0))
        raise SystemExit("no exception")
    except TypeError:
        pass
