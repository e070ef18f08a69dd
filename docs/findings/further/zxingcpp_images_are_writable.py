# SPDX-License-Identifier: MIT
"""A writable buffer of an image is granted although the image is read-only, and one in Fortran order although it is in C order.

Library: zxing-cpp 3.1
Rules: BUF801, BUF301
Clause: Python C API Buffer Protocol, version 3, PyBUF_WRITABLE; contiguity requests
Impact: C code that requests PyBUF_WRITABLE and writes to the memory of an image that must not change.
"""

import ctypes

import zxingcpp

image = zxingcpp.create_barcode("text", zxingcpp.BarcodeFormat.QRCode).to_image()
assert memoryview(image).readonly and not memoryview(image).f_contiguous
view = (ctypes.c_ssize_t * 10)()
for PyBUF_STRIDES_and_another in 0x18 | 0x1, 0x18 | 0x40:  # PyBUF_WRITABLE, PyBUF_F_CONTIGUOUS
    assert ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(image), view, PyBUF_STRIDES_and_another) == 0
