# SPDX-License-Identifier: MIT
"""`pyarrow.array` ignores the multiple of a time unit: 25 us become 1 us.

Library: pyarrow
Clause: NumPy array interface protocol, version 3, typestr
Impact: dates and durations change without an exception: `datetime64[25us]`, `timedelta64[10s]` and others, which
    `Array.to_numpy` returns with other values.
"""

import numpy
import pyarrow

durations = numpy.array([1, 2], "timedelta64[10s]")
assert pyarrow.array(durations).to_numpy().tolist() != durations.tolist()
assert pyarrow.array(durations).to_numpy().dtype == "timedelta64[s]" and pyarrow.array(durations)[1].value == 2
