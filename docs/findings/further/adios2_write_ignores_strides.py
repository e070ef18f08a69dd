# SPDX-License-Identifier: MIT
"""`Stream.write` stores consecutive elements of an array that is not C-contiguous.

Library: adios2 2.12
Rules: DLC302
Clause: NumPy array interface protocol, version 3, strides
Impact: simulations that write slices or transposed arrays: the file contains other numbers, without an error.
"""

import tempfile

import adios2
import numpy

array = numpy.arange(6.0).reshape(2, 3).T
with tempfile.TemporaryDirectory() as directory:
    with adios2.Stream(directory + "/a.bp", "w") as stream:
        stream.write("x", array, [3, 2], [0, 0], [3, 2])
    with adios2.FileReader(directory + "/a.bp") as stream:
        assert stream.read("x").tolist() == numpy.arange(6.0).reshape(3, 2).tolist() != array.tolist()
