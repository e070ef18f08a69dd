# SPDX-License-Identifier: MIT
"""`__array_struct__` of a structured array is flagged as read-only, misaligned, byte-swapped and without `descr`.

Library: numpy
Clause: NumPy array interface protocol, version 3, C-struct access (flags describe the array: WRITEABLE, ALIGNED,
    NOTSWAPPED, ARR_HAS_DESCR; NumPy combines the last with `&=` instead of `|=`, which clears all flags)
Impact: readers of the struct: they treat writable memory in native byte order as read-only, or swap its bytes, and
    never see the fields.
"""

import ctypes

import numpy

array = numpy.zeros(2, "i4,f8")
get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
capsule = array.__array_struct__
two, nd, kind, itemsize, flags = (ctypes.c_int * 5).from_address(get_pointer(capsule, None))
assert array.flags.writeable and array.flags.c_contiguous
assert (two, nd, itemsize, flags) == (2, 1, 12, 0)
