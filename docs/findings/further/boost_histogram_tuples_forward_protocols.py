# SPDX-License-Identifier: MIT
"""Edges, centers and widths of the axes of a histogram expose protocols whose values are tuples, one item for each axis.

Library: boost-histogram 1.8
Rules: DLP002, DLP101, NAI001, NAI003
Clause: NumPy array interface protocol, version 3, introduction; Python library reference, version 3, hasattr
Impact: `numpy.asarray(histogram.axes.centers)`, which would return an array of the tuple, raises ValueError.
"""

import boost_histogram
import numpy

centers = boost_histogram.Histogram(boost_histogram.axis.Regular(4, 0, 1)).axes.centers
assert isinstance(centers, tuple) and isinstance(centers.__array_interface__, tuple)
try:
    numpy.asarray(centers)
    raise AssertionError("returned")
except ValueError as error:
    assert str(error) == "invalid __array_struct__"
