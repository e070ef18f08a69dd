# SPDX-License-Identifier: MIT
"""`numpy_to_vtk` returns a writable array over the memory of a read-only one.

Library: vtk 9.7
Rules: DLC308
Clause: NumPy array interface protocol, version 3, data
Impact: filters that work in place change arrays that NumPy treats as constant, such as views of constants or of files.
"""

import numpy
import vtkmodules.util.numpy_support

constant = numpy.zeros(3)
constant.flags.writeable = False
vtkmodules.util.numpy_support.numpy_to_vtk(constant).SetValue(0, 9)
assert constant[0] == 9
