# SPDX-License-Identifier: MIT
"""`__array_struct__` of a structured array says: read-only, not aligned, byte-swapped, no `descr`.

Library: numpy
Clause: NumPy array interface protocol, version 3, C-struct access (flags say what the array is: WRITEABLE,
    ALIGNED, NOTSWAPPED, ARR_HAS_DESCR; NumPy joins the last by `&=` where `|=` is meant, which leaves none)
Hurts: readers of the struct refuse to write, or swap the bytes of, plain native memory, and never see the
    fields.
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
