# SPDX-License-Identifier: MIT
"""`polars.Series` ignores the multiple of a time unit: 25 us become 1 us.

Library: polars 2.1
Clause: NumPy array interface protocol, version 3, typestr
Impact: dates change without an exception: the second one of `numpy.array([0, 1], "datetime64[25us]")` becomes 1970-01-01
    00:00:00.000001.
"""

import numpy
import polars

dates = numpy.array([0, 1], "datetime64[25us]")
assert dates[1].item().microsecond == 25
assert polars.Series(dates)[1].microsecond == 1
