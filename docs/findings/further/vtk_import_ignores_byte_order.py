# SPDX-License-Identifier: MIT
"""`numpy_to_vtk` reads the elements of an array of the other byte order in the machine's order, also with deep=True.

Library: vtk 9.7
Rules: DLC305
Clause: NumPy array interface protocol, version 3, typestr
Impact: data of files in the other byte order, such as FITS or NIfTI: other numbers, without an exception.
"""

import numpy
import vtkmodules.util.numpy_support

swapped = numpy.arange(4, dtype="f4").astype(">f4")
for deep in False, True:
    array = vtkmodules.util.numpy_support.numpy_to_vtk(swapped, deep=deep)
    assert 0 < array.GetValue(1) < 1e-40 and swapped[1] == 1
