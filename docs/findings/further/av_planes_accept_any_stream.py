# SPDX-License-Identifier: MIT
"""`__dlpack__` of a plane in host memory accepts any stream, and no `max_version`.

Library: av 18.1
Rules: DLP005, DLP602
Clause: Python array API standard, version 2025.12, array.__dlpack__ stream ("only None is accepted"); array.__dlpack__
    max_version
Impact: consumers that pass `max_version`: TypeError, or a legacy capsule, which is read-only for NumPy.
"""

import av

plane = av.VideoFrame(5, 3, "rgb24").planes[0]
assert plane.__dlpack_device__() == (1, 0) and "dltensor" in repr(plane.__dlpack__(stream=5))
try:
    plane.__dlpack__(max_version=(1, 0))
    raise SystemExit("no exception")
except TypeError:
    pass
