# SPDX-License-Identifier: MIT
"""`Tensor` reads the elements of each row from consecutive addresses, whatever the stride of the last dimension.

Library: numkong 7.8
Rules: DLC302, DLC306
Clause: Python C API Buffer Protocol, version 3, Py_buffer.strides; NumPy array interface protocol, version 3, strides
Impact: code that passes transposed, Fortran-ordered or broadcast arrays: other elements, also from beyond the array.
"""

import numkong
import numpy

array = numpy.asfortranarray([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
assert numpy.asarray(numkong.Tensor(array))[0].tolist() == [0.0, 3.0, 1.0] != array[0].tolist()
