# SPDX-License-Identifier: MIT
"""`__dlpack__` of an index accepts no `max_version`, `dl_device` and `copy`, so that each capsule is a legacy one.

Library: awkward 2.14
Rules: DLP005
Clause: Python array API standard, version 2025.12, array.__dlpack__ max_version; array.__dlpack__
    dl_device; array.__dlpack__ copy
Impact: consumers that pass `max_version`: TypeError, and then a capsule that cannot express read-only memory.
"""

import awkward

offsets = awkward.Array([[1, 2], [3]]).layout.offsets
assert '"dltensor"' in repr(offsets.__dlpack__())
try:
    offsets.__dlpack__(max_version=(1, 0))
    raise SystemExit("no exception")
except TypeError:
    pass
